/** Tests the sign-in, sessions and the sign-out over HTTP, with the issuer of the local stack. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { setClock } from '../support/clock.ts';
import {
  addLocalMembers,
  createVisitor,
  formsOf,
  headingOf,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const { owner } = localUsers;
const sessionCookie = '__Host-remit-session';
const pendingCookie = '__Host-remit-sign-in';

let stack: Stack;
let table: TestTable;
let account: string;
let hashOf: (sessionId: string) => string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  table = tableOf(stack);
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  hashOf = (await import('../../shared/domain/users/session.ts')).hashSessionId;
  account = (await createAccount({ name: 'Druk Shop', plan: 'standard' })).accountId;
  await addLocalMembers(stack, account);
});

afterAll(() => stack?.close());

const visit = () => createVisitor(stack);
const overview = () => `/${account}/test`;
const sessionIdOf = ({ cookies }: Visitor) => cookies.get(sessionCookie) ?? '';

test('a page without a session leads through the sign-in back to itself', async () => {
  const visitor = visit();
  const asked = await visitor.get(`${overview()}/settings/members?x=1`);
  expect(asked.status).toBe(303);
  const page = await visitor.open(asked.headers.location ?? '');
  expect(headingOf(page)).toBe('Sign in to Remit');
  const start = /href="([^"]*\/sign-in\/start[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  const arrived = await visitor.signIn(owner, start);
  expect([arrived.status, headingOf(arrived)]).toEqual([200, 'Members']);
  expect(arrived.url).toBe(`${stack.dashboard?.url}${overview()}/settings/members?x=1`);
});

test('the start leads to the first account in test mode, and the pages have strict headers', async () => {
  const visitor = visit();
  const page = await visitor.signIn(owner);
  expect(page.url).toBe(`${stack.dashboard?.url}${overview()}`);
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'strict-transport-security': 'max-age=31536000',
  });
  const policy = page.headers['content-security-policy'];
  expect(policy).toContain("form-action 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("default-src 'none'");
  // Scripts are files of the dashboard, and none is in the page.
  expect(page.text).not.toMatch(/<script(?! defer src="[^"]*\/script\.js"><\/script>)/);
  expect(Buffer.byteLength(page.text)).toBeLessThan(40_000);
});

test('the session cookie is for this host, secure and out of reach of scripts, and the table has only its hash', async () => {
  const visitor = visit();
  const callback = await visitor.signInUntilCallback(owner);
  const answer = await visitor.get(callback);
  const line = answer.rawHeaders.find((value) => value.startsWith(sessionCookie)) ?? '';
  expect(line).toMatch(
    /^__Host-remit-session=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const id = sessionIdOf(visitor);
  const items = await table.all('');
  expect(JSON.stringify(items)).not.toContain(id);
  const item = await table.get(tableKeys.session(hashOf(id)));
  expect(item).toMatchObject({ email: owner.email, subject: owner.subject });
  expect(item?.expiresAt).toBe(Math.floor(item?.endsAt / 1000));
});

test('each sign-in has a new session id, and ends the session that it replaces', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  const first = sessionIdOf(visitor);
  await visitor.signIn(owner);
  expect(sessionIdOf(visitor)).not.toBe(first);
  expect(await table.get(tableKeys.session(hashOf(first)))).toBeUndefined();
});

test('a session id that somebody fixed before the sign-in gives no access after it', async () => {
  const [victim, attacker] = [visit(), visit()];
  const fixed = 'A'.repeat(43);
  for (const each of [victim, attacker]) each.cookies.set(sessionCookie, fixed);
  await victim.signIn(owner);
  expect(sessionIdOf(victim)).not.toBe(fixed);
  expect((await attacker.get(overview())).status).toBe(303);
});

test.each(['', 'x', "' OR 1=1", 'A'.repeat(43), 'A'.repeat(5000)])(
  'the session id %p is refused',
  async (id) => {
    const visitor = visit();
    visitor.cookies.set(sessionCookie, id);
    const answer = await visitor.get(overview());
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      `/sign-in?return=${encodeURIComponent(overview())}`,
    ]);
  },
);

const setHours = (count: number) => setClock(() => Date.now() + count * 3_600_000);

test('a session ends after 8 hours, also if it is in use and its item still exists', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  for (const hours of [1.9, 3.8, 5.7, 7.6, 7.99]) {
    setHours(hours);
    expect([hours, (await visitor.get(overview())).status]).toEqual([hours, 200]);
  }
  setHours(8.01);
  expect((await visitor.get(overview())).status).toBe(303);
  expect(await table.get(tableKeys.session(hashOf(sessionIdOf(visitor))))).toBeDefined();
  setClock();
});

test('a session ends after 2 hours without a request, and is not listed any more', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  const isListed = async () => {
    const list = await visit().signIn(owner, '/sign-in/start?return=/sign-in/sessions');
    return list.text.includes(hashOf(sessionIdOf(visitor)));
  };
  setHours(1.99);
  expect((await visitor.get(overview())).status).toBe(200);
  setHours(3.9);
  expect(await isListed()).toBe(true);
  setHours(4);
  expect(await isListed()).toBe(false);
  expect((await visitor.get(overview())).status).toBe(303);
  setClock();
});

test('the requests of five minutes store once that the session is in use', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  const key = tableKeys.session(hashOf(sessionIdOf(visitor)));
  const { usedAt } = (await table.get(key)) ?? {};
  setClock(() => usedAt + 299_999);
  for (let count = 0; count < 3; count++) await visitor.get(overview());
  expect((await table.get(key))?.usedAt).toBe(usedAt);
  setClock(() => usedAt + 300_000);
  await visitor.get(overview());
  setClock(() => usedAt + 400_000);
  await visitor.get(overview());
  expect((await table.get(key))?.usedAt).toBe(usedAt + 300_000);
  setClock();
});

test('a session that ends while a request stores its use does not come back', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  const key = tableKeys.session(hashOf(sessionIdOf(visitor)));
  const { dynamodb } = await import('../../shared/store/client.ts');
  const send = dynamodb.send.bind(dynamodb);
  const spy = jest.spyOn(dynamodb, 'send').mockImplementation((async (command: never) => {
    if ((command as object).constructor.name === 'UpdateCommand') await table.delete(key);
    return send(command);
  }) as never);
  setHours(1);
  expect((await visitor.get(overview())).status).toBe(303);
  spy.mockRestore();
  setClock();
  expect(await table.get(key)).toBeUndefined();
});

test('a sign-out ends the session, so a stolen id is useless, and leads to the sign-out of the issuer', async () => {
  const visitor = visit();
  const page = await visitor.signIn(owner);
  const stolen = sessionIdOf(visitor);
  const answer = await visitor.submit(page, '/sign-out');
  expect([answer.status, headingOf(answer)]).toEqual([200, 'You are signed out']);
  expect(answer.headers.refresh).toMatch(/^0; url=http:\/\/127\.0\.0\.1:\d+\/session\/end\?/);
  expect(visitor.cookies.has(sessionCookie)).toBe(false);
  visitor.cookies.set(sessionCookie, stolen);
  expect((await visitor.get(overview())).status).toBe(303);
});

test('a user ends all sessions at once', async () => {
  const [one, other] = [visit(), visit()];
  await one.signIn(owner);
  await other.signIn(owner);
  const page = await one.open('/sign-in/sessions');
  expect(headingOf(page)).toBe('Your sign-ins');
  const answer = await one.submit(page, '/sign-in/sessions');
  expect(answer.headers.location).toBe('/sign-in?notice=sessions_ended');
  expect((await one.open(answer.headers.location ?? '')).text).toContain('All your sessions have ended.');
  expect((await other.get(overview())).status).toBe(303);
});

test('a user ends one other session, and no session of another user', async () => {
  const [one, other, developer] = [visit(), visit(), visit()];
  for (const each of [one, other]) await each.signIn(owner);
  await developer.signIn(localUsers.developer);
  const page = await one.open('/sign-in/sessions');
  const hashes = formsOf(page).flatMap(({ initial }) => initial.session ?? []);
  expect(hashes).toContain(hashOf(sessionIdOf(other)));
  expect(hashes).not.toContain(hashOf(sessionIdOf(one)));
  expect(hashes).not.toContain(hashOf(sessionIdOf(developer)));
  const end = (session: string) => one.submit(page, '/sign-in/sessions/end', { session });
  for (const session of [hashOf(sessionIdOf(other)), hashOf(sessionIdOf(developer)), 'nonsense', '']) {
    const answer = await end(session);
    expect([answer.status, answer.headers.location]).toEqual([303, '/sign-in/sessions?notice=session_ended']);
  }
  expect((await other.get(overview())).status).toBe(303);
  for (const each of [one, developer]) expect((await each.get(overview())).status).toBe(200);
  const { csrf = '' } = formsOf(await developer.open('/sign-in/sessions'))[0]?.initial ?? {};
  const session = hashOf(sessionIdOf(developer));
  expect((await one.post('/sign-in/sessions/end', { csrf, session })).status).toBe(403);
});

test('an answer of the issuer with another state, or for another browser, is refused', async () => {
  const [visitor, other] = [visit(), visit()];
  const callback = await visitor.signInUntilCallback(owner);
  const wrong = new URL(callback);
  wrong.searchParams.set('state', 'x'.repeat(43));
  for (const answer of [await visitor.get(wrong.href), await other.get(callback)]) {
    expect([answer.status, headingOf(answer)]).toEqual([400, 'This sign-in cannot be completed']);
  }
  expect(other.cookies.has(sessionCookie)).toBe(false);
  // The right answer still works.
  expect((await visitor.open(callback)).status).toBe(200);
});

test('a code works once, even with the cookie of the browser that used it', async () => {
  const visitor = visit();
  const callback = await visitor.signInUntilCallback(owner);
  const pending = visitor.cookies.get(pendingCookie) ?? '';
  await visitor.open(callback);
  const replayed = await visitor.get(callback);
  expect([replayed.status, headingOf(replayed)]).toEqual([400, 'This sign-in cannot be completed']);
  const thief = visit();
  thief.cookies.set(pendingCookie, pending);
  const stolen = await thief.get(callback);
  expect([stolen.status, headingOf(stolen)]).toEqual([400, 'This sign-in cannot be completed']);
  expect(thief.cookies.has(sessionCookie)).toBe(false);
});

test.each(['not base64!', Buffer.from('{}').toString('base64url'), Buffer.from('[1').toString('base64url')])(
  'the damaged sign-in cookie %p is refused',
  async (value) => {
    const visitor = visit();
    visitor.cookies.set(pendingCookie, value);
    expect((await visitor.get('/sign-in/callback?code=x&state=y')).status).toBe(400);
  },
);

test.each([
  'error=server_error',
  'error=temporarily_unavailable',
  'error=zzz&error_description=x',
  'error=server_error&error=x',
  'code=a&code=b',
  'code=',
  '',
  `code=${'x'.repeat(2_049)}`,
  'code=%00',
  'code=%F0%9F%A7%BE',
  'code=garbage',
  'code=a&iss=https%3A%2F%2Fevil.example',
  'code=a&iss=',
  'code=a&iss={issuer}&iss={issuer}',
  'code=a&response=x',
  'code=a&id_token=x',
  'code=a&state=again',
])('what the browser brings back is never an outage: %s', async (query) => {
  const { logger } = await import('../../shared/base/log.ts');
  const error = jest.spyOn(logger, 'error');
  const issuer = encodeURIComponent(stack.dashboard?.issuer.url ?? '');
  for (const iss of ['', `&iss=${issuer}`]) {
    const visitor = visit();
    const start = await visitor.get('/sign-in/start');
    const state = new URL(start.headers.location ?? '').searchParams.get('state') ?? '';
    const answer = await visitor.get(
      `/sign-in/callback?state=${state}&${query.replaceAll('{issuer}', issuer)}${iss}`,
    );
    expect([answer.status, visitor.cookies.has(sessionCookie)]).toEqual([400, false]);
  }
  expect(error).not.toHaveBeenCalled();
  error.mockRestore();
});

test('a user who cancels at the issuer can begin again', async () => {
  const visitor = visit();
  const start = await visitor.get('/sign-in/start?return=%2Faccounts');
  const state = new URL(start.headers.location ?? '').searchParams.get('state') ?? '';
  const answer = await visitor.get(
    `/sign-in/callback?error=access_denied&state=${state}&iss=${stack.dashboard?.issuer.url}`,
  );
  expect([answer.status, headingOf(answer)]).toEqual([400, 'You are not signed in']);
  expect(answer.text).toContain('return=%2Faccounts');
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
  '/settings members',
])('the return address %p does not leave the dashboard', async (address) => {
  const visitor = visit();
  const arrived = await visitor.signIn(owner, `/sign-in/start?return=${encodeURIComponent(address)}`);
  expect(arrived.url).toBe(`${stack.dashboard?.url}${overview()}`);
});

test('forms need the token of their session and the right origin', async () => {
  const [visitor, other] = [visit(), visit()];
  const page = await visitor.signIn(owner);
  const csrf = formsOf(page)[0]?.initial.csrf ?? '';
  const otherCsrf = formsOf(await other.signIn(owner))[0]?.initial.csrf ?? '';
  const refused = async (fields: Record<string, string>, headers?: Record<string, string>) => {
    const answer = await visitor.post('/sign-out', fields, headers);
    expect([answer.status, headingOf(answer)]).toEqual([403, 'This form is out of date']);
  };
  await refused({});
  await refused({ csrf: otherCsrf });
  await refused({ csrf: `${csrf}x` });
  await refused({ csrf }, { 'Sec-Fetch-Site': 'cross-site' });
  await refused({ csrf }, { 'Sec-Fetch-Site': 'same-site' });
  await refused({ csrf }, { Origin: 'https://evil.example' });
  await refused({ csrf }, { 'Content-Type': 'text/plain' });
  expect((await visitor.get(overview())).status).toBe(200);
  expect((await visitor.post('/sign-out', { csrf }, { Origin: stack.dashboard?.url ?? '' })).status).toBe(
    200,
  );
});

test('the printed link signs its user in once, also after another user', async () => {
  const link = stack.dashboard?.issuer.createSignInLink(owner) ?? '';
  const [visitor, other] = [visit(), visit()];
  // The issuer still knows another user in this browser.
  await visitor.signIn(localUsers.viewer);
  const page = await visitor.open(link);
  expect([page.url, page.text]).toEqual([
    `${stack.dashboard?.url}${overview()}`,
    expect.stringContaining(owner.email),
  ]);
  expect(headingOf(await other.open(link))).toBe('Sign in to Remit');
});

test('methods and paths without a route are refused', async () => {
  const visitor = visit();
  await visitor.signIn(owner);
  const unknown = await visitor.get('/nowhere');
  expect([unknown.status, headingOf(unknown)]).toEqual([404, 'Page not found']);
  expect((await visitor.post(`${overview()}/nowhere`, {})).status).toBe(404);
});
