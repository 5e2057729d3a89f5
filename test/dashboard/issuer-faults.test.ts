/** Tests the sign-in with an issuer that is down, slow, wrong or forged. Nobody gets a session by mistake. */

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setEnvironment } from '../../infra/local/environment.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { setClock } from '../support/clock.ts';
import { createVisitor, headingOf, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { type FaultyIssuer, startFaultyIssuer } from '../support/faulty-issuer.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let issuer: FaultyIssuer;
let skippedHours = 0;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  issuer = await startFaultyIssuer('remit-dashboard');
  setEnvironment({ OIDC_ISSUER: issuer.url });
});

// The configuration of the issuer is cached for an hour.
beforeEach(() => {
  issuer.reset();
  skippedHours += 2;
  setClock(() => Date.now() + skippedHours * 3_600_000);
});

afterAll(async () => {
  await issuer?.close();
  await stack?.close();
});

const sessionCookie = '__Host-remit-session';
const seconds = () => Math.floor(Date.now() / 1000);

/** Signs in. Returns the last page. */
async function signIn(
  query = '',
): Promise<{ visitor: Visitor; status: number; heading: string; text: string }> {
  const visitor = createVisitor(stack);
  const page = await visitor.open(`/sign-in/start${query}`);
  return { visitor, status: page.status, heading: headingOf(page), text: page.text };
}

async function expectOutage(): Promise<void> {
  const { visitor, status, heading, text } = await signIn();
  expect([status, heading]).toEqual([503, 'The sign-in service does not answer correctly']);
  expect(text).toMatch(/Request ID <span class="id">[\w-]{36}/);
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
}

test('a correct answer of the issuer signs a user without an account in', async () => {
  const { heading, visitor } = await signIn();
  expect(heading).toBe('You have no account yet');
  expect(visitor.cookies.has(sessionCookie)).toBe(true);
});

const garbage = (response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"x":');
const html = (response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
const failure = (response: ServerResponse) => void response.writeHead(502).end();
const hangUp = (response: ServerResponse) => void response.destroy();
const silence = () => {};

test.each([
  ['/.well-known/openid-configuration', 'garbage', garbage],
  ['/.well-known/openid-configuration', 'a web page', html],
  ['/.well-known/openid-configuration', 'an error', failure],
  ['/.well-known/openid-configuration', 'no answer', hangUp],
  ['/.well-known/openid-configuration', 'silence', silence],
  ['/token', 'garbage', garbage],
  ['/token', 'a web page', html],
  ['/token', 'an error', failure],
  ['/token', 'no answer', hangUp],
  ['/token', 'silence', silence],
])('%s with %s is reported, and the next sign-in works', async (path, _, answer) => {
  issuer.behavior.answers[path] = answer;
  await expectOutage();
  issuer.reset();
  expect((await signIn()).status).toBe(200);
});

test('a forged ID token is refused', async () => {
  for (const forged of ['none', 'other key'] as const) {
    issuer.behavior.forged = forged;
    await expectOutage();
  }
});

test.each([
  ['no nonce', { nonce: undefined }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['another client', { aud: 'other' }],
  ['no subject', { sub: undefined }],
  ['an expiry 70 seconds ago', { exp: seconds() - 70 }],
  ['an issue in 70 seconds', { iat: seconds() + 3_600, nbf: seconds() + 3_600 }],
])('an ID token with %s is refused', async (_, claims) => {
  issuer.behavior.claims = claims;
  await expectOutage();
});

test('an ID token with another nonce is refused, and the browser can have brought the wrong one', async () => {
  issuer.behavior.claims = { nonce: 'x' };
  const { visitor, status, heading } = await signIn();
  expect([status, heading]).toEqual([400, 'This sign-in cannot be completed']);
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
});

test("the issuer's clock may be 50 seconds wrong", async () => {
  for (const skew of [-50, 50]) {
    const at = seconds() + skew;
    issuer.behavior.claims = { iat: at, nbf: at, auth_time: at, exp: skew < 0 ? seconds() - 50 : at + 300 };
    expect((await signIn()).status).toBe(200);
  }
});

test('a new sign-in needs new credentials', async () => {
  setClock();
  issuer.behavior.claims = { auth_time: seconds() - 400 };
  const { status, heading, visitor } = await signIn('?new=1');
  expect([status, heading]).toEqual([400, 'The sign-in is not recent enough']);
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
  issuer.behavior.claims = { auth_time: undefined };
  expect((await signIn('?new=1')).heading).toBe('The sign-in is not recent enough');
  issuer.behavior.claims = {};
  expect((await signIn('?new=1')).status).toBe(200);
});

test.each([
  ['no acr', { OIDC_ACR: 'phr phrh' }, {}],
  ['another acr', { OIDC_ACR: 'phr phrh' }, { acr: 'pwd' }],
  ['both values in one text', { OIDC_ACR: 'phr phrh' }, { acr: 'phr phrh' }],
  ['a list of acr', { OIDC_ACR: 'phr' }, { acr: ['phr'] }],
  ['no amr', { OIDC_AMR: 'mfa' }, {}],
  ['another amr', { OIDC_AMR: 'mfa' }, { amr: ['pwd'] }],
  ['amr as a text', { OIDC_AMR: 'mfa' }, { amr: 'mfa' }],
  ['only one of both', { OIDC_ACR: 'phr', OIDC_AMR: 'mfa' }, { acr: 'phr' }],
])('a sign-in with %s is too weak', async (_, required, claims) => {
  setEnvironment(required);
  issuer.behavior.claims = claims;
  const { visitor, status, heading, text } = await signIn();
  setEnvironment({ OIDC_ACR: '', OIDC_AMR: '' });
  expect([status, heading]).toEqual([400, 'This sign-in is not strong enough']);
  expect(text).toContain('/sign-in/start?return=%2F&amp;new=1');
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
});

test('a sign-in asks for the required acr, and succeeds with one of the values', async () => {
  const start = () => createVisitor(stack).get('/sign-in/start');
  const asked = async () => new URL((await start()).headers.location ?? '').searchParams.get('acr_values');
  expect(await asked()).toBe(null);
  setEnvironment({ OIDC_ACR: 'phr phrh', OIDC_AMR: 'mfa hwk' });
  issuer.behavior.claims = { acr: 'phrh', amr: ['pwd', 'hwk'] };
  const found = [await asked(), (await signIn()).status];
  setEnvironment({ OIDC_ACR: '', OIDC_AMR: '' });
  expect(found).toEqual(['phr phrh', 200]);
});

test('the address and its verification come from the user information if the ID token has none', async () => {
  issuer.behavior.claims = { email: undefined, email_verified: undefined };
  issuer.behavior.userInfo = { email: 'info@example.com', email_verified: 'true' };
  const { visitor } = await signIn();
  const { useSession } = await import('../../shared/domain/users/session-store.ts');
  const { now } = await import('../../shared/base/time.ts');
  expect(await useSession(visitor.cookies.get(sessionCookie) ?? '', now())).toMatchObject({
    email: 'info@example.com',
    isEmailVerified: true,
  });
  issuer.behavior.userInfo = { sub: 'somebody else', email: 'info@example.com' };
  await expectOutage();
});

test('a sign-out ends the session also while the issuer is down', async () => {
  const { visitor } = await signIn();
  const page = await visitor.open('/');
  skippedHours += 1.5;
  issuer.behavior.answers['/.well-known/openid-configuration'] = failure;
  const answer = await visitor.submit(page, '/sign-out');
  expect(answer.headers.location).toBe('/sign-in?notice=signed_out');
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
});
