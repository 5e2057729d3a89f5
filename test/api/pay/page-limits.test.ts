/** Tests the limits of the payment page: of attempts by invoice, address and visit, and of requests by address. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { now } from '../../../shared/base/time.ts';
import { accountStateAttributes } from '../../../shared/store/account-state.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../../support/api.ts';
import { setClock, stopClock } from '../../support/clock.ts';
import { exhaustiveTest } from '../../support/exhaustive-test.ts';
import { freshAddress, type HttpResponse, request } from '../../support/http.ts';
import { interceptCalls } from '../../support/intercept-calls.ts';
import { attemptOf } from '../../support/pay.ts';
import { formOf, goodCard, openPage, submit } from '../../support/pay-page.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
  // The limits apply to a clock hour, so the tests begin at the beginning of one.
  const toNextHourMs = hourMs - (Date.now() % hourMs);
  setClock(() => Date.now() + toNextHourMs);
});
afterAll(async () => {
  setClock();
  await stack.close();
});

const hourMs = 3_600_000;

interface Invoice {
  readonly id: string;
  readonly paymentUrl: string;
}

const declinedCard = { ...goodCard, number: '4000000000000002' };
const invoiceOf = async (api: Api): Promise<Invoice> => (await api.post('/api/invoices', invoiceBody())).json;
const statusOf = async (api: Api, { id }: Invoice) => (await api.get(`/api/invoices/${id}`)).json.status;

let attempts = 0;
/** Sends a new attempt with a declined card. By default it has no visit and comes from a new address. */
const sendDeclined = ({ paymentUrl }: Invoice, options: { visit?: string; localAddress?: string } = {}) => {
  const { visit, ...from } = options;
  const fields = { attempt: attemptOf(attempts++), version: '1', amount: '2500', ...declinedCard };
  return submit(paymentUrl, { ...fields, ...(visit && { visit }) }, from);
};

/** Sends attempts one after another, because an invoice has one payment in progress at a time. */
async function sendInTurn(count: number, send: () => Promise<HttpResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent++) statuses.push((await send()).status);
  return statuses;
}

const visitOf = async ({ paymentUrl }: Invoice) => formOf(await openPage(paymentUrl)).visit;
const accepted = (statuses: readonly number[]) => statuses.filter((status) => status === 303).length;

