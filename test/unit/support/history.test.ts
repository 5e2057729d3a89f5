import { expect, test } from '@jest/globals';
import type { Chain, ShownInvoice, Version } from '../../support/audit-table.ts';
import type { Call, History } from '../../support/history.ts';
import { checkHistory } from '../../support/history-check.ts';

const owner = 'acct_1#test';
const start = Date.UTC(2026, 0, 1);
const at = (second: number) => new Date(start + second * 1000).toISOString();

const invoice = (fields: Partial<ShownInvoice> = {}): ShownInvoice => ({
  id: 'inv_1',
  customerId: 'cust_1',
  amount: 100,
  currency: 'USD',
  status: 'pending',
  description: 'first',
  dueDate: at(3600),
  paymentUrl: 'http://pay/inv_1',
  createdAt: at(0),
  updatedAt: at(0),
  ...fields,
});
const created = invoice();
const updated = invoice({ amount: 200, updatedAt: at(1) });
const cancelled = invoice({ ...updated, status: 'cancelled', updatedAt: at(2) });
const overdue = invoice({ ...updated, status: 'overdue', updatedAt: at(3600) });

const versions: Record<string, Version> = {
  created: { type: 'invoice.created', invoice: created },
  updated: { type: 'invoice.updated', invoice: updated },
  cancelled: { type: 'invoice.cancelled', invoice: cancelled },
  overdue: { type: 'invoice.overdue', invoice: overdue },
};
const chainOf = (...names: string[]): Chain => ({
  id: 'inv_1',
  seq: 1,
  versions: names.map((name) => versions[name] as Version),
});

const bodyOf = ({ customerId, amount, currency, description }: ShownInvoice) => ({
  ...{ customerId, amount, currency, description },
});
let labels = 0;
const call = (
  begin: number,
  end: number,
  fields: Partial<Call> & Pick<Call, 'kind'>,
  json?: unknown,
): Call => ({
  ...{ label: `${labels++}`, owner, begin, end: json === undefined ? Number.POSITIVE_INFINITY : end },
  answer: json === undefined ? undefined : { status: 200, text: JSON.stringify(json), replayed: false },
  ...fields,
});
const create = (begin: number, end: number, json?: unknown, fields: Partial<Call> = {}) =>
  call(begin, end, { kind: 'create', body: bodyOf(created), ...fields }, json);
const update = (begin: number, end: number, json?: unknown, fields: Partial<Call> = {}) =>
  call(begin, end, { kind: 'update', invoice: 'inv_1', body: { amount: 200 }, ...fields }, json);
const cancel = (begin: number, end: number, json?: unknown, fields: Partial<Call> = {}) =>
  call(begin, end, { kind: 'cancel', invoice: 'inv_1', ...fields }, json);
const get = (begin: number, end: number, json: unknown) =>
  call(begin, end, { kind: 'get', invoice: 'inv_1' }, json);
const cancellation = { id: 'inv_1', status: 'cancelled', deletedAt: at(2) };
const fault = (code: string) => ({
  answer: { status: 400, text: JSON.stringify({ error: { code } }), replayed: false },
});
const list = (
  begin: number,
  end: number,
  data: ShownInvoice[],
  total = data.length,
  query: Partial<Call['query']> = {},
) => {
  const { limit, offset, ...filters } = { limit: 20, offset: 0, ...query };
  const pagination = { total, limit, offset, hasMore: offset + data.length < total };
  return call(begin, end, { kind: 'list', query: { limit, offset, ...filters } }, { data, pagination });
};
const replay = (json: unknown) => ({
  answer: { status: 200, text: JSON.stringify(json), replayed: true },
});

const check = (calls: Call[], chains: Chain[], more: Partial<History> = {}) =>
  checkHistory(
    { calls, clock: [{ at: 0, now: start }], settled: [], ...more },
    new Map([[owner, { invoices: chains, payments: [], refunds: [] }]]),
  );

const secondInvoice = { id: 'inv_2', description: 'second', paymentUrl: 'http://pay/inv_2' };
const second: Chain = {
  ...{ id: 'inv_2', seq: 2 },
  versions: [{ type: 'invoice.created', invoice: invoice(secondInvoice) }],
};
const createSecond = (begin: number, end: number, json?: unknown) =>
  create(begin, end, json, { body: bodyOf(invoice(secondInvoice)) });
const secondShown = invoice(secondInvoice);

const all = chainOf('created', 'updated', 'cancelled');

