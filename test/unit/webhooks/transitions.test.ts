/** Which state of a webhook endpoint may follow which, and how many there may be. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/errors.ts';
import type { Registry } from '../../../shared/webhooks/record.ts';
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  rotateSecret,
  updateWebhook,
} from '../../../shared/webhooks/transitions.ts';
import { disabledReasons, type Webhook, webhookStatuses } from '../../../shared/webhooks/webhook.ts';

const now = Date.UTC(2026, 10, 21);
const later = now + 1000;
const hour = 3_600_000;
const place = { account: 'acct_0000000000000000', mode: 'test', id: `wh_${'0'.repeat(26)}` } as const;
const body = { url: 'https://example.com/hooks', events: ['*' as const] };
const sealed = (name: string) => ({ ciphertext: `1:${name}` });
const [firstCount, created] = createWebhook(place, undefined, body, sealed('first'), now);
const webhook = created.record;
const disabled = (disabledReason: (typeof disabledReasons)[number]): Webhook => ({
  ...{ ...webhook, status: 'disabled', disabledReason },
});

test('a new endpoint is enabled, without description unless it has one, and counted', () => {
  expect(webhook).toEqual({
    ...{
      ...place,
      ...body,
      version: 1,
      number: 1,
      description: null,
      status: 'enabled',
      disabledReason: null,
    },
    ...{ secrets: [sealed('first')], createdAt: now, updatedAt: now },
  });
  expect(firstCount.record).toMatchObject({ count: 1, version: 1, account: place.account, mode: 'test' });
});

test('the twentieth is created, the next one is refused, until one is deleted; numbers always rise', () => {
  let registry: Registry | undefined;
  let last = 0;
  const create = () => {
    const [counted, { record }] = createWebhook(place, registry, body, sealed('x'), now);
    expect(record.number).toBeGreaterThan(last);
    last = record.number;
    registry = counted.record;
    return registry.count;
  };
  for (let count = 1; count <= 20; count++) expect(create()).toBe(count);
  expect(create).toThrow(new ApiError('webhook_limit_reached'));
  const [fewer, gone] = deleteWebhook(registry, webhook);
  expect([fewer.record.count, gone.gone]).toEqual([19, true]);
  registry = fewer.record;
  expect(create()).toBe(20);
});

test('after any creations and deletions the count is what is there, never above 20 or below 0', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (steps) => {
      let registry: Registry | undefined;
      let there = 0;
      for (const creates of steps) {
        if (!creates && there === 0) continue;
        try {
          [{ record: registry }] = creates
            ? createWebhook(place, registry, body, sealed('x'), now)
            : deleteWebhook(registry, webhook);
          there += creates ? 1 : -1;
        } catch (error) {
          expect([there, (error as ApiError).code]).toEqual([20, 'webhook_limit_reached']);
        }
        expect(registry?.count).toBe(there);
      }
    }),
  );
});

describe('update', () => {
  test.each([
    {},
    { url: webhook.url },
    { events: ['*' as const] },
    { description: null },
    { status: 'enabled' as const },
    { url: webhook.url, events: ['*' as const], description: null, status: 'enabled' as const },
  ])('%j changes nothing', (same) => {
    expect(updateWebhook(webhook, same, later)).toBeUndefined();
  });

  test.each([
    { url: 'https://example.com/other' },
    { events: ['invoice.paid' as const] },
    { description: 'Shop' },
  ])('%j sets that and nothing else', (fields) => {
    expect(updateWebhook(webhook, fields, later)?.record).toEqual({
      ...{ ...webhook, ...fields, version: 2, updatedAt: later },
    });
  });

  test('another order of the same kinds is a change', () => {
    const both = { ...webhook, events: ['invoice.paid', 'invoice.created'] as const };
    expect(
      updateWebhook(both, { events: ['invoice.created', 'invoice.paid'] }, later)?.record.events,
    ).toEqual(['invoice.created', 'invoice.paid']);
  });

  test('disabled by its owner the reason is manual; enabled again there is none', () => {
    const off = updateWebhook(webhook, { status: 'disabled' }, later)?.record as Webhook;
    expect([off.status, off.disabledReason]).toEqual(['disabled', 'manual']);
    for (const reason of disabledReasons) {
      const on = updateWebhook(disabled(reason), { status: 'enabled' }, later)?.record;
      expect([on?.status, on?.disabledReason]).toEqual(['enabled', null]);
      expect(updateWebhook(disabled(reason), { status: 'disabled' }, later)).toBeUndefined();
      expect(updateWebhook(disabled(reason), { description: 'x' }, later)?.record.disabledReason).toBe(
        reason,
      );
    }
  });

  test('updatedAt always rises, also by a clock that stands still or goes back', () => {
    for (const at of [now, now - hour]) {
      expect(updateWebhook(webhook, { description: 'x' }, at)?.record.updatedAt).toBe(now + 1);
    }
  });
});

test.each(['gone', 'failing'] as const)('given up as %s; whoever is disabled stays as it is', (reason) => {
  expect(disableWebhook(webhook, reason, later)?.record).toEqual({
    ...{ ...webhook, status: 'disabled', disabledReason: reason, version: 2, updatedAt: later },
  });
  for (const before of disabledReasons)
    expect(disableWebhook(disabled(before), reason, later)).toBeUndefined();
});

describe('rotation', () => {
  const rotated = (from: Webhook, name: string, overlapMs: number, at = later) =>
    rotateSecret(from, sealed(name), at + overlapMs, at).record;
  const namesOf = ({ secrets }: Webhook) => secrets.map(({ ciphertext }) => ciphertext.slice(2));

  test('the new secret comes first, the old one stays until the overlap is over', () => {
    expect(rotated(webhook, 'second', 24 * hour)).toEqual({
      ...{ ...webhook, version: 2, updatedAt: later },
      secrets: [sealed('second'), { ...sealed('first'), until: later + 24 * hour }],
    });
  });

  test('without overlap the old ones are gone at once', () => {
    const twice = rotated(rotated(webhook, 'second', 24 * hour), 'third', 0);
    expect(twice.secrets).toEqual([sealed('third')]);
  });

  test('a later rotation neither shortens nor lengthens the time of an older secret, unless it ends them all', () => {
    const overlap = fc.integer({ min: 0, max: 168 });
    fc.assert(
      fc.property(fc.array(fc.tuple(overlap, overlap), { maxLength: 8 }), (steps) => {
        let at = now;
        let current = webhook;
        for (const [index, [wait, hours]] of steps.entries()) {
          at += wait * hour;
          const before = new Map(current.secrets.map(({ ciphertext, until }) => [ciphertext, until]));
          const signing = current.secrets.filter(({ until = Number.POSITIVE_INFINITY }) => until > at);
          if (hours > 0 && signing.length === 5) {
            expect(() => rotated(current, String(index), hours * hour, at)).toThrow();
            continue;
          }
          current = rotated(current, String(index), hours * hour, at);
          const [present, ...old] = current.secrets;
          expect(old).toHaveLength(hours === 0 ? 0 : signing.length);
          expect(present).toEqual(sealed(String(index)));
          for (const { ciphertext, until = 0 } of old) {
            expect(until).toBeGreaterThan(at);
            expect(until).toBe(before.get(ciphertext) ?? at + hours * hour);
          }
        }
      }),
    );
  });

  test('five secrets sign at most: one more is refused, unless it ends those before it', () => {
    let current = webhook;
    for (const name of ['2', '3', '4', '5']) current = rotated(current, name, 168 * hour);
    for (const overlap of [1, hour, 168 * hour]) {
      expect(() => rotated(current, '6', overlap)).toThrow(new ApiError('secret_limit_reached'));
    }
    expect(namesOf(current)).toEqual(['5', '4', '3', '2', 'first']);
    expect(namesOf(rotated(current, '6', 0))).toEqual(['6']);
    expect(namesOf(rotated(current, '6', hour, later + 168 * hour))).toEqual(['6', '5']);
  });

  test('an endpoint that is disabled stays so', () => {
    expect(rotated(disabled('gone'), 'second', hour)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    });
  });
});

test('nothing is announced and nothing listed by any of this', () => {
  const changes = [
    ...[firstCount, created, updateWebhook(webhook, { status: webhookStatuses[1] }, later)],
    ...deleteWebhook(firstCount.record, webhook),
    rotateSecret(webhook, sealed('x'), later, now),
    disableWebhook(webhook, 'gone', later),
  ];
  for (const change of changes) expect(change).toMatchObject({ element: undefined, events: [], timers: [] });
});
