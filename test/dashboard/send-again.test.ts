/** Tests the button that sends a mail again whose outcome nobody knows. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { switchMailsOn } from '../support/mails.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;

beforeAll(async () => {
  stack = await startTestStack({ ...withDashboard() });
  account = await newDashboardAccount(stack);
  await switchMailsOn(account.accountId, ['invoice', 'failure']);
});
afterAll(() => stack?.close());

test('each kind of mail whose outcome is unknown is sent again as it was', async () => {
  const customerId = 'unknown@example.bt';
  const { id } = (await account.test.post('/api/invoices', invoiceBody({ customerId }))).json;
  await account.test.post('/api/payments', cardPaymentBody(id, cards.declined));
  const { json: payments } = await account.test.get(`/api/payments?invoiceId=${id}`);
  const about = payments.data[0].id;
  const path = `/api/invoices/${id}`;
  const mailsOf = async (): Promise<{ id: string; kind: string; state: string }[]> =>
    (await account.test.get(`${path}/mails`)).json.data;
  for (const body of [{}, { kind: 'reminder' }, { kind: 'failure', about }])
    expect((await account.test.post(`${path}/send`, { ...body, to: `${about}@example.bt` })).status).toBe(
      200,
    );
  const sent = await waitUntil('they are sent', async () => {
    const mails = await mailsOf();
    return mails.every(({ state }) => state === 'sent' || state === 'skipped') ? mails : undefined;
  });
  const table = tableOf(stack);
  const owner = { account: account.accountId, mode: 'test' } as const;
  for (const mail of sent) {
    const key = tableKeys.mail(owner, mail.id);
    await table.put({ ...(await table.get(key)), ...key, state: 'unknown', reason: 'no_answer' });
  }
  const user = await signedIn(stack);
  const page = account.path(`/invoices/${id}`);
  const { text } = await user.get(page);
  expect(text).toContain('Nobody knows whether it went out.');
  const links = [...text.matchAll(/href="([^"]*\/send\?[^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
  expect(links.map((link) => link.split('?')[1]).sort()).toEqual([
    `kind=failure&about=${about}`,
    'kind=invoice',
    'kind=reminder',
  ]);
  for (const link of links) {
    const form = await user.get(link);
    expect(form.text).toContain('If the earlier one went out after all, its reader gets both.');
    expect((await user.submit(form, `/invoices/${id}/send`, {})).status).toBe(303);
  }
  const kinds = (await mailsOf()).map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['failure', 'failure', 'invoice', 'invoice', 'reminder', 'reminder']);
  const viewer = await signedIn(stack, 'viewer');
  expect((await viewer.get(page)).text).not.toContain('/send?');
});
