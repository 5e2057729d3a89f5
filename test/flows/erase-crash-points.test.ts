/** Tests an erasure that is killed at any write, and one that runs beside requests for the same records. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { runOutsideFunctions } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { findTexts } from '../support/find-texts.ts';
import type { HttpResponse } from '../support/http.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation, runAsInvocation } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let erasure: typeof import('../../shared/operations/erasure/erase-customer.ts');
let faults: FaultLayer | undefined;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  erasure = await import('../../shared/operations/erasure/erase-customer.ts');
});
afterEach(() => {
  faults?.remove();
  faults = undefined;
});
afterAll(() => stack.close());

/** A customer with one invoice, in an account of its own. */
interface Subject {
  readonly customer: string;
  readonly owner: Owner;
  readonly api: Api;
  readonly invoice: string;
  /** The payment of the invoice. */
  readonly payment?: string;
}

const textsOf = ({ customer }: Subject) => [
  customer,
  `description of ${customer}`,
  `reference of ${customer}`,
  `reason of ${customer}`,
];
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Returns what a request created or changed. It must succeed. */
async function done(response: Promise<HttpResponse>): Promise<TestItem> {
  const { status, json } = await response;
  expect({ status, json }).toMatchObject({ status: status === 200 ? 200 : 201 });
  return json;
}
const create = ({ api, customer }: Pick<Subject, 'api' | 'customer'>) => {
  const body = invoiceBody({ customerId: customer, description: `description of ${customer}` });
  return api.post('/api/invoices', body, underKey('create'));
};
const pay = ({ api, customer, invoice: invoiceId }: Subject) =>
  api.post('/api/payments', { invoiceId, method: 'offline', reference: `reference of ${customer}` });
const refund = ({ api, customer, payment: paymentId }: Subject) =>
  api.post('/api/refunds', { paymentId, amount: 100, reason: `reason of ${customer}` });

async function newSubject(name: string, isPaid: boolean): Promise<Subject> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const customer = `${name}@example.bt`;
  const { id: invoice } = await done(create({ api, customer }));
  const subject: Subject = { customer, owner: { account: accountId, mode: 'test' }, api, invoice };
  return isPaid ? { ...subject, payment: (await done(pay(subject))).id } : subject;
}

/** A run asks again and again until all is relayed, and each time it writes. Waiting for it keeps the number of writes the same. */
async function untilRelayed({ account, mode }: Owner): Promise<void> {
  await waitUntil(
    'the changes are relayed',
    async () => (await table.outboxOf(`${account}#${mode}`)).length === 0,
  );
}
const erase = ({ owner, customer }: Subject) =>
  runOutsideFunctions(() =>
    erasure.eraseCustomer(owner, customer, {
      pseudonym: erasure.newPseudonym(),
      dryRun: false,
      wait: () => untilRelayed(owner),
      onProgress: () => {},
    }),
  );

/** Expects that nothing is left of the customers, that each list has moved to its pseudonym, and that all agrees. */
async function expectErased(subjects: readonly Subject[]): Promise<void> {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  expect(findTexts(await table.all(''), subjects.flatMap(textsOf))).toEqual([]);
  for (const { api, owner, customer, invoice } of subjects) {
    const { customerId } = (await api.get(`/api/invoices/${invoice}`)).json;
    expect(customerId).toMatch(/^erased-/);
    const totals = [customer, customerId].map((each) => api.get(`/api/invoices?customerId=${each}`));
    expect((await Promise.all(totals)).map(({ json }) => json.pagination.total)).toEqual([0, 1]);
    const result = await reconcileNow(owner, { full: true, waitsMs: [0] });
    expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
  }
}

const isWrite = (operation: string) => /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation);

test('a run that is killed at any write is completed by the next run, with the same pseudonym', async () => {
  const subjects = await Promise.all(
    Array.from({ length: 48 }, async (_, at) => {
      const subject = await newSubject(`killed-at-${at}`, true);
      const { id } = await done(refund(subject));
      // Each run then finds the same records, so it makes the same writes.
      await waitUntil('the refund is processed', async () => {
        return (await subject.api.get(`/api/refunds/${id}`)).json.status === 'processed';
      });
      return subject;
    }),
  );
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  const atWrite = new Map(subjects.map(({ customer }, at) => [customer, at]));
  const writes = new Map<string, number>();
  faults = await installFaults({
    seed: 0,
    script: ({ label, operation }) => {
      const at = atWrite.get(label);
      if (at === undefined || !isWrite(operation)) return undefined;
      const count = writes.get(label) ?? 0;
      writes.set(label, count + 1);
      return count === at ? 'crash after call' : undefined;
    },
  });
  const runs = subjects.map((subject) => runAsInvocation(subject.customer, () => erase(subject)));
  const killed = (await Promise.allSettled(runs)).map(({ status }) => status === 'rejected');
  faults.remove();
  const interrupted = subjects.filter((_, at) => killed[at]);
  expect(interrupted.length).toBeGreaterThan(20);
  // A run makes fewer writes than there are cases, so each of its writes is a case.
  expect(killed.at(-1)).toBe(false);

  const begun = (await table.all('ERASURE#')).map(({ pseudonym }) => pseudonym);
  const again = await Promise.all(interrupted.map(erase));
  const pseudonyms = new Set(again.map(({ pseudonym }) => pseudonym));
  expect(begun.length).toBeGreaterThan(interrupted.length - 4);
  expect(begun.filter((pseudonym) => !pseudonyms.has(pseudonym))).toEqual([]);
  expect(await table.all('ERASURE#')).toEqual([]);
  await expectErased(subjects);
  for (const subject of subjects) {
    const { status, json } = await create(subject);
    expect([status, json.id, json.description]).toEqual([201, subject.invoice, '[erased]']);
  }
});