test.each<[string, () => string[]]>([
  [
    'one call after the other',
    () =>
      check(
        [
          create(1, 2, created),
          get(3, 4, created),
          list(5, 6, [created]),
          update(7, 8, updated),
          get(9, 10, updated),
          cancel(11, 12, cancellation),
          list(13, 14, [cancelled]),
          list(15, 16, [], 0, { status: 'pending' }),
          update(17, 18, {}, fault('invoice_not_pending')),
          cancel(19, 20, {}, fault('invoice_already_cancelled')),
        ],
        [all],
      ),
  ],
  [
    'reads beside a write see it or not',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 20, updated),
          get(4, 6, updated),
          list(5, 7, [created]),
          get(8, 9, updated),
        ],
        [chainOf('created', 'updated')],
      ),
  ],
  [
    'an unanswered creation may be in lists or not',
    () =>
      check(
        [create(1, 2), list(3, 4, []), list(5, 6, [created]), list(7, 8, [created])],
        [chainOf('created')],
      ),
  ],
  [
    'an unanswered write may have had no effect',
    () => check([create(1, 2, created), update(3, 4), get(5, 6, created)], [chainOf('created')]),
  ],
  [
    'a key: one effect, the same bytes',
    () =>
      check(
        [create(1, 9, created, { key: 'k' }), create(2, 8, created, { key: 'k', ...replay(created) })],
        [chainOf('created')],
      ),
  ],
  [
    'an update with nothing new in it',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), update(5, 6, updated)],
        [chainOf('created', 'updated')],
      ),
  ],
  [
    'overdue, once the clock shows it',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(11, 12, overdue), list(13, 14, [overdue])],
        [chainOf('created', 'updated', 'overdue')],
        {
          clock: [
            { at: 0, now: start },
            { at: 10, now: start + 3_600_000 },
          ],
        },
      ),
  ],
])('accepts: %s', (_, faults) => {
  expect(faults()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  ['a creation that was answered and is gone', () => check([create(1, 2, created)], []), /lost/],
  [
    'an update that was answered and is gone',
    () => check([create(1, 2, created), update(3, 4, updated)], [chainOf('created')]),
    /no effect|never was/,
  ],
  [
    'a cancellation that was answered and is gone',
    () => check([create(1, 2, created), cancel(3, 4, cancellation)], [chainOf('created')]),
    /no effect/,
  ],
  [
    'a creation with two effects',
    () => check([create(1, 2)], [chainOf('created'), { ...chainOf('created'), id: 'inv_2', seq: 2 }]),
    /2 times/,
  ],
  [
    'an update with two effects',
    () => {
      const again = { type: 'invoice.updated', invoice: invoice({ amount: 200, updatedAt: at(9) }) };
      const between = { type: 'invoice.updated', invoice: invoice({ amount: 300, updatedAt: at(5) }) };
      const { id, seq, versions: two } = chainOf('created', 'updated');
      const other = update(3, 4, between.invoice, { body: { amount: 300 } });
      return check(
        [create(1, 2, created), update(3, 9), other],
        [{ id, seq, versions: [...two, between, again] }],
      );
    },
    /nobody made it/,
  ],
  [
    'two cancellations that both took effect',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          cancel(5, 8, cancellation),
          cancel(6, 7, cancellation),
        ],
        [all],
      ),
    /no effect of its own/,
  ],
  [
    'a list without an answered creation',
    () => check([create(1, 2, created), list(3, 4, [])], [chainOf('created')]),
    /missing|certain/,
  ],
  [
    'a list that lacks a row between others',
    () =>
      check(
        [create(1, 2, created), createSecond(3, 4, secondShown), list(5, 6, [secondShown], 2)],
        [chainOf('created'), second],
      ),
    /missing|rows/,
  ],
  [
    'a list with a creation that had not begun',
    () => check([list(1, 2, [created]), create(3, 4, created)], [chainOf('created')]),
    /cannot match/,
  ],
  [
    'a list that forgets what one before it showed',
    () => check([create(1, 2), list(3, 4, [created]), list(5, 6, [])], [chainOf('created')]),
    /missing/,
  ],
  [
    'a total that is too high',
    () => check([create(1, 2, created), list(3, 4, [created], 2, { limit: 1 })], [chainOf('created')]),
    /total is 2/,
  ],
  [
    'a total that is too low, behind the end',
    () => check([create(1, 2, created), list(3, 4, [], 0, { offset: 5 })], [chainOf('created')]),
    /total is 0/,
  ],
  [
    'a total by a state that is over',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          cancel(5, 6, cancellation),
          list(7, 8, [], 1, {
            ...{ status: 'pending', offset: 1 },
          }),
        ],
        [all],
      ),
    /total is 1/,
  ],
  [
    'a page with fewer rows than its total says',
    () => check([create(1, 2, created), list(3, 4, [], 1)], [chainOf('created')]),
    /0 rows of 1/,
  ],
  [
    'rows in another order',
    () =>
      check(
        [create(1, 2, created), createSecond(3, 4, secondShown), list(5, 6, [created, secondShown])],
        [chainOf('created'), second],
      ),
    /order/,
  ],
  [
    'a row twice',
    () => check([create(1, 2, created), list(3, 4, [created, created])], [chainOf('created')]),
    /twice/,
  ],
  [
    'a row of another customer',
    () =>
      check(
        [create(1, 2, created), list(3, 4, [created], 1, { customerId: 'cust_2' })],
        [chainOf('created')],
      ),
    /of cust_1/,
  ],
  [
    'a page that begins at another place',
    () =>
      check(
        [create(1, 2, created), createSecond(3, 4, secondShown), list(5, 6, [secondShown], 2, { offset: 1 })],
        [chainOf('created'), second],
      ),
    /place 1/,
  ],
  [
    'a row that does not match the filter',
    () => check([create(1, 2, created), list(3, 4, [created], 1, { status: 'paid' })], [chainOf('created')]),
    /shows/,
  ],
  [
    'a state that goes back',
    () =>
      check(
        [create(1, 2, created), update(3, 4), cancel(5, 6), get(7, 8, cancelled), get(9, 10, updated)],
        [all],
      ),
    /must have come/,
  ],
  [
    'a state that follows a final one',
    () => {
      const late = { type: 'invoice.updated', invoice: { ...cancelled, amount: 300, updatedAt: at(3) } };
      const { id, seq, versions: before } = all;
      const other = update(7, 8, undefined, { body: { amount: 300 } });
      const calls = [create(1, 2, created), update(3, 4, updated), cancel(5, 6, cancellation), other];
      return check(calls, [{ id, seq, versions: [...before, late] }]);
    },
    /follows cancelled/,
  ],
  [
    'a stale read after an answered write',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(5, 6, created)],
        [chainOf('created', 'updated')],
      ),
    /must have come/,
  ],
  [
    'a stale row after an answered write',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), list(5, 6, [created])],
        [chainOf('created', 'updated')],
      ),
    /must have come/,
  ],
  [
    'a read of what had not begun',
    () =>
      check(
        [create(1, 2, created), get(3, 4, updated), update(5, 6, updated)],
        [chainOf('created', 'updated')],
      ),
    /must have come/,
  ],
  [
    'a read of what never was',
    () => check([create(1, 2, created), get(3, 4, invoice({ amount: 1 }))], [chainOf('created')]),
    /never was/,
  ],
  [
    '404 for an answered creation',
    () =>
      check(
        [create(1, 2, created), { ...get(3, 4, {}), ...fault('invoice_not_found') }],
        [chainOf('created')],
      ),
    /must have come/,
  ],
  [
    'a state error before its reason',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, {}, fault('invoice_not_pending')),
          update(5, 6, updated),
          cancel(7, 8, cancellation),
        ],
        [all],
      ),
    /must have come/,
  ],
  [
    'a state error without a reason',
    () =>
      check([create(1, 2, created), update(3, 4, {}, fault('invoice_not_pending'))], [chainOf('created')]),
    /never was/,
  ],
  [
    'a replay with other bytes',
    () =>
      check(
        [
          create(1, 2, created, { key: 'k' }),
          create(3, 4, created, { key: 'k', ...replay({ ...created, amount: 1 }) }),
        ],
        [chainOf('created')],
      ),
    /other bytes/,
  ],
  [
    'two first-hand answers under one key',
    () =>
      check([create(1, 2, created, { key: 'k' }), create(3, 4, created, { key: 'k' })], [chainOf('created')]),
    /are no replays/,
  ],
  [
    'a repetition that met its own effect',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          cancel(5, 6, cancellation, { key: 'k' }),
          cancel(7, 8, {}, { key: 'k', ...fault('invoice_already_cancelled') }),
        ],
        [all],
      ),
    /was refused/,
  ],
  [
    'two requests under one key that both took effect',
    () =>
      check(
        [
          create(1, 2, created, { key: 'k' }),
          create(3, 4, secondShown, { key: 'k', body: bodyOf(secondShown) }),
        ],
        [chainOf('created'), second],
      ),
    /two requests/,
  ],
  [
    'an effect of what was refused',
    () => check([create(1, 2, {}, fault('idempotency_key_reused'))], [chainOf('created')]),
    /refused and took effect/,
  ],
  [
    'overdue before the clock shows it',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(5, 6, overdue)],
        [chainOf('created', 'updated', 'overdue')],
        {
          clock: [
            { at: 0, now: start },
            { at: 10, now: start + 3_600_000 },
          ],
        },
      ),
    /must have come/,
  ],
  [
    'a list that still lacks a change once everything has settled',
    () => check([create(1, 2), list(5, 6, [])], [chainOf('created')], { settled: [4] }),
    /missing/,
  ],
  [
    'an error that has no reason at all',
    () =>
      check(
        [
          {
            ...create(1, 2, {}),
            answer: { status: 500, text: '{"error":{"code":"internal_error"}}', replayed: false },
          },
        ],
        [],
      ),
    /500/,
  ],
])('rejects: %s', (_, faults, expected) => {
  expect(faults().join('\n')).toMatch(expected);
});
