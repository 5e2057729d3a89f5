/** Tests that an invoice is found by the reference that its payment page shows. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import {
  type Api,
  invoiceBody,
  listenToRequestLog,
  newAccount,
  type TestAccount,
} from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { openPage } from '../../support/pay-page.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let account: TestAccount;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  log = await listenToRequestLog();
});
afterAll(() => stack.close());

interface Invoice {
  readonly id: string;
  readonly paymentUrl: string;
}

const create = async (api: Api, fields = {}): Promise<Invoice> =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;
const referenceOn = async ({ paymentUrl }: Invoice) => {
  const { text } = await openPage(paymentUrl);
  return /<dt>Payment reference<\/dt><dd><strong class="id">([0-9A-Z-]{9})</.exec(text)?.[1] ?? '';
};
const find = (api: Api, reference: string, more = '') =>
  api.get(`/api/invoices?paymentReference=${encodeURIComponent(reference)}${more}`);

test('the invoice is found by the reference of its page, in two calls, also as people type it', async () => {
  const [invoice] = [await create(account.test), await create(account.test)];
  const reference = await referenceOn(invoice);
  expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  const stored = (await account.test.get(`/api/invoices/${invoice.id}`)).json;
  for (const typed of [reference, reference.toLowerCase().replace('-', ' '), reference.replace('-', '')]) {
    const found = await find(account.test, typed);
    expect(found.json).toEqual({
      data: [stored],
      pagination: { total: 1, limit: expect.any(Number), offset: 0, hasMore: false },
    });
    expect(log.lineOf(found)).toMatchObject({ dynamodbCallsInSequence: 2, dynamodbCalls: 3 });
  }
});

test('other filters, the offset, the other mode and other accounts apply', async () => {
  const invoice = await create(account.test, { customerId: 'cust_9' });
  const reference = await referenceOn(invoice);
  const totals = async (more: string) => {
    const { json } = await find(account.test, reference, more);
    return [json.pagination.total, json.data.length];
  };
  expect(await totals('&status=pending&customerId=cust_9')).toEqual([1, 1]);
  expect(await totals('&status=paid')).toEqual([0, 0]);
  expect(await totals('&customerId=cust_8')).toEqual([0, 0]);
  expect(await totals('&offset=1')).toEqual([1, 0]);
  await create(account.live);
  const other = await newAccount(stack.baseUrl);
  await create(other.test);
  for (const api of [account.live, other.test])
    expect((await find(api, reference)).json.data).not.toContainEqual(
      expect.objectContaining({ id: invoice.id }),
    );
});

test('a wrong check character, another length and a repeated parameter are refused with the reason', async () => {
  const reference = await referenceOn(await create(account.test));
  const wrong = (reference.startsWith('0') ? '1' : '0') + reference.slice(1);
  const response = await find(account.test, wrong);
  expectError(response, 400, 'invalid_reference', 'paymentReference');
  expect(response.json.error.message).toContain('check characters do not fit');
  expectError(await find(account.test, 'R7K2'), 400, 'invalid_reference', 'paymentReference');
  expectError(
    await find(account.test, reference, `&paymentReference=${reference}`),
    400,
    'invalid_reference',
    'paymentReference',
  );
});
