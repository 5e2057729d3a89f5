/** Single index pages, by their numbers; what stands in them is told in `index-pages.ts`. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner, Resource } from '../ids.ts';
import { dynamodb } from './client.ts';
import { pageOf, ranksOf } from './index-pages.ts';
import { keys } from './keys.ts';
import { readItems } from './records.ts';

/**
 * The rank of each number of one page, in up to 100 lists, strongly consistent; lists without that page are left out.
 * @param dimensions `''` for the list of all
 */
export async function readPages(
  owner: Owner,
  resource: Resource,
  page: number,
  dimensions: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const byKey = new Map(
    dimensions.map((dimension) => [keys.indexPage(owner, resource, dimension, page).pk, dimension]),
  );
  const items = await readItems(
    [...byKey.keys()].map((pk) => ({ pk, sk: keys.indexPage(owner, resource, '', page).sk })),
  );
  return new Map(
    items.map((item) => [
      byKey.get(String(item.pk)) ?? '',
      ranksOf(resource, (set) => [...((item[set] ?? []) as Set<Uint8Array>)].map(([low = 0]) => low)),
    ]),
  );
}

/** The highest page of the list of all; undefined if that list is empty. */
export async function readLastPage(owner: Owner, resource: Resource): Promise<number | undefined> {
  const { Items: [last] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': keys.indexPage(owner, resource, '', 0).pk },
      ProjectionExpression: 'sk',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return last && pageOf(last.sk);
}