describe('the limit of an invoice', () => {
  test("is 20 attempts per hour from all addresses, which do not count for the account's rate limit", async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const invoice = await invoiceOf(api);
    const before = Number((await api.get('/api/invoices')).headers['x-ratelimit-remaining']);
    expect(accepted(await sendInTurn(20, () => sendDeclined(invoice)))).toBe(20);
    const refused = await sendDeclined(invoice);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many attempts');
    const toNextHour = 3600 - ((now() / 1000) % 3600);
    expect(Math.abs(Number(refused.headers['retry-after']) - toNextHour)).toBeLessThanOrEqual(5);
    expect(Number((await api.get('/api/invoices')).headers['x-ratelimit-remaining'])).toBe(before - 1);
  });

  test('allows the last attempt to be sent twice, and shows the receipt both times', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const invoice = await invoiceOf(api);
    const { visit: _, ...form } = formOf(await openPage(invoice.paymentUrl));
    await sendInTurn(19, () => sendDeclined(invoice));
    const statuses = await sendInTurn(2, () => submit(invoice.paymentUrl, { ...form, ...goodCard }));
    expect(statuses).toEqual([303, 303]);
    expect((await openPage(invoice.paymentUrl)).text).toContain('Paid');
  });

  exhaustiveTest('does not stop a payer who opened the page before the stranger who used it up', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const invoice = await invoiceOf(api);
    const form = formOf(await openPage(invoice.paymentUrl));
    // The stranger opens a page for each attempt, and continues until none is accepted.
    const stranger = await sendInTurn(30, async () =>
      sendDeclined(invoice, { visit: await visitOf(invoice) }),
    );
    expect(accepted(stranger)).toBe(21);
    expect(stranger.at(-1)).toBe(429);

    const declined = await submit(invoice.paymentUrl, { ...form, ...declinedCard });
    expect(declined.status).toBe(303);
    const next = formOf(await openPage(invoice.paymentUrl, declined.headers.location));
    expect(next.visit).toBe(form.visit);
    expect(next.attempt).not.toBe(form.attempt);
    const invalid = await submit(invoice.paymentUrl, { ...next, ...goodCard, cvc: '1' });
    expect(formOf(invalid).visit).toBe(form.visit);
    expect((await submit(invoice.paymentUrl, { ...formOf(invalid), ...goodCard })).status).toBe(303);
    expect(await statusOf(api, invoice)).toBe('paid');
  });

  exhaustiveTest(
    'a card tester with many visits gets at most 40 attempts, and 30 from one address',
    async () => {
      const { test: api } = await newAccount(stack.baseUrl);
      const invoice = await invoiceOf(api);
      const visits: string[] = [];
      for (let count = 0; count < 30; count++) visits.push(await visitOf(invoice));
      const send = (localAddress: string) =>
        sendDeclined(invoice, { visit: visits.pop() ?? '', localAddress });
      await sendInTurn(20, () => sendDeclined(invoice));
      // From the newest visit to the oldest, because the reserve serves no visit that is newer than the last one.
      const [first, second] = [freshAddress(), freshAddress()];
      expect(accepted(await sendInTurn(12, () => send(first)))).toBe(10);
      expect(accepted(await sendInTurn(12, () => send(second)))).toBe(10);
      expect((await sendDeclined(invoice, { visit: visits.pop() ?? '' })).status).toBe(429);
    },
  );

  test('a visit gets at most five attempts of the reserve', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const invoice = await invoiceOf(api);
    const visit = await visitOf(invoice);
    await sendInTurn(20, () => sendDeclined(invoice));
    expect(accepted(await sendInTurn(7, () => sendDeclined(invoice, { visit })))).toBe(5);
  });

  exhaustiveTest('a visit of another invoice, or a changed one, does not open the reserve', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const [invoice, other] = [await invoiceOf(api), await invoiceOf(api)];
    const visit = await visitOf(invoice);
    const foreign = await visitOf(other);
    await sendInTurn(20, () => sendDeclined(invoice));
    const [version, openedAt, ...rest] = visit.split('.');
    const older = [version, Number(openedAt) - 1, ...rest].join('.');
    for (const text of [foreign, older, `${visit}x`, '']) {
      expect((await sendDeclined(invoice, { visit: text })).status).toBe(429);
    }
    expect((await sendDeclined(invoice, { visit })).status).toBe(303);
  });
});

describe('the limit of an address', () => {
  test('is 60 attempts per hour that fail, for all invoices together', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const localAddress = freshAddress();
    const invoices = await Promise.all(Array.from({ length: 4 }, () => invoiceOf(api)));
    const sent = invoices.map((invoice) => sendInTurn(16, () => sendDeclined(invoice, { localAddress })));
    expect(accepted((await Promise.all(sent)).flat())).toBe(60);
  });

  exhaustiveTest('does not count payments that succeed and forms of a changed invoice', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const localAddress = freshAddress();
    const pay = async (fields: Record<string, string> = {}) => {
      const { paymentUrl } = await invoiceOf(api);
      const form = { attempt: attemptOf(attempts++), version: '1', amount: '2500', ...goodCard, ...fields };
      return (await submit(paymentUrl, form, { localAddress })).headers.location;
    };
    for (let round = 0; round < 13; round++) {
      const paid = Array.from({ length: 5 }, () => pay());
      const changed = Array.from({ length: 5 }, () => pay({ version: '9' }));
      expect(new Set(await Promise.all(paid))).toEqual(new Set(['?']));
      expect(new Set(await Promise.all(changed))).toEqual(new Set(['?changed']));
    }
  });
});

