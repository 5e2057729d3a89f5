import { expect, test } from '@jest/globals';
import { type EndpointLife, endpointLifeFaults, knownEndpoint } from '../../support/audit-endpoints.ts';
import type { TestItem } from '../../support/table.ts';
import { webhookFaults } from '../../support/webhook-audit.ts';
import type { Received } from '../../support/webhook-receiver.ts';

const owner = 'acct_1#test';
const hourMs = 60 * 60_000;
const life: EndpointLife = {
  ...{ id: 'wh_1', owner, name: 'steady-0', lot: 'steady', wishes: [['*']] },
  ...{ movedAt: [], rotations: [], keys: [] },
};
const webhook: TestItem = {
  ...{ pk: `WEBHOOKS#${owner}`, sk: 'wh_1', status: 'enabled', disabledReason: null, updatedAt: 0 },
};
const event: TestItem = {
  ...{ pk: `EVENTS#${owner}`, sk: '1', id: 'evt_1', type: 'invoice.created', body: '{"a":1}' },
};
const log: TestItem[] = [
  event,
  { pk: 'EVENT#evt_1', sk: 'EVENT', position: 1 },
  { pk: `EVENTCURSOR#${owner}`, sk: 'CURSOR', position: 1 },
];
const delivery: TestItem = {
  ...{ pk: 'DELIVERIES#wh_1', sk: 'dlv_1', account: 'acct_1', mode: 'test', position: 1, eventId: 'evt_1' },
  ...{
    status: 'succeeded',
    tries: 1,
    attempts: [
      { number: 1, status: 500 },
      { number: 2, status: 200 },
    ],
  },
};
const message: Received = { id: 'evt_1', at: 0, path: '/steady-0/0', body: '{"a":1}', verifiedBy: [0] };

interface Case {
  readonly life?: Partial<EndpointLife>;
  readonly webhook?: TestItem | undefined;
  readonly event?: TestItem;
  readonly deliveries?: readonly TestItem[];
  readonly received?: readonly Received[];
  readonly accepted?: readonly string[];
  readonly more?: readonly TestItem[];
}

/** What both audits find wrong where all but that is right. */
function faultsOf(changed: Case): string[] {
  const own = { ...life, ...changed.life };
  const present = 'webhook' in changed ? changed.webhook : webhook;
  const items = [
    ...[...log.slice(1), { ...event, ...changed.event }, ...(present ? [present] : [])],
    ...[...(changed.deliveries ?? [delivery]), ...(changed.more ?? [])],
  ];
  const received = changed.received ?? [message, message];
  return [
    ...webhookFaults(items, { owner, endpoints: [knownEndpoint(own)] }, received),
    ...endpointLifeFaults(own, items, received, new Set(changed.accepted ?? ['evt_1'])),
  ];
}

const failed = (fields: TestItem = {}) => ({ ...delivery, status: 'failed', tries: 10, ...fields });
const at = (hours: number, fields: Partial<Received> = {}) => ({ ...message, at: hours * hourMs, ...fields });
const gone: Partial<EndpointLife> = { lot: 'gone' };
const disabled = { ...webhook, status: 'disabled', disabledReason: 'gone' };
const rotated: Partial<EndpointLife> = { lot: 'rotated', rotations: [{ at: 0, overlapMs: hourMs }] };

test.each<[string, Case]>([
  ['an event that comes twice', {}],
  ['one that is not wanted', { event: { type: 'invoice.updated' }, deliveries: [], received: [] }],
  ['one that was wanted for a while', { life: { wishes: [['*'], ['invoice.paid']] } }],
  [
    'the same, without a delivery',
    { life: { wishes: [['*'], ['invoice.paid']] }, deliveries: [], received: [] },
  ],
  ['deleted', { life: { lot: 'deleted', deletedAt: 0 }, webhook: undefined, deliveries: [], received: [] }],
  [
    'skipped once it was deleted',
    {
      ...{ life: { lot: 'deleted', deletedAt: 0 }, webhook: undefined },
      ...{ deliveries: [{ ...delivery, status: 'skipped' }], accepted: [] },
    },
  ],
  [
    'dead, and disabled for that',
    {
      ...{ life: { lot: 'dead' }, webhook: { ...disabled, disabledReason: 'failing' }, accepted: [] },
      deliveries: [{ ...delivery, status: 'skipped' }],
    },
  ],
  ['paused', { life: { lot: 'paused', paused: { from: 0, to: 2 * hourMs } }, received: [at(0.1), at(2)] }],
  ['dead', { life: { lot: 'dead' }, deliveries: [failed()], accepted: [] }],
  [
    'gone',
    {
      ...{ life: gone, webhook: disabled, accepted: [], received: Array(7).fill(message) },
      deliveries: [failed({ tries: 1, attempts: [{ number: 1, status: 410 }] })],
    },
  ],
  ['both secrets sign', { life: rotated, received: [at(0), at(1.2, { verifiedBy: [0, 1] })] }],
  ['moved', { life: { lot: 'moved', movedAt: [0] }, received: [at(0.2), at(2, { path: '/steady-0/1' })] }],
])('no fault is found: %s', (_, right) => {
  expect(faultsOf(right)).toEqual([]);
});

