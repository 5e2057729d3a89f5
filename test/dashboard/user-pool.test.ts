/** Tests that an invitation from the dashboard creates the user in the user pool. A server stands in for Cognito's API. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';
import { startTestStack } from '../support/stack.ts';

interface CreatedUser {
  readonly Username: string;
  readonly UserPoolId: string;
  readonly DesiredDeliveryMediums: string[];
  readonly UserAttributes: { readonly Name: string; readonly Value: string }[];
}

let stack: Stack;
let cognito: LoopbackServer;
let account: DashboardAccount;
let owner: Visitor;
/** The calls that the pool got, and the users that it has. */
let calls: CreatedUser[] = [];
const known = new Set<string>();
let fails = false;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  cognito = await listenOnLoopback(
    createServer(async (request, response) => {
      const user: CreatedUser = JSON.parse(Buffer.concat(await request.toArray()).toString());
      expect(request.headers['x-amz-target']).toMatch(/\.AdminCreateUser$/);
      calls.push(user);
      const problem = fails
        ? 'LimitExceededException'
        : known.has(user.Username) && 'UsernameExistsException';
      response.writeHead(problem ? 400 : 200, { 'Content-Type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(problem ? { __type: problem, message: 'x' } : { User: {} }));
      if (!problem) known.add(user.Username);
    }),
  );
  process.env.USER_POOL_ID = 'eu-west-1_Abc';
  process.env.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER = cognito.endpoint;
});

beforeEach(async () => {
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  calls = [];
  known.clear();
  fails = false;
});

afterAll(async () => {
  delete process.env.USER_POOL_ID;
  delete process.env.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER;
  await cognito?.close();
  await stack?.close();
});

const path = () => account.path('/settings/members');
const invite = async (page: VisitedPage, email = 'guest@example.com') =>
  owner.submit(page, '/members/invitations', { email, role: 'viewer' });
const linkIn = ({ text }: VisitedPage) => /token=(\w{32})/.exec(text)?.[1];
const invitedEmails = async () => {
  const { readMembers } = await import('../../shared/domain/users/member-store.ts');
  return (await readMembers(account.accountId)).invitations.map(({ email }) => email);
};

test('an invitation creates the user once, with a verified address, and shows one link', async () => {
  const page = await owner.open(path());
  const [first, second] = [await invite(page), await invite(page)];
  expect(calls[0]).toEqual({
    Username: 'guest@example.com',
    UserPoolId: 'eu-west-1_Abc',
    DesiredDeliveryMediums: ['EMAIL'],
    UserAttributes: [
      { Name: 'email', Value: 'guest@example.com' },
      { Name: 'email_verified', Value: 'true' },
    ],
  });
  expect([...known]).toEqual(['guest@example.com']);
  expect([first.status, second.status, linkIn(second)]).toEqual([200, 200, linkIn(first)]);
  expect(first.text).toContain('an e-mail with a temporary password');
  expect(await invitedEmails()).toEqual(['guest@example.com']);
});

test('a person whom the pool knows gets a link too', async () => {
  known.add('guest@example.com');
  expect(linkIn(await invite(await owner.open(path())))).toMatch(/^\w{32}$/);
});

test('if the pool fails, the same form again gives the link, also for another address', async () => {
  fails = true;
  const failed = await invite(await owner.open(path()));
  expect([failed.status, linkIn(failed)]).toEqual([409, undefined]);
  expect(failed.text).toContain('the sign-in service did not create the user');
  fails = false;
  expect(linkIn(await invite(failed))).toMatch(/^\w{32}$/);
  expect(linkIn(await invite(failed, 'other@example.com'))).toMatch(/^\w{32}$/);
  expect((await invitedEmails()).sort()).toEqual(['guest@example.com', 'other@example.com']);
  expect([...known].sort()).toEqual(['guest@example.com', 'other@example.com']);
});

test('nobody else can create users: no other role, no old sign-in, no wrong address', async () => {
  const fields = { email: 'guest@example.com', role: 'viewer' };
  for (const visitor of [
    await signedIn(stack, 'developer'),
    await signedIn(stack, 'viewer'),
    await signedIn(stack, 'owner', 11 * 60 * 1000),
  ]) {
    const page = await visitor.open(path());
    const refused = await visitor.submit(
      { ...page, text: leaveFormAsInvitation(page) },
      '/invitations',
      fields,
    );
    expect(refused.status).toBe(403);
  }
  const page = await owner.open(path());
  expect((await invite(page, 'not an address')).status).toBe(400);
  expect(calls).toEqual([]);
  expect(await invitedEmails()).toEqual([]);
});

/** The form to leave has a CSRF token and an attempt, and every member has it. */
const leaveFormAsInvitation = ({ text }: VisitedPage) =>
  text.replace('/members/leave"', '/members/invitations"');
