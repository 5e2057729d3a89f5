/**
 * Tests live payments with each provider: the whole way from the connection to the comparison of the books, and that a
 * notification settles a payment at once.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { connectProvider } from '../../shared/domain/payments/connections/manage.ts';
import { providerFacts } from '../../shared/domain/payments/connections/provider-facts.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import {
  beginPaying,
  payAtDouble,
  payButtonOf,
  pressPay,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { run, runJson } from '../support/command-line.ts';
import { invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { openPage } from '../support/pay-page.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let directory: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  directory = await mkdtemp(join(tmpdir(), 'remit-checkouts-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack.close();
});

const expectedOf: Readonly<Record<HostedProviderName, { currency: string; button: string }>> = {
  stripe: { currency: 'USD', button: 'Pay $25.00' },
  razorpay: { currency: 'INR', button: 'Pay ₹25.00' },
};

const typesOf = async (api: Api) => {
  const { json } = await api.get('/api/events?limit=10');
  return json.data.map(({ type }: { type: string }) => type).toReversed();
};

test.each(hostedProviderNames)(
  '%s: the notification settles the payment, half is refunded, and the books agree',
  async (provider) => {
    const { currency, button } = expectedOf[provider];
    const { double, close } = await startCheckoutDouble(stack, { provider });
    try {
      const { accountId, live: api } = await newAccount(stack.baseUrl);
      const file = join(directory, `${provider}.json`);
      const { notificationSecrets, ...keys } = double.credentials.live;
      await writeFile(file, JSON.stringify({ ...keys, notificationSecret: notificationSecrets[0] }), {
        mode: 0o600,
      });
      const account = ['--account', accountId];
      const connected = await runJson('providers', [
        ...['connect', provider, ...account, '--mode', 'live', '--currencies', currency],
        ...['--credentials-file', file],
      ]);
      expect(connected).toMatchObject({ provider, events: [...providerFacts[provider].events] });
      // The command does not know the address of this stack.
      const { pathname } = new URL(connected.notificationAddress.replace(/<[^>]*>/, 'api'));
      double.notifications.sendTo('live', `${stack.baseUrl}${pathname}`);

      const body = { ...invoiceBody(), amount: 2500, currency };
      const { json: invoice } = await api.post('/api/invoices', body);
      const page = await openPage(invoice.paymentUrl);
      expect(page.text).toContain(button);
      expect(page.text).not.toContain('name="number"');
      const reference = referenceIn(await pressPay(invoice.paymentUrl, payButtonOf(page)));
      const path = `/api/invoices/${invoice.id}`;
      const paymentsOf = async () => (await api.get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
      expect([(await api.get(path)).json.status, await paymentsOf()]).toEqual(['pending', []]);

      expect(double.act(reference, 'pay')).toBe(true);
      await waitUntil('the invoice is paid', async () => (await api.get(path)).json.status === 'paid');
      // The worker adds the payment to the lists after the transaction.
      const payments = await waitUntil('the payment is listed', async () => {
        const listed = await paymentsOf();
        return listed.length > 0 && listed;
      });
      expect(payments).toEqual([
        expect.objectContaining({
          status: 'completed',
          method: 'provider',
          amount: 2500,
          currency,
          card: { brand: 'visa', last4: '4242' },
          dispute: null,
        }),
      ]);
      const [payment] = payments;
      const booked = () => double.books().filter(({ reference: id }) => id === payment.reference);
      expect(booked()).toEqual([expect.objectContaining({ amountMinor: 2500, currency, refunds: [] })]);
      expect((await openPage(invoice.paymentUrl)).text).toContain('This page is your receipt');

      const { json: refund } = await api.post('/api/refunds', { paymentId: payment.id, amount: 1250 });
      const isProcessed = async () =>
        (await api.get(`/api/refunds/${refund.id}`)).json.status === 'processed';
      await waitUntil('the refund is processed', isProcessed);
      expect(booked()[0]?.refunds).toEqual([expect.objectContaining({ key: refund.id, amountMinor: 1250 })]);
      await waitUntil('all events are stored', async () => (await typesOf(api)).length === 4);
      expect(await typesOf(api)).toEqual([
        'invoice.created',
        'payment.completed',
        'invoice.paid',
        'refund.processed',
      ]);

      const { code, out } = await run('reconcile', ['run', ...account, '--json']);
      expect([code, JSON.parse(out)]).toEqual([
        0,
        expect.objectContaining({ providerPayments: 1, differences: [] }),
      ]);
    } finally {
      await close();
    }
  },
);

test.each(hostedProviderNames)(
  '%s: the message of a notification is sent at once, and the worker settles with this message alone',
  async (provider) => {
    const checkouts = await startCheckoutDouble(stack, { provider });
    const { double } = checkouts;
    const clock = stopClock();
    try {
      const merchant = await checkouts.newMerchant();
      const invoice = await merchant.newInvoice();
      await stack.queues.pause();
      await payAtDouble(double, invoice.paymentUrl);
      const table = tableOf(stack);
      const checkout = (await table.all('co_')).find(({ invoiceId }) => invoiceId === invoice.id);
      const dueTimes = async () =>
        (await table.all('TIMER#')).flatMap(({ due, reference }) =>
          reference === checkout?.pk ? [due - clock.now()] : [],
        );
      // A payment of another test can have a message, too: the worker asks for its fees.
      const messagesOf = async () => (await receive()).filter(({ reference }) => reference === checkout?.pk);
      await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
      // Without a notification, the worker asks after 30 seconds.
      expect([await dueTimes(), await messagesOf()]).toEqual([[30_000], []]);

      const last = double.notifications.all.at(-1);
      expect(last && (await double.notifications.send(checkouts.notificationUrl(merchant), last))).toBe(200);
      expect((await dueTimes()).toSorted((a, b) => a - b)).toEqual([0, 30_000]);
      // A message with a delay could not be received yet.
      const messages = await messagesOf();
      expect(messages).toEqual([
        expect.objectContaining({ kind: 'checkout', due: clock.now(), reference: checkout?.pk }),
      ]);
      const { handler } = triggers.settleCheckout;
      expect(await invokeWorker(provider, handler, toQueueEvent({ ...messages[0] }))).toBe(false);
      expect((await merchant.api.get(`/api/invoices/${invoice.id}`)).json.status).toBe('paid');
      expect(await dueTimes()).toEqual([30_000]);
    } finally {
      await purgeQueues(stack);
      stack.queues.resume();
      setClock();
      await checkouts.close();
    }
  },
);

/** Receives all messages of the checkout queue that are not delayed. */
async function receive(): Promise<Record<string, unknown>[]> {
  const sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region: 'us-east-1' });
  const request = { QueueUrl: stack.queueUrls.checkout.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(request));
  sqs.destroy();
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

test('an Indian account at Stripe asks payers in another currency for their address', async () => {
  const { double, close } = await startCheckoutDouble(stack);
  try {
    double.behavior.country = 'IN';
    const account = await newAccount(stack.baseUrl);
    const owner = { account: account.accountId, mode: 'live' } as const;
    const { apiKey, notificationSecrets } = double.credentials.live;
    const entered = { apiKey, notificationSecret: notificationSecrets[0] ?? '' };
    await connectProvider(owner, 'stripe', { entered }, operatorOrigin);
    const addressOf = async (currency: string) => {
      const { json } = await account.live.post('/api/invoices', { ...invoiceBody(), currency });
      referenceIn(await beginPaying(json.paymentUrl));
      return new URLSearchParams(double.requests.at(-1)?.body).get('billing_address_collection');
    };
    expect([await addressOf('USD'), await addressOf('INR')]).toEqual(['required', null]);
  } finally {
    await close();
  }
});

const operatorOrigin = {
  actor: { type: 'operator', id: 'local:test' },
  action: 'provider.connect',
  requestId: null,
  source: null,
} as const;
