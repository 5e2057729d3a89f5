import { expect, test } from '@jest/globals';
import { type EndpointHistory, endpointViolations, toAuditedEndpoint } from '../../model/audit-endpoints.ts';
import type { TestItem } from '../../support/table.ts';
import { webhookViolations } from '../../support/webhook-audit.ts';
import type { ReceivedMessage } from '../../support/webhook-receiver.ts';

const owner = 'acct_1#test';
const hourMs = 60 * 60_000;
const endpoint: EndpointHistory = {
  id: 'wh_1',
  owner,
  name: 'steady-0',
  scenario: 'steady',
  subscriptions: [['*']],
  movedAt: [],
  rotations: [],
  idempotencyKeys: [],
};
const webhook: TestItem = {
  pk: `WEBHOOKS#${owner}`,
  sk: 'wh_1',
  status: 'enabled',
  disabledReason: null,
  updatedAt: 0,
};
const event: TestItem = {
  pk: `EVENTS#${owner}`,
  sk: '1',
  id: 'evt_1',
  type: 'invoice.created',
  body: '{"a":1}',
};
const pointer: TestItem = { pk: 'EVENT#evt_1', sk: 'EVENT', position: 1 };
const cursor: TestItem = { pk: `EVENTCURSOR#${owner}`, sk: 'CURSOR', position: 1 };
const delivery: TestItem = {
  pk: 'DELIVERIES#wh_1',
  sk: 'dlv_1',
  account: 'acct_1',
  mode: 'test',
  position: 1,
  eventId: 'evt_1',
  status: 'succeeded',
  tries: 1,
  attempts: [
    { number: 1, status: 500 },
    { number: 2, status: 200 },
  ],
};
const message: ReceivedMessage = {
  id: 'evt_1',
  at: 0,
  path: '/steady-0/0',
  body: '{"a":1}',
  verifiedBy: [0],
  signedAt: 0,
};

/** What differs from a steady endpoint that got its event twice, because it refused the first message. */
interface Case {
  readonly endpoint?: Partial<EndpointHistory>;
  readonly webhook?: TestItem | undefined;
  readonly event?: TestItem;
  readonly deliveries?: readonly TestItem[];
  readonly received?: readonly ReceivedMessage[];
  readonly accepted?: readonly string[];
  readonly otherItems?: readonly TestItem[];
}

/** Returns the violations that both webhook audits find. */
function violationsOf(differences: Case): string[] {
  const audited = { ...endpoint, ...differences.endpoint };
  const storedWebhook = 'webhook' in differences ? differences.webhook : webhook;
  const items = [
    pointer,
    cursor,
    { ...event, ...differences.event },
    ...(storedWebhook ? [storedWebhook] : []),
    ...(differences.deliveries ?? [delivery]),
    ...(differences.otherItems ?? []),
  ];
  const received = differences.received ?? [message, message];
  return [
    ...webhookViolations(items, { owner, endpoints: [toAuditedEndpoint(audited)] }, received),
    ...endpointViolations(audited, items, received, new Set(differences.accepted ?? ['evt_1'])),
  ];
}

const failed = (fields: TestItem = {}) => ({ ...delivery, status: 'failed', tries: 10, ...fields });
const skipped = { ...delivery, status: 'skipped' };
const messageAt = (hours: number, fields: Partial<ReceivedMessage> = {}) => ({
  ...message,
  at: hours * hourMs,
  ...fields,
});
const gone: Partial<EndpointHistory> = { scenario: 'gone' };
const failing: Partial<EndpointHistory> = { scenario: 'failing' };
const deleted: Partial<EndpointHistory> = { scenario: 'deleted', deletedAt: 0 };
const rotated: Partial<EndpointHistory> = {
  scenario: 'rotated',
  rotations: [{ at: 0, overlapMs: hourMs }],
};
const moved: Partial<EndpointHistory> = { scenario: 'moved', movedAt: [0] };
const paused: Partial<EndpointHistory> = {
  scenario: 'paused',
  disabledDuring: { from: 0, to: 2 * hourMs },
};
const resubscribed: Partial<EndpointHistory> = { subscriptions: [['*'], ['invoice.paid']] };
const disabled = { ...webhook, status: 'disabled', disabledReason: 'gone' };
const sevenMessages: ReceivedMessage[] = Array(7).fill(message);

test.each<[string, Case]>([
  ['an event that arrives twice', {}],
  ['an event without a subscription', { event: { type: 'invoice.updated' }, deliveries: [], received: [] }],
  ['an event with a subscription for some time', { endpoint: resubscribed }],
  [
    'an event with a subscription for some time, without a delivery',
    { endpoint: resubscribed, deliveries: [], received: [] },
  ],
  ['a deleted endpoint', { endpoint: deleted, webhook: undefined, deliveries: [], received: [] }],
  [
    'a delivery that is skipped after the endpoint was deleted',
    { endpoint: deleted, webhook: undefined, deliveries: [skipped], accepted: [] },
  ],
  [
    'a failing endpoint that the service disabled',
    {
      endpoint: failing,
      webhook: { ...disabled, disabledReason: 'failing' },
      deliveries: [skipped],
      accepted: [],
    },
  ],
  ['a paused endpoint', { endpoint: paused, received: [messageAt(0.1), messageAt(2)] }],
  ['a failing endpoint', { endpoint: failing, deliveries: [failed()], accepted: [] }],
  [
    'an endpoint that is gone',
    {
      endpoint: gone,
      webhook: disabled,
      deliveries: [failed({ tries: 1, attempts: [{ number: 1, status: 410 }] })],
      received: sevenMessages,
      accepted: [],
    },
  ],
  [
    'two secrets that sign during the overlap',
    { endpoint: rotated, received: [messageAt(0), messageAt(1.2, { verifiedBy: [0, 1] })] },
  ],
  [
    'a moved endpoint',
    { endpoint: moved, received: [messageAt(0.2), messageAt(2, { path: '/steady-0/1' })] },
  ],
])('accepts: %s', (_, differences) => {
  expect(violationsOf(differences)).toEqual([]);
});

