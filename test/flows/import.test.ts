/** Tests that `remit import` creates each record once: repeated, interrupted, and beside records of others. Takes 6 seconds. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ImportPlan } from '../../cli/import-plan.ts';
import { runImport } from '../../cli/import-run.ts';
import { Remit } from '../../client/src/remit.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: TestAccount;
let remit: Remit;

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  remit = clientOf(fetch);
});
afterAll(() => stack.close());

const clientOf = (send: typeof fetch, apiKey = account.test.apiKey) =>
  new Remit({ apiKey, baseUrl: stack.baseUrl, fetch: send, maxRetries: 0 });

const metadata = { importedFrom: 'stripe' };
const plan: ImportPlan = {
  customers: ['cus_1', 'cus_2'].map((id, at) => ({
    kind: 'customers',
    line: at + 2,
    id,
    body: { name: `Customer ${id}`, reference: id, metadata },
  })),
  products: [{ line: 2, body: { name: 'Tea', unitAmounts: { BTN: 100 } } }],
  invoices: ['A-1', 'A-2', 'A-3'].map((number, at) => ({
    line: at + 2,
    number,
    customer: at === 2 ? 'cus_2' : 'cus_1',
    body: { amount: 100 + at, currency: 'BTN', description: 'Tea', reference: number, metadata },
  })),
  leftOut: [],
  numbers: [],
};
const options = { tool: 'stripe', newNumbers: false, next: undefined } as const;
const none = { customers: 0, products: 0, invoices: 0 };
const all = { customers: 2, products: 1, invoices: 3 };

async function stored() {
  const [customers, products, invoices] = await Promise.all([
    remit.customers.list(),
    remit.products.list(),
    remit.invoices.list(),
  ]);
  return { customers: customers.data, products: products.data, invoices: invoices.data };
}

const untilListed = (counts: typeof none) =>
  waitUntil('the lists show the records', async () => {
    const found = await stored();
    const bySource = await remit.customers.list({ reference: 'cus_1' });
    return (
      bySource.data.length === Math.min(1, counts.customers) &&
      Object.entries(counts).every(([kind, count]) => found[kind as keyof typeof found].length === count)
    );
  });

test('an import creates each record, and a repetition creates nothing', async () => {
  const first = await runImport(remit, plan, options);
  expect(first).toMatchObject({ created: all, existing: none, leftOut: [], remarks: [] });
  await untilListed(all);
  const second = await runImport(remit, plan, options);
  expect(second).toMatchObject({ created: none, existing: all, leftOut: [] });
  const { customers, invoices } = await stored();
  const [customer] = customers.filter(({ reference }) => reference === 'cus_2');
  expect(invoices.filter(({ reference }) => reference === 'A-3')).toMatchObject([
    { customerId: customer?.id, amount: 102, number: null, metadata },
  ]);
  await untilListed(all);
});

test('an import that ends after any request goes on where it was', async () => {
  // The first request that makes a record is the fifth. Each later run gets further.
  const ends = isExhaustive ? Array.from({ length: 16 }, (_, at) => at + 1) : [6, 9];
  for (const requests of ends) {
    let left = requests;
    const dying: typeof fetch = async (...sent) => {
      left -= 1;
      if (left < 0) throw new Error('The process has ended.');
      const response = await fetch(...sent);
      // The service has made the record, and the response is lost.
      if (left === 0) throw new Error('The process has ended.');
      return response;
    };
    // Without retries in the client, as if the process had ended.
    await runImport(withoutRetries(clientOf(dying)), plan, options).catch(() => undefined);
  }
  await runImport(remit, plan, options);
  await untilListed(all);
});

test('two imports at the same time create each record once', async () => {
  const outcomes = await Promise.all([1, 2].map(() => runImport(remit, plan, options)));
  for (const { leftOut } of outcomes) expect(leftOut).toEqual([]);
  await untilListed(all);
});

test('a record of another source is not taken for an imported one, and what the API refuses is left out', async () => {
  const api = inNewestVersion(account.test);
  const other = (await api.post('/api/customers', { name: 'Other', reference: 'cus_1' })).json;
  const { id } = (await api.post('/api/invoices', invoiceBody({ reference: 'A-3' }))).json;
  await waitUntil(
    'the reference leads to the customer',
    async () => (await remit.customers.list({ reference: 'cus_1' })).data.length === 1,
  );
  const products = [{ line: 2, body: { name: 'Tea', unitAmounts: { BTN: 100 }, tax: 'no_such' } }];
  const outcome = await runImport(remit, { ...plan, products }, options);
  expect(outcome.created).toEqual({ customers: 1, products: 0, invoices: 0 });
  expect(outcome.leftOut.map(({ kind, line, reason }) => [kind, line, reason])).toEqual([
    [
      'invoices',
      4,
      `${id} has this reference, and was not imported. If it is the same, set its metadata importedFrom to stripe.`,
    ],
    [
      'customers',
      2,
      `${other.id} has this reference, and was not imported. If it is the same, set its metadata importedFrom to stripe.`,
    ],
    ['products', 2, expect.stringContaining('tax')],
    ['invoices', 2, 'Its customer was left out.'],
    ['invoices', 3, 'Its customer was left out.'],
  ]);
});

test('with a seller profile, invoices get numbers only if the caller wants it, and go on after the highest one', async () => {
  await expect(runImport(remit, plan, { ...options, next: 43 })).rejects.toThrow('has no seller profile');
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const owner = { account: account.accountId, mode: 'test' } as const;
  const permissions = [
    'account:read',
    'account:write',
    'customers:write',
    'customers:read',
    'invoices:write',
    'invoices:read',
    'products:write',
    'products:read',
  ] as const;
  const { value } = await createKey({ owner, name: 'Import', permissions });
  const importing = clientOf(fetch, value);
  await waitUntil(
    'requests know the profile',
    async () => (await importing.account.retrieve()).seller !== null,
  );
  await expect(runImport(importing, plan, options)).rejects.toThrow('would get a new number');
  expect(await stored()).toEqual({ customers: [], products: [], invoices: [] });
  const numbered = { ...options, newNumbers: true, next: 43 };
  const first = await runImport(importing, plan, numbered);
  expect(first).toMatchObject({ created: all, remarks: ['The next invoice number is 43.'] });
  const numbers = async () =>
    (await stored()).invoices.map(({ number }) => Number(/\d+$/.exec(number ?? '')?.[0]));
  await waitUntil(
    'the invoices have numbers',
    async () => (await numbers()).toSorted().join() === '43,44,45',
  );
  const second = await runImport(importing, plan, numbered);
  expect(second).toMatchObject({ created: none, existing: { invoices: 3 } });
  expect(second.remarks).toEqual([expect.stringContaining('is not set again')]);
  await expect(runImport(importing, { ...plan, invoices: [] }, { ...options, next: 7 })).rejects.toThrow(
    'have reached 45',
  );
});

/** The import retries for minutes. Here, each request has one attempt. */
function withoutRetries(client: Remit): Remit {
  const failing = (group: object): object =>
    new Proxy(group, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) =>
          method(...args.slice(0, -1), { ...(args.at(-1) as object), maxRetries: 0 });
      },
    });
  return new Proxy(client, { get: (target, name) => failing(Reflect.get(target, name)) });
}
