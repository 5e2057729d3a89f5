/**
 * Reads the audit log: one partition for each account, mode and month, with entries under their ids, which begin with the
 * time. Operations that are about no account have partitions of their own.
 *
 * - Entries are only added, by `audit-log.ts`. No code updates or deletes an entry.
 * - Entries expire after 400 days.
 */
import { GetCommand, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Actor } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { type Owner, timeOfAuditEntry } from '../../base/ids.ts';
import { hasExpired, type Instant } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { settingChanges } from '../../store/commit/audited-change.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import { type Item, readItem } from '../../store/records.ts';
import { defineItem, nullable, objectOf, parseOrError, text, textOf } from '../../store/stored-fields.ts';
import type { AuditEntry } from './entry.ts';
import type { AuditScopeName } from './sealed-entry.ts';

/** What an operation is about: an account and mode, or the deployment as a whole. */
export type AuditScope = Owner | 'deployment';

/** The deployment as a whole, where an account and mode is expected. Ids of accounts begin with `acct_`. */
export const deploymentOwner: Owner = { account: 'deployment', mode: 'live' };

/** Returns the scope of an account and mode, or of the deployment as a whole. */
export const auditScopeOf = ({ account, mode }: Owner): AuditScope =>
  account === deploymentOwner.account ? 'deployment' : { account, mode };

const dayMs = 24 * 60 * 60 * 1000;
/** How long an entry is kept, in milliseconds. */
export const auditRetentionMs = 400 * dayMs;
/** An entry has the time of another machine's clock, which can be ahead. */
const clockSkewMs = 5 * 60 * 1000;

/** Returns the name of a scope in the seals. */
export const nameOfScope = (scope: AuditScope): AuditScopeName =>
  scope === 'deployment' ? scope : `${scope.account}#${scope.mode}`;

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
    now - auditRetentionMs,
  );
  if (latest === undefined) return [];
  const entries = await readMonth(scope, latest, before, count, now);
  if (entries.length >= count) return entries;
  const older = await Promise.all(earlier.map((month) => readMonth(scope, month, undefined, count, now)));
  return [...entries, ...older.flat()].slice(0, count);
}

/** Reads an entry. Undefined: the scope has no such entry, or it has expired. One call, strongly consistent. @throws MalformedItemError */
export async function readAuditEntry(
  scope: AuditScope,
  id: string,
  now: Instant,
): Promise<AuditEntry | undefined> {
  const item = await readItem(tableKeys.auditEntry(scope, timeOfAuditEntry(id), id));
  return item && !hasExpired(item.expiresAt, now) ? toAuditEntry(item) : undefined;
}

/** Yields all entries of the month that contains an instant, oldest first, also those that have expired. */
export async function* readAuditMonth(scope: AuditScope, month: Instant): AsyncGenerator<AuditEntry> {
  for await (const items of readStoredEntries(scope, month))
    yield* leaveOutMalformed(items.map((item) => parseOrError(item, toAuditEntry)));
}

/**
 * Yields the stored entries of the month that contains an instant, oldest first, as many as one call returns.
 * @param since the beginning of the ids of the first entries
 */
export async function* readStoredEntries(
  scope: AuditScope,
  month: Instant,
  since = '',
): AsyncGenerator<Item[]> {
  yield* queryPages({
    KeyConditionExpression: `pk = :pk${since === '' ? '' : ' AND sk >= :since'}`,
    ExpressionAttributeValues: {
      ':pk': tableKeys.auditEntry(scope, month, '').pk,
      ...(since !== '' && { ':since': since }),
    },
  });
}

/** Returns the last instant of each month from that of `latest` back to that of `oldest`, newest first. */
export function monthsFrom(latest: Instant, oldest: Instant): Instant[] {
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
    entries.push(...leaveOutMalformed(kept.map((item) => parseOrError(item, toAuditEntry))));
    start = answer.LastEvaluatedKey;
  } while (start && entries.length < count);
  return entries;
}

const parseEntry = defineItem<Omit<AuditEntry, 'id'>>(({ sk }) => String(sk), {
  actor: objectOf<Actor>({ type: textOf(), id: nullable(text) }),
  action: textOf<AuditEntry['action']>(),
  outcome: textOf<AuditEntry['outcome']>(),
  resource: nullable(text),
  requestId: nullable(text),
  source: nullable(text),
  changes: settingChanges,
});

/** Returns an entry as it was before it was stored. @throws MalformedItemError */
export function toAuditEntry(item: Item): AuditEntry {
  const { actor, action, outcome, resource, requestId, source, changes } = parseEntry(item);
  return { id: String(item.sk), actor, action, outcome, resource, requestId, source, changes };
}

/** Reads the item of the head of a log, strongly consistent. Undefined: the log never had an entry. */
export async function readAuditHeadItem(scope: AuditScope): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.auditHead(scope), ConsistentRead: true }),
  );
  return item;
}
