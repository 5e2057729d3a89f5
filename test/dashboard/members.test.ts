/** Tests members and invitations over HTTP: every role, bad links, stale sign-ins, and two people at once. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type LocalUser, localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { AccountMembers, Invitation, Member } from '../../shared/domain/users/members.ts';
import type { Role } from '../../shared/domain/users/roles.ts';
import { setClock } from '../support/clock.ts';
import {
  addLocalMembers,
  createVisitor,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const { owner, developer, viewer } = localUsers;
const guest: LocalUser = { subject: 'guest', email: 'Guest@Example.com', isEmailVerified: true };
const unverified: LocalUser = { subject: 'unverified', email: 'new@example.com', isEmailVerified: false };
const partner: LocalUser = { subject: 'partner', email: 'partner@example.com', isEmailVerified: true };
const dayMs = 24 * 3_600_000;

let stack: Stack;
let table: TestTable;
let account: string;
let userOf: (user: LocalUser) => string;
let readMembers: (account: string) => Promise<AccountMembers>;
let changeMembers: typeof import('../../shared/domain/users/member-store.ts').changeMembers;
/** Signed-in browsers. A sign-in is valid for all accounts of its user. */
const browsers = new Map<LocalUser, Visitor>();

beforeAll(async () => {
  const users = [guest, unverified, partner];
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard(users) });
  table = tableOf(stack);
  const { userIdOf } = await import('../../shared/domain/users/session.ts');
  ({ changeMembers, readMembers } = await import('../../shared/domain/users/member-store.ts'));
  userOf = ({ subject }) => userIdOf({ issuer: stack.dashboard?.issuer.url ?? '', subject });
  for (const user of [owner, developer, viewer, ...users]) {
    const visitor = createVisitor(stack);
    await visitor.signIn(user);
    browsers.set(user, visitor);
  }
});

beforeEach(async () => {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  account = (await createAccount({ name: 'Druk Shop', plan: 'standard' })).accountId;
  await addLocalMembers(stack, account);
});

afterAll(() => stack?.close());

const browserOf = (user: LocalUser) => browsers.get(user) as Visitor;
const membersUrl = () => `/${account}/test/settings/members`;
const openMember = (actor: LocalUser, user: LocalUser) =>
  browserOf(actor).open(`${membersUrl()}/${userOf(user)}`);
const openMembers = (user: LocalUser) => browserOf(user).open(membersUrl());
const rolesByEmail = async () =>
  Object.fromEntries((await readMembers(account)).members.map(({ email, role }) => [email, role]));

async function invite(email: string, role: Role = 'viewer'): Promise<string> {
  const page = await openMembers(owner);
  const answer = await browserOf(owner).submit(page, '/members/invitations', { email, role });
  expect([answer.status, headingOf(answer)]).toEqual([200, 'Send this link']);
  return linkOn(answer);
}

const linkOn = ({ text }: VisitedPage) =>
  /<code[^>]*>([^<]*)<\/code>/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

/** Opens an invitation, and accepts it if the page offers that. */
async function accept(user: LocalUser, link: string): Promise<VisitedPage> {
  const visitor = browserOf(user);
  const page = await visitor.open(link);
  if (!page.text.includes('Accept the invitation')) return page;
  const answer = await visitor.submit(page, '/sign-in/invitation');
  return answer.status === 303 ? visitor.open(answer.headers.location ?? '') : answer;
}

test('an invited person becomes a member, and the link then leads to the account', async () => {
  const link = await invite('guest@example.COM', 'developer');
  const joined = await accept(guest, link);
  expect(joined.url).toContain(`/${account}/test?notice=joined`);
  expect(joined.text).toContain('You are now a member of this account.');
  expect(await rolesByEmail()).toMatchObject({ 'Guest@Example.com': 'developer' });
  expect((await accept(guest, link)).url).toContain(`/${account}/test`);
  const accounts = await browserOf(guest).open('/accounts');
  expect(accounts.text).toContain(account);
});

test('the token of an invitation is shown once, and only its hash is stored', async () => {
  const link = await invite('x@example.com');
  const token = new URL(link).searchParams.get('token') ?? '';
  expect(token).toMatch(/^[0-9a-hjkmnp-tv-z]{32}$/);
  expect(JSON.stringify(await table.all(''))).not.toContain(token);
  const page = await openMembers(owner);
  expect(page.text).toContain('x@example.com');
  expect(page.text).not.toContain(token);
});

