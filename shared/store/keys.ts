/**
 * Defines every partition key and sort key of the table.
 *
 * - Numbers are zero-padded to a fixed width, so they sort as numbers.
 * - Keys contain no personal data. A value that could be personal data is replaced by its keyed hash.
 */
import { hash } from 'node:crypto';
import { isOfSandbox, type Owner, type Resource, sandboxMark } from '../base/ids.ts';
import type { Instant } from '../base/time.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An API key, by the SHA-256 of its value (base64url). */
export interface KeyOwner {
  readonly owner: Owner;
  readonly keyHash: string;
}

/** Numbers per index page. */
export const pageSize = 256;
/** Index pages per volume. */
export const pagesPerVolume = 64;
/** Numbers per volume. */
export const volumeSize: number = pageSize * pagesPerVolume;
const outboxShards = 32;
/** How many partitions each hour of the timers has. */
export const timerShards = 32;

const scope = ({ account, mode }: Owner) => `${account}#${mode}`;
const pad = (value: number, width: number) => String(value).padStart(width, '0');
const shardOf = (text: string, shards: number) => (hash('sha256', text, 'buffer')[0] ?? 0) % shards;

/** The month (UTC) of an instant, for example `2027-01`. */
const monthOf = (instant: Instant) => new Date(instant).toISOString().slice(0, 7);

/** An instant in milliseconds, as sort keys contain it. 15 digits suffice beyond the year 9999. */
export const padInstant = (instant: Instant): string => pad(instant, 15);

