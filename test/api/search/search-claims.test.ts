/** Searches claims of payers by their IDs and journal numbers, and invoices by the email address of their own buyer. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { claimOnPage } from '../../support/claims.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const testApi = (account: TestAccount) => {
  const api = inNewestVersion(account.test);
  return {
    ...api,
    /** Returns what a search finds, and why. */
    find: async (q: string) => {
      const { status, json } = await api.get(`/api/search?q=${encodeURIComponent(q)}`);
      expect([q, status]).toEqual([q, 200]);
      return json.data.map(({ id, matchedBy }: Record<string, string>) => [id, matchedBy]);
    },
    relayed: () => untilRelayed(tableOf(stack), `${account.accountId}#test`),
  };
};

test('an open claim is found by its ID and its journal number, and a confirmed one leads to its payment', async () => {
  const account = await newAccount(stack.baseUrl);
  const { post, get, find, relayed } = testApi(account);
  const claimNew = async (reference: string) => {
    const { json: invoice } = await post('/api/invoices', invoiceBody());
    expect((await claimOnPage(invoice, { reference })).status).toBeLessThan(400);
    await relayed();
    const { claim } = (await get(`/api/invoices/${invoice.id}`)).json;
    return { invoice: invoice.id as string, claim: claim.id as string };
  };
  const [one, other] = [await claimNew('JRN 120455'), await claimNew('JRN 120456')];
  expect(await find(one.claim)).toEqual([[one.invoice, 'claim']]);
  for (const q of ['JRN 120455', 'jrn-120455', 'JRN120455'])
    expect([q, await find(q)]).toEqual([q, [[one.invoice, 'reference']]]);
  expect(await find('JRN 12045')).toEqual([]);
  const reject = { claimId: one.claim, reason: 'No such transfer' };
  expect((await post(`/api/invoices/${one.invoice}/claim/reject`, reject)).status).toBe(200);
  const confirm = { invoiceId: other.invoice, method: 'offline', claim: other.claim };
  const { json: payment } = await post('/api/payments', confirm);
  await relayed();
  expect(await find('JRN 120455')).toEqual([]);
  expect(await find('JRN 120456')).toEqual([[payment.id, 'reference']]);
  expect(await find(other.claim)).toEqual([[payment.id, 'claim']]);
});

test('an invoice is found by the email address of its own buyer, in any case', async () => {
  const account = await newAccount(stack.baseUrl);
  const { post, patch, find, relayed } = testApi(account);
  const buyer = { name: 'Pema Lhamo', email: 'Pema@Example.bt' };
  const { customerId: _, ...body } = invoiceBody();
  const { json: invoice } = await post('/api/invoices', { ...body, buyer });
  await relayed();
  for (const q of ['Pema@Example.bt', 'pema@example.bt'])
    expect([q, await find(q)]).toEqual([q, [[invoice.id, 'email']]]);
  expect(await find('lhamo@example.bt')).toEqual([]);
  expect((await patch(`/api/invoices/${invoice.id}`, { buyer: { name: 'Pema' } })).status).toBe(200);
  expect(await find('pema@example.bt')).toEqual([[invoice.id, 'customer']]);
});
