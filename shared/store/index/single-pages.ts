/** Reads single index pages by their page numbers. `index-pages.ts` describes what pages contain. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Owner, Resource } from '../../ids.ts';
import { dynamodb } from '../client.ts';
import { pageNumberOf, tableKeys } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { type Item, readItems } from '../records.ts';
import { precedencesOf } from './index-pages.ts';

/**
 * Reads the same page of up to 100 lists, strongly consistent.
 * @param filterKeys one for each list, `''` for the list of all records
 * @returns the precedence of each number of the page, by filter key. Lists that do not have the page are left out.
 */
export async function readIndexPages(
  owner: Owner,
  resource: Resource,
  page: number,
  filterKeys: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const byKey = new Map(
    filterKeys.map((filterKey) => [tableKeys.indexPage(owner, resource, filterKey, page).pk, filterKey]),
  );
  const items = await readItems(
    [...byKey.keys()].map((pk) => ({ pk, sk: tableKeys.indexPage(owner, resource, '', page).sk })),
  );
  return new Map(items.map((item) => [byKey.get(String(item.pk)) ?? '', precedencesIn(resource, item)]));
}

/**
 * Reads the pages `from` to `to` of the list of all records, strongly consistent.
 * @returns the precedence of each number, by page. Pages that do not exist are left out.
 */
export async function readListedPages(
  owner: Owner,
  resource: Resource,
  from: number,
  to: number,
): Promise<Map<number, Uint8Array>> {
  const [{ pk, sk: first }, { sk: last }] = [
    tableKeys.indexPage(owner, resource, '', from),
    tableKeys.indexPage(owner, resource, '', to),
  ];
  const pages = new Map<number, Uint8Array>();
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
  })) {
    for (const item of items) pages.set(pageNumberOf(item.sk), precedencesIn(resource, item));
  }
  return pages;
}

function precedencesIn(resource: Resource, item: Item): Uint8Array {
  return precedencesOf(resource, (set) =>
    [...((item[set] ?? []) as Set<Uint8Array>)].map(([low = 0]) => low),
  );
}

/** Reads the number of the highest page in the list of all records. Returns undefined if that list is empty. */
export async function readLastPageNumber(owner: Owner, resource: Resource): Promise<number | undefined> {
  const { Items: [last] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': tableKeys.indexPage(owner, resource, '', 0).pk },
      ProjectionExpression: 'sk',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return last && pageNumberOf(last.sk);
}