export const tableKeys = {
  account: (account: string): Key => ({ pk: `ACCOUNT#${account}`, sk: 'PROFILE' }),
  /** The seller profile of an account, for both modes. Its partition is its own, so IAM can tell a write of it from that of an account. */
  seller: (account: string): Key => ({ pk: `SELLER#${account}`, sk: 'SELLER' }),
  accountDirectory: (createdAt: Instant, account: string): Key => ({
    pk: 'ACCOUNTS',
    sk: `${padInstant(createdAt)}#${account}`,
  }),
  /** Names a sandbox in the order of the ends. The item says how far its deletion is. `accountDirectory` names all other accounts. */
  sandbox: (until: Instant, account: string): Key => ({
    pk: 'SANDBOXES',
    sk: `${padInstant(until)}#${account}`,
  }),
  /** Lists what must follow from the deletion of a record of a sandbox. @param id the id of the deleted record */
  deletedRecord: (account: string, id: string): Key => ({ pk: `SANDBOX#${account}`, sk: id }),
  accountState: (owner: Owner): Key => ({ pk: `ACCOUNT#${scope(owner)}`, sk: 'STATE' }),
  /** An API key's own item: what the key allows. */
  apiKey: ({ owner, keyHash }: KeyOwner): Key => ({ pk: `KEY#${scope(owner)}#${keyHash}`, sk: 'KEY' }),
  /** An API key in the list of its account. The hash is part of the key, so no update can change it. */
  accountKey: (owner: Owner, createdAt: Instant, keyHash: string): Key => ({
    pk: `ACCOUNT#${scope(owner)}`,
    sk: `KEY#${padInstant(createdAt)}#${keyHash}`,
  }),
  /** The version of the list of API keys. Each new key raises it. */
  accountKeys: (owner: Owner): Key => ({ pk: `ACCOUNT#${scope(owner)}`, sk: 'KEYS' }),
  source: (addressHash: string, hour: number): Key => ({ pk: `SOURCE#${addressHash}#${hour}`, sk: 'SOURCE' }),
  /** @param nameHash keyed hash of the invoice or of the payer's address whose attempts are counted */
  attempts: (nameHash: string, hour: number): Key => ({ pk: `ATTEMPTS#${nameHash}#${hour}`, sk: 'ATTEMPTS' }),
  record: (id: string): Key => ({ pk: id, sk: 'RECORD' }),
  /** @param filterKey `''` for the list of all records, otherwise `#<filter>#<value or keyed hash>` */
  indexPage: (owner: Owner, resource: Resource, filterKey: string, page: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${filterKey}`,
    sk: `PAGE#${pad(page, 10)}`,
  }),
  /**
   * The statuses of the numbers of a volume. These items follow all pages of their list, so one query reads both.
   * @param filterKey as of an index page
   */
  volume: (owner: Owner, resource: Resource, filterKey: string, volume: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${filterKey}`,
    sk: `VOLUME#${pad(volume, 10)}`,
  }),
  /** How many numbers of each volume have each status. These items follow all volumes of their list. */
  volumeTotals: (owner: Owner, resource: Resource, filterKey: string, item: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${filterKey}`,
    sk: `VOLUMES#${pad(item, 10)}`,
  }),
  /** The currencies of the numbers of a volume. */
  volumeCurrencies: (owner: Owner, resource: Resource, filterKey: string, volume: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${filterKey}`,
    sk: `CURRENCIES#${pad(volume, 10)}`,
  }),
  /** The creation times in a volume. */
  volumeTimes: (owner: Owner, resource: Resource, filterKey: string, volume: number): Key => ({
    pk: `INDEX#${scope(owner)}#${resource}${filterKey}`,
    sk: `CREATED#${pad(volume, 10)}`,
  }),
  /** Names the volumes of a list that are to be folded. */
  foldRequest: (owner: Owner, resource: Resource, filterKey: string): Key => ({
    pk: 'FOLDS',
    sk: `${scope(owner)}#${resource}${filterKey}`,
  }),
  /** Says which invoice has a reference of the client. @param hash keyed hash of the reference */
  invoiceReference: (owner: Owner, hash: string): Key => ({
    pk: `INVOICEREFERENCE#${scope(owner)}#${hash}`,
    sk: 'REFERENCE',
  }),
  /** Says which payment has a bank reference. @param hash keyed hash of the bank and the reference */
  bankReference: (owner: Owner, hash: string): Key => ({
    pk: `BANKREFERENCE#${scope(owner)}#${hash}`,
    sk: 'REFERENCE',
  }),
  /** A part of the rows of a bank statement. A query of the partition gets them with the record. @param part from 1 */
  statementRows: (statement: string, part: number): Key => ({
    pk: statement,
    sk: `ROWS#${pad(part, 4)}`,
  }),
  /**
   * Names a payment with credit of a customer. Those of a customer and currency are in the order of their creation.
   * @param customer the filter key of the customer's lists
   */
  credit: (owner: Owner, customer: string, currency: string, at: Instant, payment: string): Key => ({
    pk: `CREDITS#${scope(owner)}`,
    sk: `${customer}#${currency}#${padInstant(at)}#${payment}`,
  }),
  /** The invoice that a schedule makes. A read of it and of the record gets both. */
  scheduleTemplate: (schedule: string): Key => ({ pk: schedule, sk: 'TEMPLATE' }),
  /** What came of a time of a schedule. @param number from 1 */
  occurrence: (schedule: string, number: number): Key => ({
    pk: schedule,
    sk: `OCCURRENCE#${pad(number, 6)}`,
  }),
  /** Says which statement has these rows. @param hash keyed hash of the ids of the rows */
  statementContent: (owner: Owner, hash: string): Key => ({
    pk: `STATEMENTS#${scope(owner)}`,
    sk: `CONTENT#${hash}`,
  }),
  /** One of the places of the exports that run at the same time. */
  exportSlot: (owner: Owner, slot: number): Key => ({ pk: `EXPORTS#${scope(owner)}`, sk: `SLOT#${slot}` }),
  /** What came of a row of bank statements. The ids of rows sort by day. */
  rowUse: (owner: Owner, row: string): Key => ({ pk: `STATEMENTS#${scope(owner)}`, sk: row }),
  /** Says that a row of bank statements waits for a person. */
  waitingRow: (owner: Owner, row: string): Key => ({
    pk: `STATEMENTS#${scope(owner)}`,
    sk: `WAITING#${row}`,
  }),
  /**
   * Says that a record has a term by which people search. The records of a term are in the order of their creation.
   * @param hash keyed hash of the term
   * @param at when the record was created
   */
  searchEntry: (owner: Owner, hash: string, at: Instant, id: string): Key => ({
    pk: `SEARCH#${scope(owner)}#${hash}`,
    sk: `${padInstant(at)}#${id}`,
  }),
  /** The number of an invoice, and the documents of it. A query from it to the record of the invoice reads both. */
  invoiceNumber: (invoice: string): Key => ({ pk: invoice, sk: 'NUMBER' }),
  /** The last number of a series. @param prefix what its numbers begin with */
  series: (owner: Owner, kind: string, prefix: string): Key => ({
    pk: `SERIES#${scope(owner)}`,
    sk: `${kind}#${prefix}`,
  }),
  /** A document. Ids sort by time. */
  document: (owner: Owner, id: string): Key => ({ pk: `DOCUMENTS#${scope(owner)}`, sk: id }),
  /** A mail. Ids sort by time. */
  mail: (owner: Owner, id: string): Key => ({ pk: `MAILS#${scope(owner)}`, sk: id }),
  /** What is known of an address to which mails go. @param hash keyed hash of the address */
  mailAddress: (owner: Owner, hash: string): Key => ({ pk: `MAILADDRESSES#${scope(owner)}`, sk: hash }),
  /** Why no mail goes to an address any more. It is beside the item of the address. */
  mailSuppression: (owner: Owner, hash: string): Key => ({
    pk: `MAILADDRESSES#${scope(owner)}`,
    sk: `SUPPRESSION#${hash}`,
  }),
  /** Names the mail of a step of an invoice. @param step is unique within the invoice */
  invoiceMail: (invoice: string, step: string): Key => ({ pk: `MAIL#${invoice}`, sk: step }),
  idempotency: (owner: Owner, keyHash: string): Key => ({
    pk: `IDEMPOTENCY#${scope(owner)}#${keyHash}`,
    sk: 'IDEMPOTENCY',
  }),
  outbox: (owner: Owner, instant: Instant, id: string): Key => ({
    pk: outboxPartitionOf(owner.account),
    sk: `${padInstant(instant)}#${id}`,
  }),
  event: (owner: Owner, position: number): Key => ({ pk: `EVENTS#${scope(owner)}`, sk: pad(position, 16) }),
  /** An entry of the journal, under the position of its event. */
  journalEntry: (owner: Owner, position: number): Key => ({
    pk: `JOURNAL#${scope(owner)}`,
    sk: pad(position, 16),
  }),
  /** The sums of a day. @param day `YYYY-MM-DD` */
  daySums: (owner: Owner, generation: number, day: string): Key => ({
    pk: `SUMS#${scope(owner)}`,
    sk: `${pad(generation, 4)}#${day}`,
  }),
  /** A part of the sums that a comparison of the journal has computed so far. @param id random */
  journalFold: (owner: Owner, id: string, part: number): Key => ({
    pk: `SUMS#${scope(owner)}`,
    sk: `FOLD#${id}#${pad(part, 4)}`,
  }),
  eventPointer: (id: string): Key => ({ pk: `EVENT#${id}`, sk: 'EVENT' }),
  /** @param name the id of an endpoint, or the name of the item that counts the endpoints */
  webhook: (owner: Owner, name: string): Key => ({ pk: `WEBHOOKS#${scope(owner)}`, sk: name }),
  /** The sends to endpoints of an account and mode for which a client waits. */
  webhookSends: (owner: Owner): Key => ({ pk: `WEBHOOKSENDS#${scope(owner)}`, sk: 'SENDS' }),
  webhookHealth: (id: string): Key => ({ pk: `WEBHOOKHEALTH#${id}`, sk: 'HEALTH' }),
  delivery: (webhook: string, id: string): Key => ({ pk: `DELIVERIES#${webhook}`, sk: id }),
  eventCursor: (owner: Owner): Key => ({ pk: `EVENTCURSOR#${scope(owner)}`, sk: 'CURSOR' }),
  /**
   * A partition holds one hour of a shard. So a sweep reads one or two partitions of each shard, and a late sweep catches
   * up fast.
   * @param minute the minute under which the timer is stored. A lease moves the timer to a later minute and leaves
   *   `due`.
   */
  timer: (minute: number, due: Instant, kind: string, reference: string): Key => ({
    pk: timerPartition(minute, shardOf(reference, timerShards)),
    sk: `${padMinute(minute)}#${padInstant(due)}#${kind}#${reference}`,
  }),
  /** The connection of an account and mode to a hosted provider, with the encrypted credentials. */
  connection: (owner: Owner, provider: string): Key => ({ pk: `PROVIDER#${scope(owner)}`, sk: provider }),
  /** Names the payment or the refund that has a reference at a provider. The kind is in the key, because the two can be equal. */
  providerReference: (
    owner: Owner,
    provider: string,
    resource: 'payment' | 'refund',
    reference: string,
  ): Key => ({
    pk: `PROVIDERREFERENCE#${provider}#${scope(owner)}#${resource}#${reference}`,
    sk: 'REFERENCE',
  }),
  /** The operations of the test provider. No other part of the service reads them. */
  testProvider: (key: string): Key => ({ pk: `TESTPROVIDER#${key}`, sk: 'TESTPROVIDER' }),
  /**
   * @param where the account and mode that the operation was about, or `deployment`
   * @param id the id of the entry, which begins with the time
   */
  auditEntry: (where: Owner | 'deployment', at: Instant, id: string): Key => ({
    pk: `AUDIT#${where === 'deployment' ? where : scope(where)}#${monthOf(at)}`,
    sk: id,
  }),
  /** The last number of an audit log. @param where as of an entry */
  auditHead: (where: Owner | 'deployment'): Key => ({
    pk: `AUDITHEAD#${where === 'deployment' ? where : scope(where)}`,
    sk: 'HEAD',
  }),
  /** An erasure that has begun and is not complete. @param customer the filter key of the customer's lists */
  erasure: (owner: Owner, customer: string): Key => ({ pk: `ERASURE#${scope(owner)}`, sk: customer }),
  session: (hash: string): Key => ({ pk: `SESSION#${hash}`, sk: 'SESSION' }),
  userSession: (user: string, hash: string): Key => ({ pk: `USERSESSIONS#${user}`, sk: hash }),
  /** An account that a user is a member of. Sandboxes have a partition of their own. */
  userAccount: (user: string, account: string): Key => ({
    pk: `USERACCOUNTS#${user}${isOfSandbox(account) ? '#SANDBOXES' : ''}`,
    sk: account,
  }),
  /** All members and open invitations of an account. */
  members: (account: string): Key => ({ pk: `MEMBERS#${account}`, sk: 'MEMBERS' }),
  /** A public key that verifies sessions and members. */
  signingKey: (id: string): Key => ({ pk: 'SIGNINGKEYS', sk: id }),
  /** Work that cannot be read. */
  setAside: (id: string): Key => ({ pk: 'SETASIDE', sk: id }),
  watermark: { pk: 'SWEEP', sk: 'WATERMARK' } as Key,
  /** Exists during maintenance. Only commands read and write it. */
  maintenance: { pk: 'MAINTENANCE', sk: 'MAINTENANCE' } as Key,
  /**
   * @param day for example `2027-01-31`
   * @param entry names the start of the reconciliation, a checked part or a difference
   */
  reconciliation: (day: string, entry: string): Key => ({ pk: `RECONCILIATION#${day}`, sk: entry }),
  /** What the reconciliation remembers of the records of an index page. */
  digest: (owner: Owner, resource: Resource, page: number): Key => ({
    pk: `DIGEST#${scope(owner)}#${resource}`,
    sk: `PAGE#${pad(page, 10)}`,
  }),
  /** The day of the last reconciliation that compared all records. */
  fullReconciliation: (owner: Owner): Key => ({ pk: `DIGEST#${scope(owner)}`, sk: 'FULL' }),
};

