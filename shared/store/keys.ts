/**
 * Every shape of partition and sort key in the table, on one page. Numbers are zero-padded to a fixed width so
 * that they sort as numbers. No personal data stands in a key: what could be some is a keyed hash.
 */
import { createHash } from 'node:crypto';
import type { Owner, Resource } from '../ids.ts';
import type { Instant } from '../time.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Numbers per index page. */
export const pageSize = 256;
export const outboxShards = 32;
export const timerShards = 4;

const scope = ({ account, mode }: Owner) => `${account}#${mode}`;
const pad = (value: number, width: number) => String(value).padStart(width, '0');
const shardOf = (text: string, shards: number) =>
  (createHash('sha256').update(text).digest()[0] ?? 0) % shards;

/** Milliseconds as they stand in sort keys; 15 digits reach beyond the year 9999. */
export const padInstant = (instant: Instant): string => pad(instant, 15);

export const keys = {
  account: (account: string): Key => ({ pk: `ACCOUNT#${account}`, sk: 'PROFILE' }),
  directory: (createdAt: Instant, account: string): Key => ({
    pk: 'ACCOUNTS',
    sk: `${padInstant(createdAt)}#${account}`,
  }),
  head: (owner: Owner): Key => ({ pk: `ACCOUNT#${scope(owner)}`, sk: 'HEAD' }),
  apiKey: (hash: string): Key => ({ pk: `KEY#${hash}`, sk: 'KEY' }),
  accountKey: (owner: Owner, createdAt: Instant, keyId: string): Key => ({
    pk: `ACCOUNT#${scope(owner)}`,
    sk: `KEY#${padInstant(createdAt)}#${keyId}`,
  }),
  source: (addressHash: string, hour: number): Key => ({ pk: `SOURCE#${addressHash}#${hour}`, sk: 'SOURCE' }),
  /** @param nameHash keyed hash of what is counted: an invoice, or a payer's address */
  attempts: (nameHash: string, hour: number): Key => ({ pk: `ATTEMPTS#${nameHash}#${hour}`, sk: 'ATTEMPTS' }),
  record: (id: string): Key => ({ pk: id, sk: 'RECORD' }),
  /** @param dimension `''` for all records of the resource, else `#<dimension>#<keyed hash>` */
  indexPage: (owner: Owner, resource: Resource, dimension: string, page: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${dimension}`,
    sk: `PAGE#${pad(page, 10)}`,
  }),
  idempotency: (owner: Owner, keyHash: string): Key => ({
    pk: `IDEMPOTENCY#${scope(owner)}#${keyHash}`,
    sk: 'IDEMPOTENCY',
  }),
  outbox: (owner: Owner, instant: Instant, id: string): Key => ({
    pk: outboxPartition(shardOf(owner.account, outboxShards)),
    sk: `${padInstant(instant)}#${scope(owner)}#${id}`,
  }),
  event: (owner: Owner, position: number): Key => ({ pk: `EVENTS#${scope(owner)}`, sk: pad(position, 16) }),
  eventPointer: (id: string): Key => ({ pk: `EVENT#${id}`, sk: 'EVENT' }),
  /** @param name an endpoint's id, or the name of the item that counts them */
  webhook: (owner: Owner, name: string): Key => ({ pk: `WEBHOOKS#${scope(owner)}`, sk: name }),
  webhookHealth: (id: string): Key => ({ pk: `WEBHOOKHEALTH#${id}`, sk: 'HEALTH' }),
  delivery: (webhook: string, id: string): Key => ({ pk: `DELIVERIES#${webhook}`, sk: id }),
  eventCursor: (owner: Owner): Key => ({ pk: `EVENTCURSOR#${scope(owner)}`, sk: 'CURSOR' }),
  /**
   * A partition is an hour, so that a sweep reads one or two of them and one that has fallen behind catches up fast.
   * @param minute the minute under which it stands, which a lease moves on; `due` stays what it was
   */
  timer: (minute: number, due: Instant, kind: string, reference: string): Key => ({
    pk: timerPartition(minute, shardOf(reference, timerShards)),
    sk: `${padMinute(minute)}#${padInstant(due)}#${kind}#${reference}`,
  }),
  /** The books of the test provider, which no other part of the service reads. */
  testProvider: (key: string): Key => ({ pk: `TESTPROVIDER#${key}`, sk: 'TESTPROVIDER' }),
  watermark: { pk: 'SWEEP', sk: 'WATERMARK' } as Key,
  /** @param day such as `2027-01-31`; @param entry that it was begun, what was checked, or a difference */
  reconciliation: (day: string, entry: string): Key => ({ pk: `RECONCILIATION#${day}`, sk: entry }),
};

/** Of one of the `outboxShards`, from 0. */
export const outboxPartition = (shard: number): string => `OUTBOX#${pad(shard, 2)}`;
/** Of the hour that a minute (since 1970) is in, and one of the `timerShards`, from 0. */
export const timerPartition = (minute: number, shard: number): string =>
  `TIMER#${pad(Math.floor(minute / 60), 8)}#${shard}`;
/** Minutes since 1970 as they stand in sort keys. */
export const padMinute = (minute: number): string => pad(minute, 10);
