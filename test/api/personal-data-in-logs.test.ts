/** Tests that no log line contains a customer id or a free text, whichever way it was sent and whatever fails. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from '../support/api.ts';
import { findTexts } from '../support/find-texts.ts';
import { request } from '../support/http.ts';
import { interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

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

const customer = 'dorji@example.bt';
const texts = [customer, 'Wedding of Dorji', 'Transfer by Dorji', 'Dorji was ill'];

test('requests in the query, the path and the body, errors and damaged items leave no personal data in the log', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const send = (method: string, path: string, body?: unknown) =>
    request({
      baseUrl: stack.baseUrl,
      method,
      path,
      headers: { Authorization: `Bearer ${api.apiKey}`, 'Idempotency-Key': `${customer} ${written.length}` },
      ...(body !== undefined && { body }),
    });
  const body = { customerId: customer, amount: 100, currency: 'USD', description: texts[1] };
  const { id } = (await send('POST', '/api/invoices', body)).json;
  const payment = { invoiceId: id, method: 'offline', reference: texts[2] };
  const paid = await send('POST', '/api/payments', payment);
  expect((await send('POST', '/api/refunds', { paymentId: paid.json.id, reason: texts[3] })).status).toBe(
    201,
  );

  const statuses: number[] = [];
  for (const path of [
    `/api/invoices?customerId=${customer}`,
    `/api/payments?customerId=${customer}&status=${customer}`,
    `/api/invoices/${customer}`,
    `/api/${customer}?customerId=${customer}`,
    `/pay/${customer}?customerId=${customer}`,
  ])
    statuses.push((await send('GET', path)).status);
  for (const wrong of [
    { ...body, amount: customer },
    { ...body, [customer]: 1 },
    `{"customerId":"${customer}`,
  ])
    statuses.push((await send('POST', '/api/invoices', wrong)).status);
  statuses.push((await send('PATCH', `/api/invoices/${id}`, { customerId: `other-${customer}` })).status);
  expect(statuses).toEqual([200, 400, 404, 404, 404, 400, 400, 400, 400]);

  const faults = interceptCalls(respondWithError('ValidationException'));
  const failed = await send('POST', '/api/invoices', body).finally(faults.remove);
  const table = tableOf(stack);
  const event = await waitUntil(
    'an event is stored',
    async () => (await table.all(`EVENTS#${accountId}`))[0],
  );
  await table.put({ ...event, body: `${customer} ${texts[1]}` });
  const damaged = await send('GET', '/api/events');
  expect([failed.status, damaged.status]).toEqual([500, 200]);

  expect(written.filter((line) => line.includes('"message":"request"')).length).toBeGreaterThan(12);
  expect(written.filter((line) => line.includes('malformed item left out'))).toHaveLength(1);
  expect(findTexts([{ written }], [...texts, 'dorji'])).toEqual([]);
});
