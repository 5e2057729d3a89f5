import { expect, test } from '@jest/globals';
import type { InvoiceSnapshot, InvoiceVersion, VersionedInvoice } from '../../model/audit-table.ts';
import { checkHistory } from '../../model/check.ts';
import type { History, RecordedCall } from '../../model/history.ts';

const owner = 'acct_1#test';
const startTime = Date.UTC(2026, 0, 1);
const at = (second: number) => new Date(startTime + second * 1000).toISOString();

const invoice = (fields: Partial<InvoiceSnapshot> = {}): InvoiceSnapshot => ({
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

const versions: Record<string, InvoiceVersion> = {
  created: { eventType: 'invoice.created', invoice: created },
  updated: { eventType: 'invoice.updated', invoice: updated },
  cancelled: { eventType: 'invoice.cancelled', invoice: cancelled },
  overdue: { eventType: 'invoice.overdue', invoice: overdue },
};
const stored = (...names: string[]): VersionedInvoice => ({
  id: 'inv_1',
  seq: 1,
  versions: names.map((name) => versions[name] as InvoiceVersion),
});

const bodyOf = ({ customerId, amount, currency, description }: InvoiceSnapshot) => ({
  customerId,
  amount,
  currency,
  description,
});
let labels = 0;
/** A call with a successful response of that JSON. Without `json` it has no response. */
const call = (
  start: number,
  end: number,
  fields: Partial<RecordedCall> & Pick<RecordedCall, 'kind'>,
  json?: unknown,
): RecordedCall => ({
  label: `${labels++}`,
  owner,
  start,
  end: json === undefined ? Number.POSITIVE_INFINITY : end,
  response: json === undefined ? undefined : { status: 200, text: JSON.stringify(json), replayed: false },
  ...fields,
});
const create = (start: number, end: number, json?: unknown, fields: Partial<RecordedCall> = {}) =>
  call(start, end, { kind: 'create', body: bodyOf(created), ...fields }, json);
const update = (start: number, end: number, json?: unknown, fields: Partial<RecordedCall> = {}) =>
  call(start, end, { kind: 'update', invoice: 'inv_1', body: { amount: 200 }, ...fields }, json);
const cancel = (start: number, end: number, json?: unknown, fields: Partial<RecordedCall> = {}) =>
  call(start, end, { kind: 'cancel', invoice: 'inv_1', ...fields }, json);
const get = (start: number, end: number, json: unknown) =>
  call(start, end, { kind: 'get', invoice: 'inv_1' }, json);
const cancellation = { id: 'inv_1', status: 'cancelled', deletedAt: at(2) };
const error = (code: string) => ({
  response: { status: 400, text: JSON.stringify({ error: { code } }), replayed: false },
});
const list = (
  start: number,
  end: number,
  data: InvoiceSnapshot[],
  total = data.length,
  query: Partial<RecordedCall['query']> = {},
) => {
  const { limit, offset, ...filters } = { limit: 20, offset: 0, ...query };
  const pagination = { total, limit, offset, hasMore: offset + data.length < total };
  return call(start, end, { kind: 'list', query: { limit, offset, ...filters } }, { data, pagination });
};
const replay = (json: unknown) => ({
  response: { status: 200, text: JSON.stringify(json), replayed: true },
});

const secondInvoice = { id: 'inv_2', description: 'second', paymentUrl: 'http://pay/inv_2' };
/** The second invoice, which replaced the first one at second 2. */
const replacement = invoice({ ...secondInvoice, createdAt: at(2), updatedAt: at(2) });
const replacementVersions = [{ eventType: 'invoice.created', invoice: replacement }];
const replacing: VersionedInvoice = { id: 'inv_2', seq: 2, versions: replacementVersions };
const replace = (start: number, end: number, json?: unknown) =>
  call(start, end, { kind: 'replace', invoice: 'inv_1', body: { description: 'second' } }, json);

const check = (calls: RecordedCall[], invoices: VersionedInvoice[], history: Partial<History> = {}) =>
  checkHistory(
    { calls, clock: [{ position: 0, now: startTime }], quiescentAt: [], ...history },
    new Map([[owner, { invoices, payments: [], refunds: [] }]]),
  );
/** At position 10 the clock reaches the due date. */
const clockPastDueDate = {
  clock: [
    { position: 0, now: startTime },
    { position: 10, now: startTime + 3_600_000 },
  ],
};

const secondSnapshot = invoice(secondInvoice);
const second: VersionedInvoice = {
  id: 'inv_2',
  seq: 2,
  versions: [{ eventType: 'invoice.created', invoice: secondSnapshot }],
};
const createSecond = (start: number, end: number, json?: unknown) =>
  create(start, end, json, { body: bodyOf(secondSnapshot) });

const all = stored('created', 'updated', 'cancelled');

test.each<[string, () => string[]]>([
  [
    'sequential calls',
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
          update(17, 18, {}, error('invoice_not_pending')),
          cancel(19, 20, {}, error('invoice_already_cancelled')),
        ],
        [all],
      ),
  ],
  [
    'reads during a write that see it or not',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 20, updated),
          get(4, 6, updated),
          list(5, 7, [created]),
          get(8, 9, updated),
        ],
        [stored('created', 'updated')],
      ),
  ],
  [
    'lists with and without a creation that has no response',
    () =>
      check(
        [create(1, 2), list(3, 4, []), list(5, 6, [created]), list(7, 8, [created])],
        [stored('created')],
      ),
  ],
  [
    'a write without a response that had no effect',
    () => check([create(1, 2, created), update(3, 4), get(5, 6, created)], [stored('created')]),
  ],
  [
    'a repeated call with one effect and the same response',
    () =>
      check(
        [create(1, 9, created, { key: 'k' }), create(2, 8, created, { key: 'k', ...replay(created) })],
        [stored('created')],
      ),
  ],
  [
    'an update that changes nothing',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), update(5, 6, updated)],
        [stored('created', 'updated')],
      ),
  ],
  [
    'a replacement, with and without a response',
    () => [
      ...check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          replace(5, 6, replacement),
          get(7, 8, cancelled),
          list(9, 10, [replacement, cancelled]),
          cancel(11, 12, {}, error('invoice_already_cancelled')),
        ],
        [all, replacing],
      ),
      ...check([create(1, 2, created), update(3, 4, updated), replace(5, 6)], [all, replacing]),
    ],
  ],
  [
    'an invoice that becomes overdue at its due date',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(11, 12, overdue), list(13, 14, [overdue])],
        [stored('created', 'updated', 'overdue')],
        clockPastDueDate,
      ),
  ],
])('accepts: %s', (_, violations) => {
  expect(violations()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  ['a successful creation that is lost', () => check([create(1, 2, created)], []), /lost/],
  [
    'a successful update that is lost',
    () => check([create(1, 2, created), update(3, 4, updated)], [stored('created')]),
    /no effect|never existed/,
  ],
  [
    'a successful cancellation that is lost',
    () => check([create(1, 2, created), cancel(3, 4, cancellation)], [stored('created')]),
    /no effect/,
  ],
  [
    'a creation with two effects',
    () => check([create(1, 2)], [stored('created'), { ...stored('created'), id: 'inv_2', seq: 2 }]),
    /2 times/,
  ],
  [
    'an update with two effects',
    () => {
      const again = { eventType: 'invoice.updated', invoice: invoice({ amount: 200, updatedAt: at(9) }) };
      const between = { eventType: 'invoice.updated', invoice: invoice({ amount: 300, updatedAt: at(5) }) };
      const { id, seq, versions: two } = stored('created', 'updated');
      const other = update(3, 4, between.invoice, { body: { amount: 300 } });
      return check(
        [create(1, 2, created), update(3, 9), other],
        [{ id, seq, versions: [...two, between, again] }],
      );
    },
    /no operation made it/,
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
    'a replacement that did not cancel the invoice',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), replace(5, 6, replacement)],
        [stored('created', 'updated'), replacing],
      ),
    /no effect of its own/,
  ],
  [
    'a replacement whose new invoice is lost',
    () => check([create(1, 2, created), update(3, 4, updated), replace(5, 6, replacement)], [all]),
    /effect is lost/,
  ],
  [
    'a replaced invoice that is seen as pending after the new one was seen',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          replace(5, 12, replacement),
          call(6, 7, { kind: 'get', invoice: 'inv_2' }, replacement),
          get(8, 9, updated),
        ],
        [all, replacing],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a list without a successful creation',
    () => check([create(1, 2, created), list(3, 4, [])], [stored('created')]),
    /missing|certain/,
  ],
  [
    'a list without a row in the middle',
    () =>
      check(
        [create(1, 2, created), createSecond(3, 4, secondSnapshot), list(5, 6, [secondSnapshot], 2)],
        [stored('created'), second],
      ),
    /missing|rows/,
  ],
  [
    'a list with a creation that had not started',
    () => check([list(1, 2, [created]), create(3, 4, created)], [stored('created')]),
    /cannot match/,
  ],
  [
    'a list without a row that an earlier list showed',
    () => check([create(1, 2), list(3, 4, [created]), list(5, 6, [])], [stored('created')]),
    /missing/,
  ],
  [
    'a total that is too high',
    () => check([create(1, 2, created), list(3, 4, [created], 2, { limit: 1 })], [stored('created')]),
    /total is 2/,
  ],
  [
    'a total that is too low, on a page after the last row',
    () => check([create(1, 2, created), list(3, 4, [], 0, { offset: 5 })], [stored('created')]),
    /total is 0/,
  ],
  [
    'a total that counts an invoice by an earlier status',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          cancel(5, 6, cancellation),
          list(7, 8, [], 1, {
            status: 'pending',
            offset: 1,
          }),
        ],
        [all],
      ),
    /total is 1/,
  ],
  [
    'a page with fewer rows than its total says',
    () => check([create(1, 2, created), list(3, 4, [], 1)], [stored('created')]),
    /has 0 rows, expected 1 rows/,
  ],
  [
    'rows in the wrong order',
    () =>
      check(
        [create(1, 2, created), createSecond(3, 4, secondSnapshot), list(5, 6, [created, secondSnapshot])],
        [stored('created'), second],
      ),
    /order/,
  ],
  [
    'a duplicate row',
    () => check([create(1, 2, created), list(3, 4, [created, created])], [stored('created')]),
    /twice/,
  ],
  [
    'a row of another customer',
    () =>
      check([create(1, 2, created), list(3, 4, [created], 1, { customerId: 'cust_2' })], [stored('created')]),
    /customerId is cust_1/,
  ],
  [
    'a page that starts at the wrong row',
    () =>
      check(
        [
          create(1, 2, created),
          createSecond(3, 4, secondSnapshot),
          list(5, 6, [secondSnapshot], 2, { offset: 1 }),
        ],
        [stored('created'), second],
      ),
    /at position 1/,
  ],
  [
    'a row that does not match the filter',
    () => check([create(1, 2, created), list(3, 4, [created], 1, { status: 'paid' })], [stored('created')]),
    /shows/,
  ],
  [
    'a status that changes back',
    () =>
      check(
        [create(1, 2, created), update(3, 4), cancel(5, 6), get(7, 8, cancelled), get(9, 10, updated)],
        [all],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a change after a final status',
    () => {
      const late = { eventType: 'invoice.updated', invoice: { ...cancelled, amount: 300, updatedAt: at(3) } };
      const { id, seq, versions: before } = all;
      const other = update(7, 8, undefined, { body: { amount: 300 } });
      const calls = [create(1, 2, created), update(3, 4, updated), cancel(5, 6, cancellation), other];
      return check(calls, [{ id, seq, versions: [...before, late] }]);
    },
    /follows status cancelled/,
  ],
  [
    'a stale read after a successful write',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(5, 6, created)],
        [stored('created', 'updated')],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a stale row after a successful write',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), list(5, 6, [created])],
        [stored('created', 'updated')],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a read of a version before its operation started',
    () =>
      check(
        [create(1, 2, created), get(3, 4, updated), update(5, 6, updated)],
        [stored('created', 'updated')],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a read of a version that never existed',
    () => check([create(1, 2, created), get(3, 4, invoice({ amount: 1 }))], [stored('created')]),
    /never existed/,
  ],
  [
    '404 after a successful creation',
    () =>
      check(
        [create(1, 2, created), { ...get(3, 4, {}), ...error('invoice_not_found') }],
        [stored('created')],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a status error before its reason',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, {}, error('invoice_not_pending')),
          update(5, 6, updated),
          cancel(7, 8, cancellation),
        ],
        [all],
      ),
    /fits nowhere in the order/,
  ],
  [
    'a status error without a reason',
    () => check([create(1, 2, created), update(3, 4, {}, error('invoice_not_pending'))], [stored('created')]),
    /no reason/,
  ],
  [
    'a replay with different bytes',
    () =>
      check(
        [
          create(1, 2, created, { key: 'k' }),
          create(3, 4, created, { key: 'k', ...replay({ ...created, amount: 1 }) }),
        ],
        [stored('created')],
      ),
    /different bytes/,
  ],
  [
    'two original responses for one key',
    () =>
      check([create(1, 2, created, { key: 'k' }), create(3, 4, created, { key: 'k' })], [stored('created')]),
    /not marked as replays/,
  ],
  [
    'a repeated call that is refused because of its own effect',
    () =>
      check(
        [
          create(1, 2, created),
          update(3, 4, updated),
          cancel(5, 6, cancellation, { key: 'k' }),
          cancel(7, 8, {}, { key: 'k', ...error('invoice_already_cancelled') }),
        ],
        [all],
      ),
    /was refused/,
  ],
  [
    'two different requests with one key that both took effect',
    () =>
      check(
        [
          create(1, 2, created, { key: 'k' }),
          create(3, 4, secondSnapshot, { key: 'k', body: bodyOf(secondSnapshot) }),
        ],
        [stored('created'), second],
      ),
    /two different requests/,
  ],
  [
    'a refused operation that took effect',
    () => check([create(1, 2, {}, error('idempotency_key_reused'))], [stored('created')]),
    /was refused, but took effect/,
  ],
  [
    'an invoice that becomes overdue before its due date',
    () =>
      check(
        [create(1, 2, created), update(3, 4, updated), get(5, 6, overdue)],
        [stored('created', 'updated', 'overdue')],
        clockPastDueDate,
      ),
    /fits nowhere in the order/,
  ],
  [
    'a list without a change after quiescence',
    () => check([create(1, 2), list(5, 6, [])], [stored('created')], { quiescentAt: [4] }),
    /missing/,
  ],
  [
    'a server error during normal operation',
    () =>
      check(
        [
          {
            ...create(1, 2, {}),
            response: { status: 500, text: '{"error":{"code":"internal_error"}}', replayed: false },
          },
        ],
        [],
      ),
    /500/,
  ],
])('rejects: %s', (_, violations, expected) => {
  expect(violations().join('\n')).toMatch(expected);
});