test('a form sent twice makes one invitation, and both answers show its link', async () => {
  const page = await openMembers(owner);
  const send = () =>
    browserOf(owner).submit(page, '/members/invitations', { email: 'x@example.com', role: 'viewer' });
  const links = (await Promise.all([send(), send(), send()])).map(linkOn);
  expect(new Set(links).size).toBe(1);
  expect((await readMembers(account)).invitations).toHaveLength(1);
});

test('a new invitation for the same address replaces the earlier one', async () => {
  const first = await invite(guest.email);
  const second = await invite(guest.email.toUpperCase());
  expect((await accept(guest, first)).text).toContain('This invitation does not exist.');
  expect((await accept(guest, second)).url).toContain('notice=joined');
});

test('an invitation is refused for another address, and for an address that is not verified', async () => {
  const link = await invite('somebody@example.com');
  const other = await accept(guest, link);
  expect([other.status, other.text]).toEqual([403, expect.stringContaining('is for another e-mail address')]);
  const own = await accept(unverified, await invite(unverified.email));
  expect([own.status, own.text]).toEqual([
    403,
    expect.stringContaining('has not verified your e-mail address'),
  ]);
  expect(Object.keys(await rolesByEmail())).toHaveLength(4);
});

test('an invitation ends after 7 days, after its acceptance, and when it is withdrawn', async () => {
  const link = await invite(guest.email);
  const ended = await readMembers(account);
  await changeMembers(account, (current) => ({
    ...current,
    invitations: ended.invitations.map((each) => ({ ...each, endsAt: each.endsAt - 7 * dayMs })),
  }));
  expect((await accept(guest, link)).text).toContain('This invitation has ended');

  const again = await invite(guest.email);
  const page = await openMembers(owner);
  const [invitation] = (await readMembers(account)).invitations;
  const answer = await browserOf(owner).submit(page, '/invitations/withdraw', {
    invitation: invitation?.id ?? '',
  });
  expect(answer.headers.location).toBe(`${membersUrl()}?notice=withdrawn`);
  expect((await accept(guest, again)).text).toContain('This invitation does not exist.');

  const used = await invite(guest.email);
  await accept(guest, used);
  await removeMember(owner, guest);
  expect((await accept(guest, used)).text).toContain('was already accepted');
});

test.each(['', 'x', 'a'.repeat(32), 'a'.repeat(900)])('the invitation token %p is refused', async (token) => {
  const query = new URLSearchParams({ account, token });
  const page = await browserOf(guest).open(`/sign-in/invitation?${query}`);
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('This invitation does not exist.')]);
});

test.each(['', 'acct_1', 'acct_0000000000000000', '../x', 'MEMBERS#x'])(
  'an invitation to the account %p is refused',
  async (unknown) => {
    const query = new URLSearchParams({ account: unknown, token: 'a'.repeat(32) });
    const page = await browserOf(guest).open(`/sign-in/invitation?${query}`);
    expect(page.status).toBe(403);
  },
);

test('two people who accept one invitation at once: one becomes a member', async () => {
  const link = await invite(partner.email);
  const tab = browserOf(partner);
  const page = await tab.open(link);
  const answers = await Promise.all([1, 2, 3].map(() => tab.submit(page, '/sign-in/invitation')));
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect((await readMembers(account)).members.filter(({ email }) => email === partner.email)).toHaveLength(1);
});

test.each([
  ['an empty address', { email: '', role: 'viewer' }, 'E-mail address is invalid.'],
  ['two addresses', { email: 'a@example.com,b@example.com', role: 'viewer' }, 'E-mail address is invalid.'],
  ['an unknown role', { email: 'a@example.com', role: 'admin' }, 'Role is invalid.'],
])('an invitation with %s shows the form again with what was typed', async (_, fields, message) => {
  const page = await openMembers(owner);
  const answer = await browserOf(owner).submit(page, '/members/invitations', fields);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  expect(answer.text).toContain(`value="${fields.email}"`);
  expect((await readMembers(account)).invitations).toEqual([]);
});

async function removeMember(actor: LocalUser, user: LocalUser): Promise<VisitedPage> {
  return browserOf(actor).submit(await openMember(actor, user), '/remove');
}

test('an owner changes roles and removes members, whose access ends at once', async () => {
  const page = await openMember(owner, viewer);
  const changed = await browserOf(owner).submit(page, '/role', { role: 'developer' });
  expect(changed.headers.location).toBe(`${membersUrl()}?notice=role_changed`);
  expect(await rolesByEmail()).toMatchObject({ 'viewer@example.com': 'developer' });
  await removeMember(owner, viewer);
  const answer = await openMembers(viewer);
  expect([answer.status, headingOf(answer)]).toEqual([404, 'Page not found']);
  expect((await browserOf(viewer).open('/accounts')).text).not.toContain(account);
});

