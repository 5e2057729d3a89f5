/** Tests the doubles of the payment providers as `npm start -- --provider-doubles` runs them. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  describeDoubles,
  type LocalDoubles,
  sendNotifications,
  startProviderDoubles,
} from '../../infra/local/doubles.ts';
import { modes } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import {
  type CheckoutRequest,
  hostedProviderNames,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createRazorpayProvider } from '../../shared/domain/payments/provider/razorpay.ts';
import { createStripeProvider } from '../../shared/domain/payments/provider/stripe.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';
import { waitUntil } from '../support/wait-until.ts';

let doubles: LocalDoubles;
let receiver: LoopbackServer;
const received: { path: string; headers: Record<string, string>; body: Buffer }[] = [];
const answers: number[] = [];

beforeAll(async () => {
  doubles = await startProviderDoubles({ stripe: 0, razorpay: 0 });
  receiver = await listenOnLoopback(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = request.headers as Record<string, string>;
      received.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks) });
      response.writeHead(answers.shift() ?? 200).end();
    }),
  );
});
afterAll(async () => {
  await doubles.close();
  await receiver.close();
});

const create = { stripe: createStripeProvider, razorpay: createRazorpayProvider };
const requestWith = (key: string): CheckoutRequest => ({
  key,
  invoiceId: 'inv_1',
  amountMinor: 2_500,
  currency: 'INR',
  description: 'Website',
  returnUrl: 'https://remit.example.com/pay/inv_1?checkout=co_1',
  createdAt: now(),
  expiresAt: now() + 2_700_000,
});

test('a payment is notified at the address of the account, and again after an error', async () => {
  sendNotifications(doubles, receiver.endpoint, {
    accountId: 'acct_1',
    plan: 'pro',
    keys: { test: '', live: '' },
  });
  for (const name of hostedProviderNames) {
    const double = doubles[name];
    const provider = create[name](double.credentials.live, { baseUrl: double.url });
    const begun = await provider.begin(requestWith(`co_${name}`));
    received.length = 0;
    answers.splice(0, answers.length, 500, 500);
    double.act(begun.kind === 'begun' ? begun.reference : '', 'pay');
    const expected = { kind: 'checkout', key: `co_${name}` };
    await waitUntil('the notification arrives again', () => {
      const read = received.map(({ headers, body }) => provider.readNotification(headers, body, now()));
      const own = read.filter((notification) => JSON.stringify(notification) === JSON.stringify(expected));
      return own.length >= 2;
    });
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set([`/notifications/${name}/acct_1`]));
  }
});

test('the terminal shows the addresses and the credentials', () => {
  const text = describeDoubles(doubles);
  for (const name of hostedProviderNames) {
    expect(text).toContain(doubles[name].url);
    for (const mode of modes) {
      const { apiKey, apiSecret = '', notificationSecrets } = doubles[name].credentials[mode];
      for (const part of [apiKey, apiSecret, ...notificationSecrets]) expect(text).toContain(part);
    }
  }
});

test('a port that is in use is an error that says what to do, and no double stays', async () => {
  const port = Number(new URL(doubles.razorpay.url).port);
  await expect(startProviderDoubles({ stripe: 0, razorpay: port })).rejects.toThrow(
    `Port ${port} is in use.`,
  );
  await expect(startProviderDoubles({ stripe: port, razorpay: 0 })).rejects.toThrow(
    `Port ${port} is in use.`,
  );
});
