/** Tests that pages of payers and of the dashboard are sent compressed to clients that accept it, and whole to all others. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack(withDashboard());
});
afterAll(async () => {
  await stack?.close();
});

const gzip = { 'Accept-Encoding': 'gzip, br' };
const dashboardPage = (headers = {}) =>
  request({ baseUrl: stack.dashboard?.url ?? '', path: '/sign-in/failed', headers });

test('the page of a payer is compressed, also after a form', async () => {
  const { json } = await (await newAccount(stack.baseUrl)).test.post('/api/invoices', invoiceBody());
  const path = new URL(json.paymentUrl).pathname;
  for (const options of [
    { path },
    {
      path,
      method: 'POST',
      body: 'number=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
  ]) {
    const sent = (headers = {}) =>
      request({ baseUrl: stack.baseUrl, ...options, headers: { ...options.headers, ...headers } });
    const [plain, compressed] = [await sent(), await sent(gzip)];
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect([compressed.status, compressed.headers['content-encoding']]).toEqual([plain.status, 'gzip']);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(compressed.bytes).toString()).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/);
  }
});

test('the dashboard is compressed only for requests that no other site caused', async () => {
  const plain = await dashboardPage();
  expect(plain.headers['content-encoding']).toBeUndefined();
  for (const site of ['none', 'same-origin']) {
    const compressed = await dashboardPage({ ...gzip, 'Sec-Fetch-Site': site });
    expect([compressed.status, compressed.headers['content-encoding']]).toEqual([plain.status, 'gzip']);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(compressed.bytes).toString()).toContain('</html>');
  }
  for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }])
    expect((await dashboardPage({ ...gzip, ...headers })).headers['content-encoding']).toBeUndefined();
});