test.each<[string, Case, string]>([
  ['an event without a delivery', { deliveries: [], received: [] }, 'lacks a delivery'],
  ['two deliveries of one event', { deliveries: [delivery, { ...delivery, sk: 'dlv_2' }] }, 'two deliveries'],
  ['a delivery that was not asked for', { event: { type: 'invoice.updated' } }, 'has a delivery'],
  [
    'a message without a delivery',
    { event: { type: 'invoice.updated' }, deliveries: [] },
    'without a delivery',
  ],
  ['a delivery without an end', { deliveries: [{ ...delivery, status: 'pending' }] }, 'has no end'],
  ['one that was given up', { deliveries: [failed()] }, 'dlv_1 is failed'],
  [
    'one that was given up too early',
    {
      ...{ life: { lot: 'dead' as const }, deliveries: [failed({ tries: 9 })] },
    },
    'failed after 9 tries',
  ],
  ['one that was skipped', { deliveries: [{ ...delivery, status: 'skipped' }] }, 'dlv_1 is skipped'],
  ['other bytes', { received: [message, { ...message, body: '{"a": 1}' }] }, 'got other bytes'],
  [
    'another id',
    { received: [message, message, { ...message, id: 'evt_2' }] },
    'got other bytes under evt_2',
  ],
  ['no message', { received: [] }, 'never got evt_1'],
  ['no message that was taken', { accepted: [] }, 'its receiver never took it'],
  ['an answer to nothing', { received: [message] }, '2 answers to 1 messages'],
  [
    'a lost attempt',
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
    'attempts missing',
  ],
  ['no signature', { received: [message, { ...message, verifiedBy: [] }] }, 'cannot verify'],
  [
    'the old secret alone',
    { life: rotated, received: [at(0), at(1.5)] },
    'not signed with the present secret',
  ],
  [
    'the old secret for too long',
    {
      ...{ life: rotated, received: [at(0), at(2.5, { verifiedBy: [0, 1] })] },
    },
    'a secret that has ended',
  ],
  [
    'the old address',
    { life: { lot: 'moved', movedAt: [0] }, received: [at(0), at(2)] },
    'where it is no more',
  ],
  [
    'after its deletion',
    {
      ...{ life: { lot: 'deleted' as const, deletedAt: 0 }, webhook: undefined, received: [message, at(2)] },
    },
    'long after its end',
  ],
  [
    'after 410',
    {
      ...{ life: gone, webhook: disabled, received: [...Array(7).fill(message), at(2)] },
    },
    'long after its end',
  ],
  [
    'while it was disabled',
    { life: { lot: 'paused', paused: { from: 0, to: 2 * hourMs } }, received: [at(0.1), at(1)] },
    'while it was disabled',
  ],
  [
    'a dead one that was skipped',
    { life: { lot: 'dead' }, deliveries: [{ ...delivery, status: 'skipped' }] },
    'nothing was disabled',
  ],
  ['410 without an effect', { life: gone, received: Array(7).fill(message) }, 'was to be disabled gone'],
  ['disabled by nobody', { webhook: disabled }, 'was to be enabled null'],
  ['deleted, and still there', { life: { lot: 'deleted', deletedAt: 0 } }, 'was to be deleted'],
  [
    'a timer',
    {
      more: [{ pk: 'TIMER#1', sk: 't', kind: 'webhook', reference: 'acct_1/test/wh_1/dlv_1/1' }],
    },
    'TIMER#1 t is left',
  ],
  ['work in the outbox', { more: [{ pk: 'OUTBOX#1', sk: `1#${owner}#x` }] }, 'is left'],
])('is found: %s', (_, wrong, fault) => {
  expect(faultsOf(wrong).join('\n')).toContain(fault);
});