test.each<[string, Case, string]>([
  ['an event without a delivery', { deliveries: [], received: [] }, 'lacks a delivery'],
  ['two deliveries of one event', { deliveries: [delivery, { ...delivery, sk: 'dlv_2' }] }, 'two deliveries'],
  ['a delivery without a subscription', { event: { type: 'invoice.updated' } }, 'has a delivery'],
  [
    'a message without a delivery',
    { event: { type: 'invoice.updated' }, deliveries: [] },
    'without a delivery',
  ],
  [
    'a delivery without an outcome',
    { deliveries: [{ ...delivery, status: 'pending' }] },
    'dlv_1 is still pending',
  ],
  [
    'a delivery that failed at a working receiver',
    { deliveries: [failed()] },
    'dlv_1 is failed, expected succeeded',
  ],
  [
    'a delivery that failed after too few attempts',
    { endpoint: failing, deliveries: [failed({ tries: 9 })] },
    'failed after 9 attempts, expected 10',
  ],
  [
    'a delivery that was skipped at a working receiver',
    { deliveries: [skipped] },
    'dlv_1 is skipped, expected succeeded',
  ],
  [
    'a message with different bytes',
    { received: [message, { ...message, body: '{"a": 1}' }] },
    'got other bytes under evt_1',
  ],
  [
    'a message with another id',
    { received: [message, message, { ...message, id: 'evt_2' }] },
    'got other bytes under evt_2',
  ],
  ['a succeeded delivery without a message', { received: [] }, 'never got evt_1'],
  [
    'a succeeded delivery that the receiver did not accept',
    { accepted: [] },
    'the receiver never accepted the event',
  ],
  [
    'more responses than messages',
    { received: [message] },
    'has 2 responses, but the receiver got 1 messages',
  ],
  [
    'a missing attempt',
    {
      deliveries: [
        {
          ...delivery,
          attempts: [
            { number: 1, status: 500 },
            { number: 3, status: 200 },
          ],
        },
      ],
    },
    'gaps in its attempt numbers',
  ],
  ['a message without a signature', { received: [message, { ...message, verifiedBy: [] }] }, 'cannot verify'],
  [
    'a message that only the replaced secret signed',
    { endpoint: rotated, received: [messageAt(0), messageAt(1.5)] },
    'not signed with the current secret',
  ],
  [
    'a message that the replaced secret signed after the overlap',
    { endpoint: rotated, received: [messageAt(0), messageAt(2.5, { verifiedBy: [0, 1] })] },
    'signed with an expired secret',
  ],
  [
    'a message at the old path',
    { endpoint: moved, received: [messageAt(0), messageAt(2)] },
    'arrived at an old path',
  ],
  [
    'a message after the endpoint was deleted',
    { endpoint: deleted, webhook: undefined, received: [message, messageAt(2)] },
    'long after the endpoint was closed',
  ],
  [
    'a message after a 410 response',
    { endpoint: gone, webhook: disabled, received: [...sevenMessages, messageAt(2)] },
    'long after the endpoint was closed',
  ],
  [
    'a message while the endpoint was disabled',
    { endpoint: paused, received: [messageAt(0.1), messageAt(1)] },
    'arrived while the endpoint was disabled',
  ],
  [
    'a delivery that was skipped although the endpoint is enabled',
    { endpoint: failing, deliveries: [skipped] },
    'was skipped, but the endpoint is enabled',
  ],
  [
    'a 410 response that did not disable the endpoint',
    { endpoint: gone, received: sevenMessages },
    'is enabled, expected disabled (gone)',
  ],
  [
    'an endpoint that was disabled without a reason',
    { webhook: disabled },
    'is disabled (gone), expected enabled',
  ],
  ['a deleted endpoint that still exists', { endpoint: deleted }, 'is enabled, expected deleted'],
  [
    'a timer',
    {
      otherItems: [{ pk: 'TIMER#1', sk: 't', kind: 'webhook', reference: 'acct_1/test/wh_1/dlv_1/1' }],
    },
    'TIMER#1 t is left',
  ],
  ['an outbox item', { otherItems: [{ pk: 'OUTBOX#1', sk: `1#${owner}#x` }] }, `1#${owner}#x is left`],
])('rejects: %s', (_, differences, violation) => {
  expect(violationsOf(differences).join('\n')).toContain(violation);
});
