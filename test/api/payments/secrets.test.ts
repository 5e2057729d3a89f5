/** Tests that card data goes to the provider only, and never to the table, the log, a response or an error. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { abandonedAfterMs } from '../../../shared/domain/payments/transitions.ts';
import { newAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { interceptCalls, loseResponse } from '../../support/intercept-calls.ts';
import { isExhaustive } from '../../support/run.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { cardNumbers, cardOf, newInvoice, underKey, waitForOutcome } from './new-payment.ts';

let stack: Stack;
const written: string[] = [];
const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));

beforeAll(async () => {
  // Logs everything, and collects the output instead of printing it.
  process.env.POWERTOOLS_LOG_LEVEL = 'TRACE';
  for (const { stream } of streams) {
    stream.write = ((chunk: string | Uint8Array) => written.push(String(chunk)) > 0) as typeof stream.write;
  }
  stack = await startTestStack();
});
afterAll(async () => {
  for (const { stream, write } of streams) stream.write = write;
  await stack.close();
});

const cvc = '7391';
/** Returns the number as payers enter it: with spaces, with hyphens and with neither. */
const spellingsOf = (number: string) =>
  [' ', '-', ''].map((mark) => number.replace(/(.{4})(?=.)/g, `$1${mark}`));
/** Returns each number in one spelling, and each spelling with one number. With every combination, if the run covers those. */
const spelledOnce = (numbers: readonly string[]) =>
  numbers.flatMap((number, index) => {
    const all = spellingsOf(number);
    return isExhaustive ? all : (all[index % all.length] ?? []);
  });
/** The first 12 digits of each card, in every spelling. */
const parts = Object.values({
  ...cardNumbers,
  other: '5555555555554444',
  foreign: '4111111111111111',
}).flatMap((number) => spellingsOf(number.slice(0, 12)));

function findCardData(text: string): string[] {
  const shown = text.replaceAll('such as 4242424242424242', '');
  return [...parts, `"${cvc}"`, `cvc":"${cvc}`, `cvc\\":\\"${cvc}`].filter((part) => shown.includes(part));
}

test('no item, log line or response contains a card number or CVC, for every outcome of a payment', async () => {
  const { test: api, live } = await newAccount(stack.baseUrl);
  const answers: string[] = [];
  const pay = async (number: string, { mode = api, fields = {}, times = 1 } = {}) => {
    const { id } = await newInvoice(mode);
    const body = { invoiceId: id, method: 'card', card: cardOf(number, { cvc }), ...fields };
    let response = await mode.post('/api/payments', body, underKey(`key ${id}`));
    answers.push(response.text);
    for (let time = 1; time < times; time++) {
      response = await mode.post('/api/payments', body, underKey(`key ${id}`));
      answers.push(response.text);
    }
    return response;
  };
  for (const number of spelledOnce([...Object.values(cardNumbers), '5555555555554444']))
    expect((await pay(number, { times: 2 })).status).toBe(201);
  const invalid = ['4111111111111111', `${cardNumbers.good}0`, cardNumbers.good.replace(/2$/, '1')];
  for (const number of spelledOnce(invalid)) expect((await pay(number)).status).toBe(400);
  await pay(cardNumbers.good, { mode: live });
  await pay(cardNumbers.good, { fields: { amount: 1 } });
  await pay(cardNumbers.good, { fields: { reference: 'x' } });
  await pay(cardNumbers.good, { fields: { invoiceId: `inv_${'0'.repeat(26)}` } });
  await pay(cardNumbers.good, { fields: { card: { ...cardOf(cardNumbers.good, { cvc }), name: 'x' } } });
  await pay(cardNumbers.good, { fields: { card: cardOf(cardNumbers.good, { cvc: `${cvc}1` }) } });
  await pay(cardNumbers.good, { fields: { method: cardNumbers.good } });
  const broken = `{"invoiceId":"x","card":{"number":"${cardNumbers.good}","cvc":"${cvc}"`;
  answers.push((await api.post('/api/payments', broken)).text);

  // Every call of the test provider to its table fails, so the outcome of the capture is unknown.
  const faults = interceptCalls((call, send) =>
    call.body.includes('TESTPROVIDER') ? loseResponse(call, send) : send(),
  );
  const failed = await pay(cardNumbers.good).finally(() => faults.remove());
  expect([failed.status, failed.json.status]).toEqual([201, 'pending']);
  // The worker voids a capture that has not arrived only when no request can still be working on it: after a minute.
  setClock(() => Date.now() + abandonedAfterMs);
  await waitForOutcome(api, 'payments', failed.json.id);

  for (const { id } of (await api.get('/api/payments?status=completed')).json.data) {
    answers.push((await api.post('/api/refunds', { paymentId: id })).text);
  }
  await waitUntil('all payments and refunds have an outcome', async () => {
    const totals = ['payments', 'refunds'].map((kind) => api.get(`/api/${kind}?status=pending`));
    return (await Promise.all(totals)).every(({ json }) => json.pagination.total === 0);
  });
  const items = await tableOf(stack).all('');
  expect(items.length).toBeGreaterThan(50);
  expect(items.filter((item) => findCardData(JSON.stringify(item)).length > 0)).toEqual([]);
  expect(written.filter((line) => line.includes('POST /api/payments')).length).toBeGreaterThan(20);
  expect(written.filter((line) => line.includes('capture without an answer'))).not.toEqual([]);
  expect(written.filter((line) => findCardData(line).length > 0)).toEqual([]);
  expect(answers.filter((text) => findCardData(text).length > 0)).toEqual([]);
});
