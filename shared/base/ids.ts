/**
 * Creates and checks ids. An id is a prefix that names the resource, followed by lower-case base32 characters that
 * reveal nothing.
 *
 * - The ids of numbered records are computed from their sequence numbers, see `recordId`. So a list needs only numbers.
 * - The ids of events and deliveries are computed from what they belong to, so repeating the work creates no second
 *   one.
 * - The ids of API keys are computed from the hashes of the keys.
 * - All other ids are random.
 * - The ids of sandboxes, and of what they contain, begin with a letter that other ids do not have. So the role of the function that
 *   deletes sandboxes can name what it may delete.
 */
import { hash, randomBytes } from 'node:crypto';
import { hmacSha256 } from './hmac.ts';
import type { Instant } from './time.ts';

export const idPrefixes = {
  account: 'acct',
  key: 'key',
  invoice: 'inv',
  payment: 'pay',
  refund: 'ref',
  event: 'evt',
  webhook: 'wh',
  delivery: 'dlv',
  auditEntry: 'aud',
  checkout: 'co',
  customer: 'cust',
  draft: 'drft',
  document: 'doc',
  product: 'prod',
  mail: 'mail',
  statement: 'st',
  statementRow: 'row',
  schedule: 'sch',
  export: 'exp',
  claim: 'clm',
  file: 'file',
} as const;

export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];

/** The resources that have sequence numbers and index pages. */
export type Resource =
  | 'invoice'
  | 'payment'
  | 'refund'
  | 'customer'
  | 'product'
  | 'draft'
  | 'statement'
  | 'schedule'
  | 'export';

/** Crockford's alphabet. It contains no letter that people mistake for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Marks the ids of sandboxes and of what they contain. `alphabet` does not have it. */
export const sandboxMark = 'u';

/** Returns the first `length` base32 characters of `bytes`, 5 bits each. */
export function base32(bytes: Uint8Array, length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) {
    const bit = index * 5;
    const byte = bit >> 3;
    const window = ((bytes[byte] ?? 0) << 8) | (bytes[byte + 1] ?? 0);
    text += alphabet[(window >> (11 - (bit & 7))) & 31];
  }
  return text;
}

/** The resources whose ids have this form, with or without a sequence number. */
export type ResourceWithId =
  | Resource
  | 'webhook'
  | 'delivery'
  | 'event'
  | 'auditEntry'
  | 'key'
  | 'checkout'
  | 'document'
  | 'mail'
  | 'statementRow'
  | 'claim'
  | 'file';

const recordIdLength = 26;
const keyIdLength = 16;
/** The characters of `alphabet`, in ranges, and `sandboxMark`. Schemas of responses show it. */
const idCharacters = '[0-9a-hjkmnp-z]';
const recordIdPattern = new RegExp(`^[a-z]+_${idCharacters}{${recordIdLength}}$`);

/** Returns a pattern that only ids of these resources match. */
export function idPatternOf(...resources: readonly ResourceWithId[]): RegExp {
  const prefixes = resources.map((resource) => idPrefixes[resource]).join('|');
  const length = resources.includes('key') ? keyIdLength : recordIdLength;
  return new RegExp(`^${resources.length > 1 ? `(${prefixes})` : prefixes}_${idCharacters}{${length}}$`);
}

/**
 * Computes the id of a numbered record. Only the holder of `idKey` can compute ids. Nobody else can guess an id, or
 * tell from an id how many records exist.
 * @param scope the account, mode and resource within which the number is unique
 * @param seq the sequence number of the record, from 1
 */
export function recordId(
  idKey: Uint8Array,
  scope: { account: string; mode: Mode; resource: Resource },
  seq: number,
): string {
  const digest = hmacSha256(idKey, `v1:${scope.account}:${scope.mode}:${scope.resource}:${seq}`);
  return `${idPrefixes[scope.resource]}_${withMark(scope.account, digest)}`;
}

/** Returns the characters of an id. Those of something in a sandbox begin with the mark. @param container the id of what contains it */
function withMark(container: string, bytes: Uint8Array): string {
  const mark = isOfSandbox(container) ? sandboxMark : '';
  return `${mark}${base32(bytes, recordIdLength - mark.length)}`;
}