describe('repeated, invalid and outdated forms', () => {
  exhaustiveTest(
    '300 repetitions of an old attempt allocate nothing, write nothing to the account state, and end with 429',
    async () => {
      const { accountId, test: api } = await newAccount(stack.baseUrl);
      const invoice = await invoiceOf(api);
      const fields = { ...formOf(await openPage(invoice.paymentUrl)), ...declinedCard };
      const first = await submit(invoice.paymentUrl, fields);
      const localAddress = freshAddress();
      const stateKey = tableKeys.accountState({ account: accountId, mode: 'test' });
      const stateBefore = await tableOf(stack).get(stateKey);
      const interception = interceptCalls();
      const answers: HttpResponse[] = [];
      try {
        for (let round = 0; round < 30; round++) {
          const sent = Array.from({ length: 10 }, () => submit(invoice.paymentUrl, fields, { localAddress }));
          answers.push(...(await Promise.all(sent)));
        }
      } finally {
        interception.remove();
      }
      expect(await tableOf(stack).get(stateKey)).toEqual(stateBefore);
      const ofState = interception.calls.filter(({ body }) => body.includes(`"${stateKey.pk}"`));
      expect(ofState.filter(({ operation }) => operation !== 'GetItem')).toEqual([]);
      const repeated = answers.filter(({ status }) => status === 303);
      expect(new Set(repeated.map(({ headers }) => headers.location))).toEqual(
        new Set([first.headers.location]),
      );
      // Each repetition counts as 11 page views: 1 as a request and 10 as a form that pays nothing.
      expect(repeated).toHaveLength(Math.floor(3000 / 11));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(300 - repeated.length);
      // Each repetition reads the invoice and its record. The address is counted in memory first: a write counts a
      // hundred page views. The repetitions that arrive first, at once, add the index entries of the payment again.
      const calls = answers
        .slice(10)
        .reduce((sum, answer) => sum + Number(log.lineOf(answer)?.dynamodbCalls), 0);
      const counts = interception.calls.filter(({ body }) => body.includes('SOURCE#')).length;
      expect(counts).toBeLessThanOrEqual(30);
      expect(calls).toBeLessThanOrEqual(2 * (repeated.length + 10) + counts);
      expect(log.lineOf(answers.at(-1) as HttpResponse)).toMatchObject({ dynamodbCalls: 0 });
    },
  );

  exhaustiveTest(
    'new attempts for a changed or paid invoice allocate nothing and write nothing',
    async () => {
      const { accountId, test: api } = await newAccount(stack.baseUrl);
      const invoice = await invoiceOf(api);
      const send = (fields: Record<string, string>) =>
        submit(invoice.paymentUrl, {
          attempt: attemptOf(attempts++),
          version: '1',
          amount: '2500',
          ...goodCard,
          ...fields,
        });
      const allocated = async () =>
        (await tableOf(stack).get(tableKeys.accountState({ account: accountId, mode: 'test' })))?.[
          accountStateAttributes.seq.payment
        ];
      const changed = await send({ version: '9' });
      expect(changed.headers.location).toBe('?changed');
      expect(await allocated()).toBeUndefined();
      expect((await send({})).headers.location).toBe('?');
      expect(await allocated()).toBe(1);
      const paid = await send({});
      expect(paid.headers.location).toBe('?changed');
      expect(await allocated()).toBe(1);
      for (const answer of [changed, paid]) expect(log.lineOf(answer)).toMatchObject({ dynamodbCalls: 2 });
    },
  );

  exhaustiveTest(
    'invalid forms do not count as attempts, and an address gets 429 after 272 of them',
    async () => {
      const { test: api } = await newAccount(stack.baseUrl);
      const invoice = await invoiceOf(api);
      const form = { ...formOf(await openPage(invoice.paymentUrl)), ...goodCard };
      const localAddress = freshAddress();
      const statuses: number[] = [];
      for (let round = 0; round < 28; round++) {
        const sent = Array.from({ length: 10 }, () =>
          submit(invoice.paymentUrl, { ...form, cvc: '1' }, { localAddress }),
        );
        statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
      }
      expect(statuses.filter((status) => status === 400)).toHaveLength(272);
      expect(statuses.filter((status) => status === 429)).toHaveLength(8);
      const { origin: baseUrl, pathname: path } = new URL(invoice.paymentUrl);
      const view = await request({ baseUrl, path, localAddress });
      expect(view).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
      expect(view.text).toContain('Too many requests');
      expect((await submit(invoice.paymentUrl, form)).status).toBe(303);
      expect(await statusOf(api, invoice)).toBe('paid');
    },
  );

  test('99 page views of an address cause no write', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const { paymentUrl } = await invoiceOf(api);
    const { origin: baseUrl, pathname: path } = new URL(paymentUrl);
    // The settings of the account are read again after 30 seconds.
    stopClock(now());
    await openPage(paymentUrl);
    const localAddress = freshAddress();
    const views: HttpResponse[] = [];
    for (let count = 0; count < 100; count++) views.push(await request({ baseUrl, path, localAddress }));
    const calls = views.map((view) => log.lineOf(view)?.dynamodbCalls);
    expect(calls).toEqual([...Array(99).fill(1), 2]);
  });
});
