/** Tests how ids are created and checked. */
import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  base32,
  eventId,
  isAccountId,
  isOfSandbox,
  isRecordId,
  randomAccountId,
  randomWebhookId,
  recordId,
} from '../../shared/base/ids.ts';

const idKey = new Uint8Array(32).fill(7);
const scope = { account: 'acct_1', mode: 'test', resource: 'invoice' } as const;

test('base32 encodes the bits in groups of five, most significant bit first', () => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      const length = Math.floor((bytes.length * 8) / 5);
      const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
      const groups = bits.match(/.{5}/g) ?? [];
      expect(base32(bytes, length)).toBe(groups.map((group) => alphabet[Number.parseInt(group, 2)]).join(''));
    }),
  );
});

test('a record id never changes for the same number: it equals the HMAC computed here', () => {
  const digest = createHmac('sha256', idKey).update('v1:acct_1:test:invoice:1').digest();
  const id = recordId(idKey, scope, 1);
  expect(id).toBe(`inv_${base32(digest, 26)}`);
  expect(id).toMatch(/^inv_[0-9a-z]{26}$/);
  expect(isRecordId('invoice', id)).toBe(true);
});

test('another number, account, mode or id key gives another id', () => {
  const ids = [
    ...Array.from({ length: 2_000 }, (_, seq) => recordId(idKey, scope, seq + 1)),
    recordId(idKey, { ...scope, account: 'acct_2' }, 1),
    recordId(idKey, { ...scope, mode: 'live' }, 1),
    recordId(new Uint8Array(32).fill(8), scope, 1),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  '',
  'inv_',
  `inv_${'0'.repeat(25)}`,
  `inv_${'0'.repeat(27)}`,
  `inv_${'0'.repeat(25)}A`,
  `inv_${'0'.repeat(25)}l`,
  `inv_${'0'.repeat(26)}\n`,
  `pay_${'0'.repeat(26)}`,
  `INV_${'0'.repeat(26)}`,
  `inv_${'0'.repeat(25)}é`,
  '__proto__',
])('%j is not an invoice id', (text) => {
  expect(isRecordId('invoice', text)).toBe(false);
});

test('random ids have 80 random bits', () => {
  const ids = Array.from({ length: 5_000 }, () => randomAccountId());
  expect(new Set(ids).size).toBe(5_000);
  for (const id of ids) expect(id).toMatch(/^acct_[0-9a-hjkmnp-tv-z]{16}$/);
  expect(new Set(ids.map((id) => id.at(-1))).size).toBe(32);
});

test('ids of sandboxes and of what they contain begin with a letter that no other id has', () => {
  const account = randomAccountId('sandbox');
  expect(account).toMatch(/^acct_u[0-9a-hjkmnp-tv-z]{15}$/);
  expect(isAccountId(account)).toBe(true);
  const invoice = recordId(idKey, { ...scope, account }, 1);
  expect(invoice).toMatch(/^inv_u[0-9a-hjkmnp-tv-z]{25}$/);
  expect(isRecordId('invoice', invoice)).toBe(true);
  expect(randomWebhookId(account)).toMatch(/^wh_u[0-9a-hjkmnp-tv-z]{25}$/);
  expect(eventId(invoice, 1, 'invoice.created', 1)).toMatch(/^evt_u[0-9a-hjkmnp-tv-z]{25}$/);
  expect(isOfSandbox(invoice)).toBe(true);
  expect(isOfSandbox(recordId(idKey, scope, 1))).toBe(false);
});

test('an event always has the same id for one version of a record', () => {
  const at = Date.UTC(2027, 0, 31);
  const id = eventId('inv_1', 2, 'invoice.updated', at);
  expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
  expect(eventId('inv_1', 2, 'invoice.updated', at)).toBe(id);
  for (const other of [
    eventId('inv_1', 3, 'invoice.updated', at),
    eventId('inv_2', 2, 'invoice.updated', at),
    eventId('inv_1', 2, 'invoice.cancelled', at),
    eventId('inv_1', 2, 'invoice.updated', at + 1),
  ]) {
    expect(other).not.toBe(id);
  }
});