/** The requests that run beside an erasure: what each needs, and what must be left of it. */
const requests = [
  {
    what: 'amount',
    send: ({ api, invoice }: Subject) => done(api.patch(`/api/invoices/${invoice}`, { amount: 9999 })),
    expected: { amount: 9999, status: 'pending' },
  },
  {
    what: 'description',
    send: ({ api, customer, invoice }: Subject) => {
      const description = `new description of ${customer}`;
      return done(api.patch(`/api/invoices/${invoice}`, { description }, underKey('update')));
    },
    expected: { description: '[erased]', status: 'pending' },
  },
  {
    what: 'payment',
    send: (subject: Subject) => done(pay(subject)),
    expected: { status: 'paid' },
  },
  {
    what: 'cancellation',
    send: ({ api, invoice }: Subject) => done(api.delete(`/api/invoices/${invoice}`)),
    expected: { status: 'cancelled' },
  },
  {
    what: 'refund',
    send: (subject: Subject) => done(refund(subject)),
    expected: { status: 'paid' },
  },
] as const;

type Case = (typeof requests)[number] & { readonly subject: Subject };

const newCase = async (request: (typeof requests)[number], name: string): Promise<Case> => ({
  ...request,
  subject: await newSubject(`${request.what}-${name}`, request.what === 'refund'),
});

async function expectEffects(cases: readonly Case[]): Promise<void> {
  await expectErased(cases.map(({ subject }) => subject));
  for (const { expected, subject } of cases)
    expect((await subject.api.get(`/api/invoices/${subject.invoice}`)).json).toMatchObject(expected);
  for (const { what, subject } of cases) {
    if (what !== 'refund') continue;
    const { data } = (await subject.api.get('/api/refunds')).json;
    expect(data).toMatchObject([{ amount: 100, reason: '[erased]' }]);
  }
}

test('a request before or after any commit of the run has its effect, and brings nothing back', async () => {
  const cases = await Promise.all(
    requests.flatMap((request) =>
      (request.what === 'refund' ? [0, 1] : [0]).flatMap((at) =>
        (['before', 'after'] as const).map(async (side) => ({
          ...(await newCase(request, `${side}-${at}`)),
          at,
          side,
        })),
      ),
    ),
  );
  const byLabel = new Map(cases.map((each) => [each.subject.customer, each]));
  const commits = new Map<string, number>();
  const { remove } = interceptCalls(async ({ operation }, send) => {
    const running = byLabel.get(currentInvocation()?.label ?? '');
    if (!running || operation !== 'TransactWriteItems') return send();
    const { subject, at, side } = running;
    const count = commits.get(subject.customer) ?? 0;
    commits.set(subject.customer, count + 1);
    if (count !== at) return send();
    if (side === 'before') await running.send(subject);
    const answer = await send();
    if (side === 'after') await running.send(subject);
    return answer;
  });
  const runs = cases.map(({ subject }) => runAsInvocation(subject.customer, () => erase(subject)));
  await Promise.all(runs).finally(remove);
  for (const { subject, at } of cases) expect(commits.get(subject.customer)).toBeGreaterThan(at);
  await expectEffects(cases);
});

test('a card payment that is at the provider during the run gets its outcome, and its answer is erased', async () => {
  const subject = await newSubject('at-the-provider', false);
  const body = cardPaymentBody(subject.invoice, cards.completes);
  const send = () => subject.api.post('/api/payments', body, underKey('card'));
  let erased: Awaited<ReturnType<typeof erase>> | undefined;
  let isFirst = true;
  const { remove } = interceptCalls(async (call, next) => {
    if (isFirst && call.body.includes('TESTPROVIDER')) {
      isFirst = false;
      erased = await erase(subject);
    }
    return next();
  });
  const first = await done(send()).finally(remove);
  expect(erased?.counts).toMatchObject({ invoices: 1, payments: 1 });
  expect(first).toMatchObject({ status: 'completed', customerId: erased?.pseudonym });
  expect((await send()).json).toEqual(first);
  await expectErased([subject]);
});

test('beside requests with conflicts and lost answers, all have their effect, and nothing is brought back', async () => {
  const cases = await Promise.all([0, 1].flatMap((n) => requests.map((each) => newCase(each, `${n}`))));
  faults = await installFaults({ seed: 7, conflicts: true, responseLost: 0.02, throttled: 0.02 });
  await Promise.all(
    cases.map(({ subject, send }) =>
      runAsInvocation(subject.customer, () => Promise.all([erase(subject), send(subject)])),
    ),
  );
  faults.remove();
  await expectEffects(cases);
});
