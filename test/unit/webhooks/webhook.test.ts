/** The webhook endpoint as clients see it: which bodies are taken, what is shown, and which events it asked for. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { eventTypes } from '../../../shared/events/event.ts';
import { validate } from '../../../shared/http/validate.ts';
import {
  createWebhookBody,
  recoverBody,
  rotateSecretBody,
  showWebhook,
  updateWebhookBody,
  type Webhook,
  wants,
  webhookSchema,
} from '../../../shared/webhooks/webhook.ts';

const common = [
  'invoice.created',
  'invoice.paid',
  'payment.completed',
  'payment.failed',
  'refund.processed',
] as const;
const rare = ['invoice.updated', 'invoice.cancelled', 'invoice.overdue', 'refund.failed'] as const;

const webhook: Webhook = {
  ...{ account: 'acct_0000000000000000', mode: 'test', id: `wh_${'0'.repeat(26)}`, version: 3, number: 1 },
  ...{ url: 'https://example.com/hooks', events: ['*'], description: null },
  ...{ status: 'enabled', disabledReason: null, secrets: [{ ciphertext: '1:abc' }] },
  ...{ createdAt: Date.UTC(2026, 10, 21), updatedAt: Date.UTC(2026, 10, 22) },
};

test('* asks for exactly the five common kinds', () => {
  expect(eventTypes.filter((type) => wants({ events: ['*'] }, type))).toEqual([...common]);
  expect([...eventTypes].sort()).toEqual([...common, ...rare].sort());
});

test('whoever names kinds gets exactly those', () => {
  fc.assert(
    fc.property(fc.subarray([...eventTypes]), (events) => {
      expect(eventTypes.filter((type) => wants({ events }, type))).toEqual(
        eventTypes.filter((type) => events.includes(type)),
      );
    }),
  );
});

test('a test event is asked for by nobody', () => {
  expect(wants({ events: ['*'] }, 'webhook.test')).toBe(false);
});

test('shown are exactly these fields, never the secrets', () => {
  const shown = showWebhook(webhook);
  expect(shown).toEqual({
    ...{ id: webhook.id, url: webhook.url, events: ['*'], description: null },
    ...{ status: 'enabled', disabledReason: null },
    ...{ createdAt: '2026-11-21T00:00:00.000Z', updatedAt: '2026-11-22T00:00:00.000Z' },
  });
  expect(v.is(webhookSchema, shown)).toBe(true);
});

describe('bodies', () => {
  const verdictOf = (schema: v.GenericSchema, body: unknown) => {
    const verdict = validate(schema, body);
    return verdict.ok ? verdict.output : `${verdict.code} ${verdict.field}`;
  };

  test('kinds are kept in the order in which they were sent', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...eventTypes], { minLength: 1 }), (events) => {
        const body = { url: webhook.url, events };
        expect(verdictOf(createWebhookBody, body)).toEqual(body);
      }),
    );
  });

  test('an update may be empty, and may set or take away the description', () => {
    expect(verdictOf(updateWebhookBody, {})).toEqual({});
    expect(verdictOf(updateWebhookBody, { description: null })).toEqual({ description: null });
    expect(verdictOf(updateWebhookBody, { url: null })).toBe('invalid_url url');
    expect(verdictOf(updateWebhookBody, { events: null })).toBe('invalid_events events');
    expect(verdictOf(updateWebhookBody, { status: null })).toBe('invalid_status status');
    expect(verdictOf(updateWebhookBody, { secret: 'x' })).toBe('unknown_parameter secret');
  });

  test('a rotation overlaps for 24 hours if it does not say', () => {
    for (const body of [{}, { overlapHours: null }]) {
      expect(verdictOf(rotateSecretBody, body)).toEqual({ overlapHours: 24 });
    }
    for (const overlapHours of [0, 1, 168])
      expect(verdictOf(rotateSecretBody, { overlapHours })).toEqual({ overlapHours });
    for (const overlapHours of [-1, 169, 1.5, '24', true, [], {}])
      expect(verdictOf(rotateSecretBody, { overlapHours })).toBe('invalid_overlap_hours overlapHours');
  });

  test.each([
    ['2026-01-31T00:00:00Z', Date.UTC(2026, 0, 31)],
    ['2026-01-31T00:00Z', Date.UTC(2026, 0, 31)],
    ['2026-01-31T06:00:00.123456+06:00', Date.UTC(2026, 0, 31) + 123],
    ['2026-01-31T00:00:00', Date.UTC(2026, 0, 31)],
    ['1970-01-01T00:00:00Z', 0],
  ])('since %s', (since, instant) => {
    expect(verdictOf(recoverBody, { since })).toEqual({ since: instant });
  });

  test.each([
    undefined,
    null,
    '',
    ' ',
    'yesterday',
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '1969-12-31T23:59:59Z',
    '2026-01-31T00:00:00Z ',
    0,
    1_700_000_000_000,
    true,
    [],
    {},
  ])('since %j is none', (since) => {
    expect(verdictOf(recoverBody, { since })).toBe('invalid_since since');
  });
});