test('the last owner can neither leave nor lose the role', async () => {
  const browser = browserOf(owner);
  for (const [page, action, fields] of [
    [await openMembers(owner), '/members/leave', {}],
    [await openMember(owner, owner), '/remove', {}],
    [await openMember(owner, owner), '/role', { role: 'viewer' }],
  ] as const) {
    const answer = await browser.submit(page, action, fields);
    expect([answer.status, answer.text]).toEqual([
      409,
      expect.stringContaining('An account needs an owner.'),
    ]);
  }
  expect(await rolesByEmail()).toMatchObject({ 'owner@example.com': 'owner' });
});

test('two owners who leave at once: one stays', async () => {
  await accept(partner, await invite(partner.email, 'owner'));
  const leave = async (user: LocalUser) => {
    const page = await openMembers(user);
    return () => browserOf(user).submit(page, '/members/leave');
  };
  const leaving = await Promise.all([leave(owner), leave(partner)]);
  const answers = await Promise.all(leaving.map((run) => run()));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(Object.values(await rolesByEmail()).filter((role) => role === 'owner')).toHaveLength(1);
});

test('two owners who remove each other at once: one stays', async () => {
  await accept(partner, await invite(partner.email, 'owner'));
  const pages = await Promise.all([openMember(owner, partner), openMember(partner, owner)]);
  const answers = await Promise.all([
    browserOf(owner).submit(pages[0], '/remove'),
    browserOf(partner).submit(pages[1], '/remove'),
  ]);
  const [done, refused] = answers.map(({ status }) => status).sort((a, b) => a - b);
  expect(done).toBe(303);
  // The second request finds that its actor is no member any more: before, or only when it changes the members.
  expect([404, 409]).toContain(refused);
  expect(Object.values(await rolesByEmail()).filter((role) => role === 'owner')).toHaveLength(1);
});

test.each<[Role, LocalUser]>([
  ['developer', developer],
  ['viewer', viewer],
])('a %s cannot change members, not even with a form of their own making', async (role, user) => {
  const page = await openMembers(user);
  expect(page.text).not.toContain('Invite someone');
  const browser = browserOf(user);
  const before = await readMembers(account);
  const initial = { attempt: 'a'.repeat(26), csrf: /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '' };
  for (const [path, fields] of [
    ['invitations', { email: 'x@example.com', role: 'owner' }],
    ['invitations/withdraw', { invitation: 'x' }],
    [`${userOf(user)}/role`, { role: 'owner' }],
    [`${userOf(owner)}/remove`, {}],
  ] as const) {
    const answer = await browser.post(`${membersUrl()}/${path}`, { ...initial, ...fields });
    expect([path, answer.status, headingOf(answer)]).toEqual([path, 403, 'Your role does not allow this']);
  }
  expect(await readMembers(account)).toEqual(before);
  expect((await rolesByEmail())[user.email]).toBe(role);
  // Everyone may leave.
  const left = await browser.submit(page, '/members/leave');
  expect(left.headers.location).toBe('/accounts?notice=left');
});

test('forms of another account, without a session, or without the right token change nothing', async () => {
  const page = await openMembers(owner);
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const other = (await createAccount({ name: 'Other', plan: 'standard' })).accountId;
  const initial = { attempt: 'a'.repeat(26), csrf: /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '' };
  const fields = { ...initial, email: 'x@example.com', role: 'owner' };
  const browser = browserOf(owner);
  const post = (
    visitor: Visitor,
    path: string,
    sent: Record<string, string>,
    headers?: Record<string, string>,
  ) => visitor.post(path, sent, headers);
  const path = `${membersUrl()}/invitations`;

  const foreign = await post(browser, `/${other}/test/settings/members/invitations`, fields);
  expect([foreign.status, headingOf(foreign)]).toEqual([404, 'Page not found']);
  expect((await browser.get(`/${other}/test`)).status).toBe(404);

  const anonymous = await post(createVisitor(stack), path, fields);
  expect([anonymous.status, headingOf(anonymous)]).toEqual([403, 'Your session has ended']);

  for (const [sent, headers] of [
    [{ ...fields, csrf: '' }, undefined],
    [{ ...fields, attempt: '' }, undefined],
    [{ ...fields, attempt: '../../etc' }, undefined],
    [fields, { 'Sec-Fetch-Site': 'cross-site' }],
    [fields, { Origin: 'https://evil.example' }],
  ] as const) {
    const answer = await post(browser, path, sent, headers);
    expect([answer.status, headingOf(answer)]).toEqual([403, 'This form is out of date']);
  }
  const csrfOfOther = /name="csrf" value="([^"]*)"/.exec((await openMembers(viewer)).text)?.[1] ?? '';
  expect((await post(browser, path, { ...fields, csrf: csrfOfOther })).status).toBe(403);
  for (const each of [account, other]) expect((await readMembers(each)).invitations).toEqual([]);
});

