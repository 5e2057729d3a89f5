/** An account of tests of mails: creates, sends and pays invoices, and makes the timers of their mails fire. */

import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { observeCalls, queueEvent } from '../infra/observed-calls.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { claimOnPage } from '../support/claims.ts';
import { switchMailsOn } from '../support/mails.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

export type MailAccount = Awaited<ReturnType<typeof newMailAccount>>;

/** Creates an account whose mails with invoices are on, and no others. */
export async function newMailAccount(stack: Stack) {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  await switchMailsOn(accountId, ['invoice']);
  return { accountId, api, ...mailsOfAccount(stack, accountId, api) };
}

function mailsOfAccount(stack: Stack, accountId: string, api: Api) {
  const create = async (fields = {}) => {
    const body = invoiceBody({ customerId: 'pema@example.bt', ...fields });
    const { json, status, text } = await api.post('/api/invoices', body, {
      headers: { 'X-API-Version': newestApiVersion },
    });
    if (status !== 201) throw new Error(text);
    return json;
  };
  const send = async (invoice: string, body = {}) => {
    const { json, status, text } = await api.post(`/api/invoices/${invoice}/send`, body);
    if (status !== 200) throw new Error(text);
    return json;
  };
  const mailsOf = async (invoice: string) => (await api.get(`/api/invoices/${invoice}/mails`)).json.data;
  const waitForState = (invoice: string, state: string, reason: string | null = null) =>
    waitUntil(`the mail is ${state}`, async () => {
      const [mail] = await mailsOf(invoice);
      return mail?.state === state && mail.reason === reason && mail;
    });
  const pay = async (invoiceId: string) => {
    const { status, text } = await api.post('/api/payments', { invoiceId, method: 'offline' });
    if (status !== 201) throw new Error(text);
  };
  const claim = async ({ id, paymentUrl }: { readonly id: string; readonly paymentUrl: string }) => {
    const sent = await claimOnPage({ paymentUrl }, { reference: id });
    if (sent.status !== 303) throw new Error(sent.text);
    const { json } = await api.get(`/api/invoices/${id}`, { headers: { 'X-API-Version': newestApiVersion } });
    return { claim: json.claim.id as string };
  };
  const timersOfMails = async () =>
    (await tableOf(stack).all('TIMER#')).filter(
      ({ kind, reference }) => kind === 'mail' && String(reference).startsWith(accountId),
    );
  const hasNoTimerOfMail = async () => (await timersOfMails()).length === 0;
  /** Makes the timers of the account's mails fire, as the sweep does. */
  const fireTimersOfMails = async (
    run?: Awaited<ReturnType<typeof observeCalls>>['run'],
    crash?: () => boolean,
  ) => {
    const runFunction = run ?? (await observeCalls(stack, '')).run;
    for (const timer of await timersOfMails())
      await runFunction('functions/background/send-mail.ts', queueEvent(timer), crash);
  };
  return {
    create,
    send,
    mailsOf,
    waitForState,
    pay,
    claim,
    timersOfMails,
    hasNoTimerOfMail,
    fireTimersOfMails,
  };
}
