/**
 * Stores the audit log: one partition for each account, mode and month, with entries under their ids, which begin with the
 * time. Operations that are about no account have partitions of their own.
 *
 * - Entries are only added. Each write is conditional on absence, and no code updates or deletes an entry.
 * - Entries expire after 400 days.
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { AuditOrigin, SettingChange } from '../audit-origin.ts';
import { env } from '../env.ts';
import { type Owner, timeOfAuditEntry } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import { queryPages } from '../store/query-pages.ts';
import type { Item } from '../store/records.ts';
import type { TransactionItem } from '../store/transactions.ts';
import { hasExpired, type Instant, toSeconds } from '../time.ts';
import { type AuditEntry, newAuditEntry } from './entry.ts';

/** What an operation is about: an account and mode, or the deployment as a whole. */
export type AuditScope = Owner | 'deployment';

const dayMs = 24 * 60 * 60 * 1000;
const retentionMs = 400 * dayMs;
/** An entry has the time of another machine's clock, which can be ahead. */
const clockSkewMs = 5 * 60 * 1000;

/** Adds an entry. Does nothing if it exists. */
export async function addAuditEntry(scope: AuditScope, entry: AuditEntry): Promise<void> {
  try {
    await dynamodb.send(new PutCommand(putIfAbsent(scope, entry)));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/**
 * Returns the actions that add the entry of an operation to the transaction of the operation.
 * @param scopes the accounts and modes that the operation is about
 */
export function entryActions(
  scopes: readonly AuditScope[],
  origin: AuditOrigin | undefined,
  { resource, changes, at }: { resource: string; changes: readonly SettingChange[]; at: Instant },
): TransactionItem[] {
  if (!origin) return [];
  const entry = newAuditEntry(randomUUID(), at, { ...origin, outcome: 'done', resource, changes });
  return scopes.map((scope) => ({ Put: putIfAbsent(scope, entry) }));
}

function putIfAbsent(scope: AuditScope, { id, ...attributes }: AuditEntry) {
  const at = timeOfAuditEntry(id);
  return {
    TableName: env.tableName(),
    Item: {
      ...tableKeys.auditEntry(scope, at, id),
      ...attributes,
      expiresAt: toSeconds(at + retentionMs),
    },
    ConditionExpression: 'attribute_not_exists(pk)',
  };
}

/**
 * Reads the newest entries, strongly consistent. Reads the latest month first, and then all earlier ones at once, so it
 * takes two calls in sequence at most.
 * @param before the id of an entry: only older entries are read
 * @returns up to `count` entries, newest first
 */
export async function readAuditEntries(
  scope: AuditScope,
  before: string | undefined,
  count: number,
  now: Instant,
): Promise<AuditEntry[]> {
  const newest = now + clockSkewMs;
  const [latest, ...earlier] = monthsFrom(
    before === undefined ? newest : Math.min(newest, timeOfAuditEntry(before)),
    now - retentionMs,
  );
  if (latest === undefined) return [];
  const entries = await readMonth(scope, latest, before, count, now);
  if (entries.length >= count) return entries;
  const older = await Promise.all(earlier.map((month) => readMonth(scope, month, undefined, count, now)));
  return [...entries, ...older.flat()].slice(0, count);
}

/** Yields all entries of the month that contains an instant, oldest first, also those that have expired. */
export async function* readAuditMonth(scope: AuditScope, month: Instant): AsyncGenerator<AuditEntry> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.auditEntry(scope, month, '').pk },
  });
  for await (const items of pages) yield* items.map(toAuditEntry);
}

/** Returns the last instant of each month from that of `latest` back to that of `oldest`, newest first. */
function monthsFrom(latest: Instant, oldest: Instant): Instant[] {
  const months: Instant[] = [];
  const date = new Date(latest);
  for (let month = 0; ; month++) {
    const monthEnd = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - month) - 1;
    if (monthEnd < oldest) return months;
    months.push(monthEnd);
  }
}

async function readMonth(
  scope: AuditScope,
  month: Instant,
  before: string | undefined,
  count: number,
  now: Instant,
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let start: Item | undefined;
  do {
    const answer: Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'> = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: `pk = :pk${before === undefined ? '' : ' AND sk < :before'}`,
        ExpressionAttributeValues: {
          ':pk': tableKeys.auditEntry(scope, month, '').pk,
          ...(before !== undefined && { ':before': before }),
        },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: count - entries.length,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    // DynamoDB deletes expired items late.
    const kept = (answer.Items ?? []).filter(({ expiresAt }) => !hasExpired(expiresAt, now));
    entries.push(...kept.map(toAuditEntry));
    start = answer.LastEvaluatedKey;
  } while (start && entries.length < count);
  return entries;
}

function toAuditEntry(item: Item): AuditEntry {
  const {
    sk: id,
    actor,
    action,
    outcome,
    resource,
    requestId,
    source,
    changes,
  } = item as unknown as AuditEntry & {
    readonly sk: string;
  };
  return { id, actor, action, outcome, resource, requestId, source, changes };
}