test('members can be changed only within ten minutes after the sign-in', async () => {
  const browser = createVisitor(stack);
  await browser.signIn(owner);
  const page = await browser.open(membersUrl());
  setClock(() => Date.now() + 601_000);
  try {
    const answer = await browser.submit(page, '/members/invitations', {
      email: 'x@example.com',
      role: 'owner',
    });
    expect([answer.status, headingOf(answer)]).toEqual([403, 'Sign in again to continue']);
    expect(answer.text).toContain('return=%2Fsign-in%2Fdone&amp;new=1');
    const stale = await browser.open(membersUrl());
    expect(stale.text).toContain('To change members, sign in again.');
    expect(stale.text).not.toContain('Invite someone');
  } finally {
    setClock();
  }
  expect((await readMembers(account)).invitations).toEqual([]);
  const again = await browser.signIn(
    owner,
    `/sign-in/start?return=${encodeURIComponent(membersUrl())}&new=1`,
  );
  expect(again.text).toContain('Invite someone');
});

test('owners of a closed account can still invite others, for example to read it', async () => {
  const { closeAccount } = await import('../../shared/domain/accounts/account-store.ts');
  await closeAccount(account, Date.now());
  await invite(guest.email);
  expect((await readMembers(account)).invitations).toHaveLength(1);
});

test('during maintenance, members stay as they are and can be read', async () => {
  const page = await openMembers(owner);
  const link = await invite(guest.email);
  const before = await readMembers(account);
  const invitation = await browserOf(guest).open(link);
  const { startMaintenance, endMaintenance } = await import(
    '../../shared/domain/accounts/maintenance-store.ts'
  );
  await startMaintenance(Date.now);
  try {
    const fields = { email: 'x@example.com', role: 'viewer' };
    const answers = [
      await browserOf(owner).submit(page, '/members/invitations', fields),
      await browserOf(guest).submit(invitation, '/sign-in/invitation'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 503]);
    for (const { text } of answers) expect(text).toContain('The service is in maintenance.');
    expect(answers[0]?.text).toContain('value="x@example.com"');
    expect((await openMembers(owner)).status).toBe(200);
    expect(await readMembers(account)).toEqual(before);
  } finally {
    await endMaintenance();
  }
});

test('an account has at most 50 members and 25 open invitations', async () => {
  const [, , template] = (await readMembers(account)).members;
  const since = Date.now();
  const members = Array.from({ length: 47 }, (_, index) => ({
    ...(template as Member),
    user: `usr_${index}`,
    email: `${index}@example.com`,
    since,
  }));
  const link = await invite(guest.email);
  await changeMembers(account, (current) => ({ ...current, members: [...current.members, ...members] }));
  expect((await accept(guest, link)).text).toContain('The account has 50 members');

  const [invitation] = (await readMembers(account)).invitations;
  const invitations = Array.from({ length: 25 }, (_, index) => ({
    ...(invitation as Invitation),
    id: `invitation_${index}`,
    hash: String(index),
    email: `new-${index}@example.com`,
  }));
  await changeMembers(account, (current) => ({ ...current, invitations }));
  const page = await openMembers(owner);
  const full = await browserOf(owner).submit(page, '/members/invitations', {
    email: 'x@example.com',
    role: 'viewer',
  });
  expect([full.status, full.text]).toEqual([
    409,
    expect.stringContaining('The account has 25 open invitations'),
  ]);
  expect(Buffer.byteLength(page.text)).toBeLessThan(50_000);
});

test('a text of a member cannot contain markup', async () => {
  const email = '"><script>alert(1)</script>@example.com';
  await changeMembers(account, (current) => ({
    ...current,
    members: [...current.members, { ...(current.members[2] as Member), user: 'usr_x', email }],
  }));
  const page = await openMembers(owner);
  expect(page.text.replaceAll(/<script defer src="[^"]*\/script\.js"><\/script>/g, '')).not.toContain(
    '<script',
  );
  expect(page.text).toContain('&lt;script&gt;');
});