/** Whether an id is that of a sandbox, or of something that a sandbox contains. */
export function isOfSandbox(id: string): boolean {
  return id[id.indexOf('_') + 1] === sandboxMark;
}

/** Whether `id` has the form of an id of this resource. Other ids need no lookup. */
export function isRecordId(resource: ResourceWithId, id: string): boolean {
  return id.startsWith(`${idPrefixes[resource]}_`) && recordIdPattern.test(id);
}

/**
 * Creates a random account id of 16 characters: 80 bits, or 75 for a sandbox. The caller writes its item only if the id is not
 * taken.
 */
export function randomAccountId(kind?: 'sandbox'): string {
  const mark = kind === 'sandbox' ? sandboxMark : '';
  return `${idPrefixes.account}_${mark}${base32(randomBytes(10), 16 - mark.length)}`;
}

/** What the ids of accounts of the canary begin with. A random account id begins so once in 10^9. */
const canaryAccountStart = `${idPrefixes.account}_canary`;

/** Creates the id of an account that the canary uses. */
export function randomCanaryAccountId(): string {
  return `${canaryAccountStart}${base32(randomBytes(7), 10)}`;
}

/** Whether it is the id of an account that the canary uses. */
export function isCanaryAccount(account: string): boolean {
  return account.startsWith(canaryAccountStart);
}

/** The pattern of the ids of accounts. */
export const accountIdPattern = new RegExp(`^${idPrefixes.account}_${idCharacters}{16}$`);

/** Whether a text has the form of an account id. Other texts need no lookup. */
export function isAccountId(text: string): boolean {
  return accountIdPattern.test(text);
}

/**
 * Computes the id of an API key from its hash, so a request can name its key in the log without a read. The hash is that
 * of 160 random bits, so the id reveals nothing about the value.
 * @param keyHash SHA-256 of the key, base64url
 */
export function keyIdOf(keyHash: string): string {
  return `${idPrefixes.key}_${base32(Buffer.from(keyHash, 'base64url'), keyIdLength)}`;
}

/** Creates the id of a new webhook endpoint of an account: at least 125 random bits, so nobody can guess it. */
export function randomWebhookId(account: string): string {
  return `${idPrefixes.webhook}_${withMark(account, randomBytes(17))}`;
}

/**
 * Creates the id of a new mail of an account. Ids of an account sort by time. Its end, of at least 75 random bits, makes it unique.
 * @param at milliseconds since 1970
 */
export function newMailId(account: string, at: Instant): string {
  const start = `${isOfSandbox(account) ? sandboxMark : ''}${timePart(at)}`;
  return `${idPrefixes.mail}_${start}${base32(randomBytes(10), recordIdLength - start.length)}`;
}

/**
 * Computes the id of the mail of a notice. The same change and reader always give the same id. Ids of an account sort by time.
 * @param name names the change and the reader
 * @param at milliseconds since 1970
 */
export function noticeId(account: string, name: string, at: Instant): string {
  const digest = hash('sha256', `notice:${account}:${name}`, 'buffer');
  const start = `${isOfSandbox(account) ? sandboxMark : ''}${timePart(at)}`;
  return `${idPrefixes.mail}_${start}${base32(digest, recordIdLength - start.length)}`;
}

/** Creates the id of a new checkout: 130 random bits, so nobody can guess it. */
export function randomCheckoutId(): string {
  return `${idPrefixes.checkout}_${base32(randomBytes(17), recordIdLength)}`;
}

/** Creates the random id of a claim of a payer. */
export const randomClaimId = (): string => `${idPrefixes.claim}_${randomAttempt()}`;

/** Creates the id of a new file that a client uploads: 130 random bits, so nobody can guess it. */
export const randomFileId = (): string => `${idPrefixes.file}_${randomAttempt()}`;

/**
 * Computes the id of the delivery of an event to a webhook endpoint. The same event and endpoint always give the same
 * id, so creating a delivery twice makes one delivery. Ids sort by the time of the event.
 * @param at the event's time, in milliseconds since 1970
 */
