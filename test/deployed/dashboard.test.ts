/**
 * Tests the dashboard without a sign-in: its pages, its headers, and what it refuses. Without a deployment, these tests use
 * the local stack.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { isLoopback } from '../../infra/loopback.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

const { REMIT_URL, REMIT_DASHBOARD } = process.env;
/** A deployment can be without a dashboard. */
const testIfDashboard = REMIT_URL && !REMIT_DASHBOARD ? test.skip : test;

let base = REMIT_DASHBOARD?.replace(/\/+$/, '') ?? '';
let stack: Stack | undefined;

beforeAll(async () => {
  if (REMIT_URL) return;
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  base = stack.dashboard?.url ?? '';
});
afterAll(() => stack?.close());

const send = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
) => {
  const { origin, pathname } = new URL(base);
  return request({
    baseUrl: origin,
    method,
    path: `${pathname.replace(/\/$/, '')}${path}`,
    headers,
    ...(body !== undefined && { body }),
  });
};

testIfDashboard('a page without a session leads to the sign-in, and returns to itself', async () => {
  const path = '/acct_0123456789abcdef/test/settings/members';
  const { status, headers } = await send('GET', path);
  expect(status).toBe(303);
  const next = new URL(headers.location ?? '', `${base}/`);
  expect(next.href).toBe(`${base}/sign-in?return=${encodeURIComponent(path)}`);
});

testIfDashboard('the pages forbid scripts, frames and caches', async () => {
  const { status, headers, text } = await send('GET', '/sign-in');
  expect(status).toBe(200);
  expect(text).toContain('/sign-in/start');
  expect(headers['content-type']).toMatch(/^text\/html/);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(headers['strict-transport-security']).toMatch(/max-age=/);
});

testIfDashboard('a sign-in begins at the issuer with PKCE, and returns to this address', async () => {
  const { status, headers } = await send('GET', '/sign-in/start');
  // An emulator cannot serve the issuer of a user pool, which has an address of AWS.
  if (status === 503 && isLoopback(base)) return;
  expect(status).toBe(303);
  const { searchParams } = new URL(headers.location ?? '');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${base}/sign-in/callback`,
  });
  expect(headers['set-cookie']).toMatch(/__Host-.*HttpOnly.*Secure|__Host-.*Secure.*HttpOnly/i);
});

testIfDashboard.each([
  ['POST', '/acct_0123456789abcdef/test/settings/members/invite'],
  ['POST', '/sign-in/sessions'],
])('%s %s without a session changes nothing', async (method, path) => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'cross-site' };
  const { status } = await send(method, path, headers, 'role=owner');
  expect([303, 403, 404]).toContain(status);
});

testIfDashboard('a method without a route is refused', async () => {
  const { status } = await send('DELETE', '/acct_0123456789abcdef/test');
  // The gateway of an emulator has a status of its own.
  expect(isLoopback(base) ? [403, 404] : [404]).toContain(status);
});
