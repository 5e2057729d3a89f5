/** Tests the state transitions of webhook endpoints, and the limit of their number. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import type { Registry } from '../../../shared/domain/webhooks/record.ts';
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  rotateSecret,
  updateWebhook,
} from '../../../shared/domain/webhooks/transitions.ts';
import { disabledReasons, type Webhook, webhookStatuses } from '../../../shared/domain/webhooks/webhook.ts';

const now = Date.UTC(2026, 10, 21);
const later = now + 1000;
const hour = 3_600_000;
const identity = { account: 'acct_0000000000000000', mode: 'test', id: `wh_${'0'.repeat(26)}` } as const;
const body = { url: 'https://example.com/hooks', events: ['*' as const] };
const encrypted = (name: string) => ({ ciphertext: `1:${name}` });
const [firstRegistry, created] = createWebhook(
  identity,
  undefined,
  body,
  encrypted('first'),
  '2026-11-21',
  now,
);
const webhook = created.record;
const disabled = (disabledReason: (typeof disabledReasons)[number]): Webhook => ({
  ...webhook,
  status: 'disabled',
  disabledReason,
});

test('a new endpoint is enabled and counted, and its description is null if it has none', () => {
  expect(webhook).toEqual({
    ...identity,
    ...body,
    version: 1,
    number: 1,
    description: null,
    status: 'enabled',
    disabledReason: null,
    secrets: [encrypted('first')],
    apiVersion: '2026-11-21',
    createdAt: now,
    updatedAt: now,
  });
  expect(firstRegistry.record).toMatchObject({
    count: 1,
    version: 1,
    account: identity.account,
    mode: 'test',
  });
});

test('a twenty-first endpoint is rejected until one is deleted, and numbers always rise', () => {
  let registry: Registry | undefined;
  let last = 0;
  const create = () => {
    const [counted, { record }] = createWebhook(identity, registry, body, encrypted('x'), '2026-11-21', now);
    expect(record.number).toBeGreaterThan(last);
    last = record.number;
    registry = counted.record;
    return registry.count;
  };
  for (let count = 1; count <= 20; count++) expect(create()).toBe(count);
  expect(create).toThrow(new ApiError('webhook_limit_reached'));
  const [counted, removed] = deleteWebhook(registry, webhook);
  expect([counted.record.count, removed.deleted]).toEqual([19, true]);
  registry = counted.record;
  expect(create()).toBe(20);
});

test('after any creations and deletions the count is correct, and is from 0 to 20', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 100, size: 'max' }), (steps) => {
      let registry: Registry | undefined;
      let existing = 0;
      for (const creates of steps) {
        if (!creates && existing === 0) continue;
        try {
          [{ record: registry }] = creates
            ? createWebhook(identity, registry, body, encrypted('x'), '2026-11-21', now)
            : deleteWebhook(registry, webhook);
          existing += creates ? 1 : -1;
        } catch (error) {
          expect([existing, (error as ApiError).code]).toEqual([20, 'webhook_limit_reached']);
        }
        expect(registry?.count).toBe(existing);
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
  ])('%j changes nothing', (present) => {
    expect(updateWebhook(webhook, present, later)).toBeUndefined();
  });

  test.each([
    { url: 'https://example.com/other' },
    { events: ['invoice.paid' as const] },
    { description: 'Shop' },
  ])('%j changes only this field', (fields) => {
    expect(updateWebhook(webhook, fields, later)?.record).toEqual({
      ...webhook,
      ...fields,
      version: 2,
      updatedAt: later,
    });
  });

  test('another order of the same event types is a change', () => {
    const both = { ...webhook, events: ['invoice.paid', 'invoice.created'] as const };
    expect(
      updateWebhook(both, { events: ['invoice.created', 'invoice.paid'] }, later)?.record.events,
    ).toEqual(['invoice.created', 'invoice.paid']);
  });

  test('an endpoint that its owner disables has the reason manual, and after enabling it has no reason', () => {
    const manual = updateWebhook(webhook, { status: 'disabled' }, later)?.record as Webhook;
    expect([manual.status, manual.disabledReason]).toEqual(['disabled', 'manual']);
    for (const reason of disabledReasons) {
      const enabled = updateWebhook(disabled(reason), { status: 'enabled' }, later)?.record;
      expect([enabled?.status, enabled?.disabledReason]).toEqual(['enabled', null]);
      expect(updateWebhook(disabled(reason), { status: 'disabled' }, later)).toBeUndefined();
      expect(updateWebhook(disabled(reason), { description: 'x' }, later)?.record.disabledReason).toBe(
        reason,
      );
    }
  });

  test('updatedAt always rises, also if the clock stops or goes back', () => {
    for (const at of [now, now - hour]) {
      expect(updateWebhook(webhook, { description: 'x' }, at)?.record.updatedAt).toBe(now + 1);
    }
  });
});

test.each(['gone', 'failing'] as const)('disabling as %s changes only an enabled endpoint', (reason) => {
  expect(disableWebhook(webhook, reason, later)?.record).toEqual({
    ...webhook,
    status: 'disabled',
    disabledReason: reason,
    version: 2,
    updatedAt: later,
  });
  for (const before of disabledReasons)
    expect(disableWebhook(disabled(before), reason, later)).toBeUndefined();
});

describe('rotation', () => {
  const rotate = (from: Webhook, name: string, overlapMs: number, at = later) =>
    rotateSecret(from, encrypted(name), at + overlapMs, at).record;
  const namesOf = ({ secrets }: Webhook) => secrets.map(({ ciphertext }) => ciphertext.slice(2));

  test('the new secret is first, and the old secret stays until the overlap ends', () => {
    expect(rotate(webhook, 'second', 24 * hour)).toEqual({
      ...webhook,
      version: 2,
      updatedAt: later,
      secrets: [encrypted('second'), { ...encrypted('first'), until: later + 24 * hour }],
    });
  });

  test('without an overlap the old secrets are removed immediately', () => {
    const twice = rotate(rotate(webhook, 'second', 24 * hour), 'third', 0);
    expect(twice.secrets).toEqual([encrypted('third')]);
  });

  test('a later rotation does not change the end of an older secret, unless it ends all of them', () => {
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
            expect(() => rotate(current, String(index), hours * hour, at)).toThrow();
            continue;
          }
          current = rotate(current, String(index), hours * hour, at);
          const [present, ...old] = current.secrets;
          expect(old).toHaveLength(hours === 0 ? 0 : signing.length);
          expect(present).toEqual(encrypted(String(index)));
          for (const { ciphertext, until = 0 } of old) {
            expect(until).toBeGreaterThan(at);
            expect(until).toBe(before.get(ciphertext) ?? at + hours * hour);
          }
        }
      }),
    );
  });

  test('at most five secrets sign: another rotation is rejected, unless it ends the old secrets', () => {
    let current = webhook;
    for (const name of ['2', '3', '4', '5']) current = rotate(current, name, 168 * hour);
    for (const overlap of [1, hour, 168 * hour]) {
      expect(() => rotate(current, '6', overlap)).toThrow(new ApiError('secret_limit_reached'));
    }
    expect(namesOf(current)).toEqual(['5', '4', '3', '2', 'first']);
    expect(namesOf(rotate(current, '6', 0))).toEqual(['6']);
    expect(namesOf(rotate(current, '6', hour, later + 168 * hour))).toEqual(['6', '5']);
  });

  test('a disabled endpoint stays disabled', () => {
    expect(rotate(disabled('gone'), 'second', hour)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    });
  });
});

test('no transition causes events, index entries or timers', () => {
  const changes = [
    firstRegistry,
    created,
    updateWebhook(webhook, { status: webhookStatuses[1] }, later),
    ...deleteWebhook(firstRegistry.record, webhook),
    rotateSecret(webhook, encrypted('x'), later, now),
    disableWebhook(webhook, 'gone', later),
  ];
  for (const change of changes)
    expect(change).toMatchObject({ indexEntry: undefined, events: [], timers: [] });
});