export function deliveryId(webhook: string, event: string, at: number): string {
  const digest = hash('sha256', `${webhook}:${event}`, 'buffer');
  return `${idPrefixes.delivery}_${timePart(at)}${base32(digest, recordIdLength - timePartLength)}`;
}

/**
 * Computes the id of the document that an event causes. The same event always gives the same id, so issuing a document twice makes one.
 * Ids of an account sort by time. Those of a sandbox begin with the mark, so the events of its documents have it, too.
 * @param at the event's time, in milliseconds since 1970
 */
export function documentId(event: string, at: Instant): string {
  const digest = hash('sha256', `document:${event}`, 'buffer');
  const start = `${isOfSandbox(event) ? sandboxMark : ''}${timePart(at)}`;
  return `${idPrefixes.document}_${start}${base32(digest, recordIdLength - start.length)}`;
}

/**
 * Returns the start of the smallest possible id of deliveries whose events happened at `at` or later.
 * @param at milliseconds since 1970
 */
export function firstDeliveryId(at: number): string {
  return `${idPrefixes.delivery}_${timePart(at)}`;
}

/**
 * Returns the start of the smallest possible id of documents of an account whose events happened at `at` or later. Of a sandbox, it is
 * that of all documents.
 * @param at milliseconds since 1970
 */
export function firstDocumentId(account: string, at: Instant): string {
  return `${idPrefixes.document}_${isOfSandbox(account) ? '' : timePart(at)}`;
}

/**
 * Computes the id of an audit entry. The same operation always gives the same id, so recording it twice makes one entry.
 * Ids sort by time.
 * @param operation names the operation
 * @param at the time of the operation, in milliseconds since 1970
 */
export function auditEntryId(operation: string, at: Instant): string {
  const digest = hash('sha256', operation, 'buffer');
  return `${idPrefixes.auditEntry}_${timePart(at)}${base32(digest, recordIdLength - timePartLength)}`;
}

/**
 * Computes the id of a row of bank statements. Ids sort by day.
 * @param day the first millisecond of the day in UTC
 * @param digest a keyed hash of what identifies the row
 */
export function statementRowId(day: Instant, digest: string): string {
  const bytes = hash('sha256', digest, 'buffer');
  return `${statementRowIdPrefix(day)}${base32(bytes, recordIdLength - timePartLength)}`;
}

/** Returns what the ids of rows of bank statements of a day begin with. */
export function statementRowIdPrefix(day: Instant): string {
  return `${idPrefixes.statementRow}_${timePart(day)}`;
}

/** Returns what the ids of audit entries from `at` on do not come before. */
export function auditEntryIdPrefix(at: Instant): string {
  return `${idPrefixes.auditEntry}_${timePart(at)}`;
}

/** Returns the time in the id of an audit entry, in milliseconds since 1970. */
export function timeOfAuditEntry(id: string): Instant {
  const start = id.indexOf('_') + 1;
  const digits = [...id.slice(start, start + timePartLength)];
  return digits.reduce((time, digit) => time * 32 + alphabet.indexOf(digit), 0);
}

/** Returns the first millisecond of the day in the id of a row of bank statements, in UTC. */
export const dayOfStatementRow = (id: string): Instant => timeOfAuditEntry(id);

/** 10 characters encode 50 bits: the time, shifted to the top of a 64-bit number. */
const timePartLength = 10;

function timePart(at: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(at) << 14n);
  return base32(bytes, timePartLength);
}

/** Creates a name for one attempt to pay: 26 characters that nobody can guess. */
export function randomAttempt(): string {
  return base32(randomBytes(17), 26);
}

/** An account in one mode. All data belongs to one owner. */
export interface Owner {
  readonly account: string;
  readonly mode: Mode;
}

/**
 * Computes the id of the event that announces one version of a record. Relaying a change again gives the same id. A
 * restore from a backup can produce the same version a second time. Its time differs, and so does its event id.
 * @param at when the version was written, in milliseconds since 1970
 */
export function eventId(record: string, version: number, type: string, at: Instant): string {
  const digest = hash('sha256', `${record}:${version}:${type}:${at}`, 'buffer');
  return `${idPrefixes.event}_${withMark(record, digest)}`;
}
