/** Reads the results of a query page by page. */
import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from './client.ts';
import type { Item } from './records.ts';

/** Yields the items of each page, strongly consistent. A page can be empty, and DynamoDB ends it after 1 MB. */
export async function* queryPages(input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
  const pages = paginateQuery(
    { client: dynamodb },
    { TableName: env.tableName(), ConsistentRead: true, ...input },
  );
  for await (const { Items: items = [] } of pages) yield items;
}

/** Returns the items of all pages, strongly consistent. */
export async function queryAll(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const items of queryPages(input)) all.push(...items);
  return all;
}
