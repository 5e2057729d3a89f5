/** Tests the headers that each answer has, of every function and of the gateway, and `/.well-known/security.txt`. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { parseSettings } from '../../infra/settings.ts';
import { routes } from '../../shared/api/routes.ts';
import { dashboardRoutes } from '../../shared/web/dashboard/gateway-routes.ts';
import { securityTextLifeMs } from '../../shared/web/pages/security-text.ts';
import { type Api, newAccount } from '../support/api.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { type HttpResponse, request } from '../support/http.ts';
import { formOf, openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';

const contact = 'mailto:security@shop.example';
let stack: Stack;
let api: Api;
beforeAll(async () => {
  process.env.SECURITY_CONTACT = contact;
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  api = (await newAccount(stack.baseUrl)).test;
});
afterAll(async () => {
  delete process.env.SECURITY_CONTACT;
  await stack?.close();
});

const expectSafe = ({ headers }: Pick<HttpResponse, 'headers'>) =>
  expect(headers).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  });
const urlOf = (host: 'api' | 'dashboard') => (host === 'api' ? stack.baseUrl : (stack.dashboard?.url ?? ''));
const allRoutes = [
  ...Object.values(routes).map(({ method, path }) => ['api', method, path] as const),
  ...dashboardRoutes.map(({ method, path }) => ['dashboard', method, path] as const),
];

test.each(allRoutes)('%s: %s %s without a key or a session', async (host, method, route) => {
  const path = route.replace(/\{\w+\+?\}/g, 'none');
  const sent = { baseUrl: urlOf(host), path, method: method === 'ANY' ? 'GET' : method };
  expectSafe(await request(sent));
  expectSafe(await request({ ...sent, method: sent.method === 'GET' ? 'HEAD' : 'PUT' }));
});

test('pages of other sites may read the public documents, and nothing else', async () => {
  const open = [
    '/openapi.json',
    '/openapi.json?version=none',
    '/docs',
    '/docs/changes.md',
    '/docs/errors',
    '/llms.txt',
  ];
  const headers = { Origin: 'https://editor.example', Accept: 'text/html' };
  for (const path of open) {
    const answer = await request({ baseUrl: stack.baseUrl, path, headers });
    expect([path, answer.headers['access-control-allow-origin']]).toEqual([path, '*']);
  }
  const paths = ['/', '/pay', '/pay/none', '/api/invoices', '/api/none', '/none'];
  for (const [base, path] of [
    ...paths.map((each) => [stack.baseUrl, each]),
    [urlOf('dashboard'), '/sign-in'],
  ]) {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await request({ baseUrl: base ?? '', path: path ?? '', method, headers });
      const found = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      expect([method, path, found]).toEqual([method, path, []]);
    }
  }
  const answer = await api.get('/api/invoices', { headers });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
});

test('an answer, a repeated answer, a refusal, and a document that the client has', async () => {
  const body = { customerId: 'a@example.com', amount: 1, currency: 'USD', description: 'x' };
  const headers = { 'Idempotency-Key': 'headers' };
  const created = await api.send('POST', '/api/invoices', { body, headers });
  const repeated = await api.send('POST', '/api/invoices', { body, headers });
  const refused = await api.send('POST', '/api/invoices', { body: {} });
  const docs = await request({ baseUrl: stack.baseUrl, path: '/docs' });
  const known = await request({
    baseUrl: stack.baseUrl,
    path: '/docs',
    headers: { 'If-None-Match': docs.headers.etag ?? '' },
  });
  const page = await openPage(created.json.paymentUrl);
  const form = new URLSearchParams({ ...formOf(page), number: '1' }).toString();
  const path = new URL(created.json.paymentUrl).pathname;
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const sentPage = await request({
    baseUrl: stack.baseUrl,
    path,
    method: 'POST',
    headers: type,
    body: form,
  });
  const foreign = await request({
    baseUrl: stack.baseUrl,
    path,
    method: 'POST',
    headers: { ...type, Origin: 'https://evil.example' },
    body: form,
  });
  const answers = { created, repeated, refused, docs, known, page, sentPage, foreign };
  expect(Object.values(answers).map(({ status }) => status)).toEqual([
    ...[201, 201, 400, 200, 304, 200, 400, 403],
  ]);
  for (const answer of Object.values(answers)) expectSafe(answer);
});

test('answers of the gateway itself: a body that is too large, and bytes that are not HTTP', async () => {
  const large = await api.send('POST', '/api/invoices', { body: 'x'.repeat(11 * 1024 * 1024) });
  expect(large.json.error.code).toBe('body_too_large');
  expectSafe(large);
  const socket = connect(Number(new URL(stack.baseUrl).port), '127.0.0.1');
  socket.write('no HTTP\r\n\r\n');
  const [bytes] = await once(socket, 'data');
  expect(String(bytes)).toMatch(/^HTTP\/1.1 400.+\r\nX-Content-Type-Options: nosniff\r\n/s);
  socket.destroy();
});

test('security.txt names the contact, and the time until which it holds', async () => {
  const { status, headers, text } = await request({
    baseUrl: stack.baseUrl,
    path: '/.well-known/security.txt',
  });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = text.split('\n').filter(Boolean);
  expect(fields).toEqual([
    `Contact: ${contact}`,
    expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    'Preferred-Languages: en',
    `Canonical: ${stack.baseUrl}/.well-known/security.txt`,
  ]);
  const expires = Date.parse(fields[1]?.slice('Expires: '.length) ?? '');
  // RFC 9116 recommends less than a year.
  expect(expires - Date.now()).toBeGreaterThan(securityTextLifeMs - 3 * 86_400_000);
  expect(expires - Date.now()).toBeLessThan(365 * 86_400_000);
});

test('the dashboard leads to the same file', async () => {
  const { status, headers } = await request({
    baseUrl: urlOf('dashboard'),
    path: '/.well-known/security.txt',
  });
  expect([status, headers.location]).toEqual([302, `${stack.baseUrl}/.well-known/security.txt`]);
});

test('the setting is an e-mail address or a page over HTTPS', () => {
  const parse = (securityContact: string) => parseSettings({ securityContact }).securityContact;
  expect(parse('security@shop.example')).toBe('mailto:security@shop.example');
  expect(parse('https://shop.example/security')).toBe('https://shop.example/security');
  for (const text of ['shop', 'http://shop.example', 'a@shop.example\nExpires: 2000-01-01T00:00:00Z'])
    expect(() => parse(text)).toThrow('must be an e-mail address or an https URL');
});
