/**
 * The shape of every id: a prefix that tells the resource, and lower-case base32 that tells nothing.
 * Records' ids are computed from their number (see `recordId`); all others are random.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
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
} as const;

export const modes = ['test', 'live'] as const;
export type Mode = (typeof modes)[number];

/** The resources that are numbered and listed by index pages. */
export type Resource = 'invoice' | 'payment' | 'refund';

/** Crockford's alphabet: no letter that is mistaken for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The first `length` base32 characters (5 bits each) of `bytes`. */
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

const recordIdLength = 26;
const recordIdPattern = new RegExp(`^[a-z]+_[${alphabet}]{${recordIdLength}}$`);

/**
 * The id of a numbered record: whoever has `idKey` can compute the id of any number, and nobody else can guess
 * an id or read a volume from it.
 * @param scope `account`, `mode` and `resource` that the number counts in
 * @param seq the record's number, from 1
 */
export function recordId(
  idKey: Uint8Array,
  scope: { account: string; mode: Mode; resource: Resource },
  seq: number,
): string {
  const digest = createHmac('sha256', idKey)
    .update(`v1:${scope.account}:${scope.mode}:${scope.resource}:${seq}`)
    .digest();
  return `${idPrefixes[scope.resource]}_${base32(digest, recordIdLength)}`;
}

/** Whether `id` has the form of a record's id of this resource; what has not need not be looked up. */
export function isRecordId(resource: Resource | 'webhook' | 'delivery' | 'event', id: string): boolean {
  return id.startsWith(`${idPrefixes[resource]}_`) && recordIdPattern.test(id);
}

/** A random id: 16 characters (80 bits), enough where its creation is conditional on absence. */
export function randomId(kind: 'account' | 'key'): string {
  return `${idPrefixes[kind]}_${base32(randomBytes(10), 16)}`;
}

/** The id of a new webhook endpoint: 130 bits that nobody guesses. */
export function randomWebhookId(): string {
  return `${idPrefixes.webhook}_${base32(randomBytes(17), recordIdLength)}`;
}

/**
 * The id of the delivery of an event to a webhook endpoint: the same however often it is made, and sorted by the time
 * of the event.
 * @param at the event's time, in milliseconds since 1970
 */
export function deliveryId(webhook: string, event: string, at: number): string {
  const hash = createHash('sha256').update(`${webhook}:${event}`).digest();
  return `${idPrefixes.delivery}_${timePart(at)}${base32(hash, recordIdLength - timePartLength)}`;
}

/** The smallest id of a delivery of an event at that time or later. */
export function firstDeliveryId(at: number): string {
  return `${idPrefixes.delivery}_${timePart(at)}`;
}

/** 10 characters hold 50 bits, which stand at the top of 64. */
const timePartLength = 10;

function timePart(at: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(at) << 14n);
  return base32(bytes, timePartLength);
}

/** A name for one attempt to pay: 26 characters, which nobody guesses. */
export function randomAttempt(): string {
  return base32(randomBytes(17), 26);
}

/** An account in one mode: the scope of all data. */
export interface Owner {
  readonly account: string;
  readonly mode: Mode;
}

/**
 * The id of the event that announces version `version` of a record, and when: the same however often it is published,
 * and another one if a version comes again, as after a restore.
 */
export function eventId(record: string, version: number, type: string, at: Instant): string {
  const digest = createHash('sha256').update(`${record}:${version}:${type}:${at}`).digest();
  return `${idPrefixes.event}_${base32(digest, recordIdLength)}`;
}
