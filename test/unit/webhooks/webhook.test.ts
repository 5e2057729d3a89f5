/**
 * Tests the webhook endpoint as clients see it: the valid bodies, the shown fields, and the events that it receives.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { validate } from '../../../shared/api/http/validate.ts';
import { eventTypes } from '../../../shared/domain/events/event.ts';
import {
  createWebhookBody,
  isSubscribedTo,
  recoverBody,
  rotateSecretBody,
  showWebhook,
  updateWebhookBody,
  type Webhook,
  webhookSchema,
} from '../../../shared/domain/webhooks/webhook.ts';

const common = [
  'invoice.created',
  'invoice.paid',
  'payment.completed',
  'payment.failed',
  'refund.processed',
] as const;
const uncommon = [
  'document.issued',
  'mail.bounced',
  'export.completed',
  'export.failed',
  'invoice.updated',
  'invoice.cancelled',
  'invoice.overdue',
  'invoice.claimed',
  'payment.updated',
  'payment.disputed',
  'payment.held',
  'payment.voided',
  'refund.failed',
  'schedule.failed',
  'schedule.ended',
] as const;

const webhook: Webhook = {
  account: 'acct_0000000000000000',
  mode: 'test',
  id: `wh_${'0'.repeat(26)}`,
  version: 3,
  number: 1,
  url: 'https://example.com/hooks',
  events: ['*'],
  description: null,
  status: 'enabled',
  disabledReason: null,
  secrets: [{ ciphertext: '1:abc' }],
  apiVersion: '2026-11-21',
  createdAt: Date.UTC(2026, 10, 21),
  updatedAt: Date.UTC(2026, 10, 22),
};

test('* receives exactly the five common event types', () => {
  expect(eventTypes.filter((type) => isSubscribedTo({ events: ['*'] }, type))).toEqual([...common]);
  expect([...eventTypes].sort()).toEqual([...common, ...uncommon].sort());
});

test('* and another type receive the common event types and that one', () => {
  const events = ['*' as const, 'refund.failed' as const];
  expect(eventTypes.filter((type) => isSubscribedTo({ events }, type))).toEqual([...common, 'refund.failed']);
});

test('all receives every event type, also of a later version', () => {
  const events = ['all' as const];
  expect([...eventTypes, 'invoice.archived'].filter((type) => !isSubscribedTo({ events }, type))).toEqual([]);
  expect(showWebhook({ ...webhook, events })).toMatchObject({ events: ['all'], eventTypes });
});

test('an endpoint that names event types receives exactly those', () => {
  fc.assert(
    fc.property(fc.subarray([...eventTypes]), (events) => {
      expect(eventTypes.filter((type) => isSubscribedTo({ events }, type))).toEqual(
        eventTypes.filter((type) => events.includes(type)),
      );
    }),
  );
});

test('no endpoint is subscribed to test events', () => {
  expect(isSubscribedTo({ events: ['*'] }, 'webhook.test')).toBe(false);
});

test('the API shows exactly these fields, and not the secrets', () => {
  const shown = showWebhook(webhook);
  expect(shown).toEqual({
    id: webhook.id,
    url: webhook.url,
    events: ['*'],
    eventTypes: [...common],
    description: null,
    status: 'enabled',
    disabledReason: null,
    apiVersion: '2026-11-21',
    metadata: {},
    filters: [],
    type: 'url',
    target: null,
    createdAt: '2026-11-21T00:00:00.000Z',
    updatedAt: '2026-11-22T00:00:00.000Z',
  });
  expect(v.is(webhookSchema, shown)).toBe(true);
});

describe('bodies', () => {
  const validated = (schema: v.GenericSchema, body: unknown) => {
    const result = validate(schema, body);
    return result.ok ? result.output : `${result.code} ${result.field}`;
  };

  test('event types keep their order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...eventTypes], { minLength: 1 }), (events) => {
        const body = { url: webhook.url, events };
        expect(validated(createWebhookBody, body)).toEqual(body);
      }),
    );
  });

  test('an update may be empty, and may set or remove the description', () => {
    expect(validated(updateWebhookBody, {})).toEqual({});
    expect(validated(updateWebhookBody, { description: null })).toEqual({ description: null });
    expect(validated(updateWebhookBody, { url: 7 })).toBe('invalid_url url');
    expect(validated(updateWebhookBody, { events: null })).toBe('invalid_events events');
    expect(validated(updateWebhookBody, { status: null })).toBe('invalid_status status');
    expect(validated(updateWebhookBody, { secret: 'x' })).toBe('unknown_parameter secret');
  });

  test('a rotation overlaps for 24 hours by default', () => {
    for (const body of [{}, { overlapHours: null }]) {
      expect(validated(rotateSecretBody, body)).toEqual({ overlapHours: 24 });
    }
    for (const overlapHours of [0, 1, 168])
      expect(validated(rotateSecretBody, { overlapHours })).toEqual({ overlapHours });
    for (const overlapHours of [-1, 169, 1.5, '24', true, [], {}])
      expect(validated(rotateSecretBody, { overlapHours })).toBe('invalid_overlap_hours overlapHours');
  });

  test.each([
    ['2026-01-31T00:00:00Z', Date.UTC(2026, 0, 31)],
    ['2026-01-31T00:00Z', Date.UTC(2026, 0, 31)],
    ['2026-01-31T06:00:00.123456+06:00', Date.UTC(2026, 0, 31) + 123],
    ['2026-01-31T00:00:00', Date.UTC(2026, 0, 31)],
    ['1970-01-01T00:00:00Z', 0],
  ])('since %s is valid', (since, instant) => {
    expect(validated(recoverBody, { since })).toEqual({ since: instant });
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
  ])('since %j is invalid', (since) => {
    expect(validated(recoverBody, { since })).toBe('invalid_since since');
  });
});
