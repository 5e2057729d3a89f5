/**
 * Parses the items of an account and mode that belong to no index page: webhook endpoints with their health and deliveries, the log of
 * events, and the connections to payment providers. `document-differences.ts` parses documents. A comparison of records would miss a malformed one.
 *
 * - Of events and deliveries, the last three days are read, and on one day of each 28 days all. So the cost of a day follows its
 *   changes.
 * - All is read eventually consistent, which costs half: a malformed item stays as it is until somebody repairs it.
 * - Only items that nothing else names are here. What is read with each request, and work, names itself when it is malformed.
 * - Pointers to events, stored answers of idempotency keys, references of invoices, and the names of payments and refunds at providers
 *   are not read. Each is a partition of its own, so a day would need a call for each 100 of them, and no query finds the stored answers.
 *   The request that needs one gets `record_unreadable`, and its log line names the item. Pointers and answers expire, and their
 *   events and records are parsed.
 */
import { createHash } from 'node:crypto';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { readableEvent } from '../../domain/events/log-store.ts';
import { readAllConnections } from '../../domain/payments/connections/connection-store.ts';
import { parseHealth } from '../../domain/webhooks/health-store.ts';
import { deliveryType, registryId, registryType, webhookType } from '../../domain/webhooks/record.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll, queryPages } from '../../store/query-pages.ts';
import { fromItem, type Item, type RecordBase, type RecordType, readItems } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import type { ItemDifference } from './difference.ts';

const dayMs = 24 * 60 * 60 * 1000;
const recentMs = 3 * dayMs;
/** The days between two parses of all events and deliveries. They are kept for 30 days. */
const periodDays = 28;
const retentionSeconds = 30 * 24 * 60 * 60;
/** DynamoDB reads so many items in one call. */
const itemsPerRead = 100;

/**
 * Returns the malformed items of an account and mode.
 * @param full whether to read all events and deliveries
 */
export async function findItemDifferences(
  owner: Owner,
  now: Instant,
  full = isCompleteDay(owner, now),
): Promise<ItemDifference[]> {
  const since = full ? 0 : now - recentMs;
  const found: MalformedItemError[] = [];
  const check = (items: readonly Item[], parse: (item: Item) => unknown) => {
    for (const item of items) {
      const parsed = parseOrError(item, parse);
      if (parsed instanceof MalformedItemError) found.push(parsed);
    }
  };
  const checkRecords = <T extends RecordBase>(type: RecordType<T>, items: readonly Item[]) =>
    check(items, (item) => {
      if (!fromItem(type, owner, item))
        throw new MalformedItemError(String(item[type.idIn]), 'it names another account or mode');
    });
  const endpoints = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.webhook(owner, '').pk },
    ConsistentRead: false,
  });
  const isRegistry = ({ sk }: Item) => sk === registryId;
  checkRecords(registryType, endpoints.filter(isRegistry));
  const webhooks = endpoints.filter((item) => !isRegistry(item));
  checkRecords(webhookType, webhooks);
  const ids = webhooks.map(({ sk }) => String(sk));
  for (let start = 0; start < ids.length; start += itemsPerRead) {
    const keys = ids.slice(start, start + itemsPerRead).map(tableKeys.webhookHealth);
    check(await readItems(keys, 'eventual'), parseHealth);
  }
  for (const id of ids) {
    const isOld = ({ createdAt }: Item) => Number(createdAt) < since;
    await readNewest(tableKeys.delivery(id, '').pk, isOld, (items) => checkRecords(deliveryType(id), items));
  }
  const firstExpiry = since / 1000 + retentionSeconds;
  await readNewest(
    tableKeys.event(owner, 0).pk,
    ({ expiresAt }) => Number(expiresAt) < firstExpiry,
    (items) => check(items, readableEvent),
  );
  const connections = await readAllConnections(owner);
  found.push(...connections.filter((each) => each instanceof MalformedItemError));
  return found.map((error) => malformedItem(owner, error));
}

/** Returns the difference of an item that cannot be read. */
export const malformedItem = (
  { account, mode }: Owner,
  { item, problem }: MalformedItemError,
): ItemDifference => ({
  account,
  mode,
  resource: 'item',
  seq: 0,
  id: item,
  rule: 'item_malformed',
  expected: 'an item that can be read',
  found: problem,
  evidence: '',
});

/** Reads a partition from its end, until an item is old. */
async function readNewest(
  pk: string,
  isOld: (item: Item) => boolean,
  use: (items: readonly Item[]) => void,
): Promise<void> {
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ScanIndexForward: false,
    ConsistentRead: false,
  })) {
    use(items);
    if (items.some(isOld)) return;
  }
}

function isCompleteDay({ account, mode }: Owner, now: Instant): boolean {
  const offset = createHash('sha256').update(`${account}#${mode}`).digest().readUInt32BE() % periodDays;
  return Math.floor(now / dayMs) % periodDays === offset;
}