/** Returns the hash of an API key in the sort key of its item in the list of its account. */
export const keyHashOf = (sk: unknown): string => String(sk).split('#')[2] ?? '';
/** Returns the page number in the sort key of an index page or a digest. */
export const pageNumberOf = (sk: unknown): number => Number(String(sk).slice('PAGE#'.length));
/** Returns the number in the sort key of an item of a volume. */
export const volumeNumberOf = (sk: unknown): number => Number(String(sk).split('#')[1]);
/** Whether a sort key is that of the statuses of a volume. */
export const isVolumeKey = (sk: unknown): boolean => String(sk).startsWith('VOLUME#');
/** Whether a sort key is that of totals of volumes. */
export const isTotalsKey = (sk: unknown): boolean => String(sk).startsWith('VOLUMES#');
const outboxPartition = (shard: number) => `OUTBOX#${pad(shard, 2)}`;
/** All sandboxes share a partition. So the function that deletes them cannot write an item that names another account. */
const sandboxOutbox = `OUTBOX#${sandboxMark}`;
/** The partition keys of the outbox. */
export const outboxPartitions: readonly string[] = [
  ...Array.from({ length: outboxShards }, (_, shard) => outboxPartition(shard)),
  sandboxOutbox,
];
/** Returns the partition key of the outbox items of an account. */
export const outboxPartitionOf = (account: string): string =>
  isOfSandbox(account) ? sandboxOutbox : outboxPartition(shardOf(account, outboxShards));
/** The partition key of the hour that contains `minute` (since 1970), in timer shard `shard`, from 0. */
export const timerPartition = (minute: number, shard: number): string =>
  `TIMER#${pad(Math.floor(minute / 60), 8)}#${pad(shard, 2)}`;
/** Minutes since 1970, as sort keys contain them. */
export const padMinute = (minute: number): string => pad(minute, 10);
