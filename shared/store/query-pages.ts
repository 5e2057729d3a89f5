/** Reads the results of a query page by page. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import { dynamodb } from './client.ts';
import type { Item } from './records.ts';

/** Yields the items of each page, strongly consistent. A page can be empty, and DynamoDB ends it after 1 MB. */
export async function* queryPages(input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
  const query = { TableName: env.tableName(), ConsistentRead: true, ...input };
  let start = query.ExclusiveStartKey;
  do {
    const answer: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({ ...query, ExclusiveStartKey: start }),
    );
    yield answer.Items ?? [];
    start = answer.LastEvaluatedKey;
  } while (start);
}

/** Returns the items of all pages, strongly consistent. */
export async function queryAll(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const items of queryPages(input)) all.push(...items);
  return all;
}
