/** Runs the functions of the dashboard through all of their table actions, for the test of the grants. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type LocalUser, localUsers } from '../../infra/local/local-users.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import { createRouteMatcher } from '../../infra/local/route-table.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { realClock } from '../../shared/base/clock.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { storeClaim } from '../../shared/domain/invoices/claim-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { recordMailOutcome } from '../../shared/domain/mails/mail-outcome-store.ts';
import { readMailIds } from '../../shared/domain/mails/mail-store.ts';
import { readRowUse } from '../../shared/domain/payments/row-use-store.ts';
import { payRowCommand } from '../../shared/domain/statements/pay-row-store.ts';
import {
  createStatementCommand,
  findSameStatement,
  readStatementWithRows,
} from '../../shared/domain/statements/statement-store.ts';
import { forgetPublicKeys } from '../../shared/domain/users/public-key-store.ts';
import { hashSessionId } from '../../shared/domain/users/session.ts';
import { commitInBackground } from '../../shared/store/commit/commit.ts';
import { allocateSequenceNumber } from '../../shared/store/sequence-numbers.ts';
import { dashboardRoutes } from '../../shared/web/dashboard/gateway-routes.ts';
import { claimDay } from '../support/claims.ts';
import { addLocalMembers, createVisitor, formsOf } from '../support/dashboard-visitor.ts';
import type { HttpResponse } from '../support/http.ts';
import type { ClockRequests, driveClock } from './clock-calls.ts';
import { driveRecords } from './dashboard-record-calls.ts';
import type { CrashCondition, ObservedFunctions } from './observed-calls.ts';

interface Answer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
  /** The cookies that the answer sets, as a `Cookie` header. */
  readonly cookie: string;
}

interface Driver {
  readonly run: ObservedFunctions['run'];
  readonly stack: Stack;
  readonly account: string;
  /** Relays all outbox items. */
  readonly relayAll: () => Promise<void>;
  readonly deleteRecord: (id: string) => Promise<unknown>;
  /** Stores that the deliveries to an endpoint fail. */
  readonly putHealth: (webhook: string) => Promise<unknown>;
  /** Deletes the public keys, as before the first sign-in. */
  readonly deletePublicKeys: () => Promise<unknown>;
  /** Stores that a session was used long enough ago for the next request to store its own time. */
  readonly ageSession: (hash: string) => Promise<unknown>;
  /** Pays an invoice on the page of a provider. The service does not know the outcome yet. */
  readonly payInvoice: (id: string) => Promise<void>;
  /** Opens the page of a provider for an invoice, and does not pay there. */
  readonly beginPaying: (id: string) => Promise<unknown>;
  /** Carries out a refund. */
  readonly processRefund: (id: string) => Promise<void>;
  readonly completeExport: (id: string) => Promise<void>;
  /** Sends a request with an API key. */
  readonly useKey: (value: string) => Promise<void>;
  /** Runs all code paths of the clock of test mode. */
  readonly driveClock: (requestsOf: Parameters<typeof driveClock>[1]) => Promise<void>;
}

type Send = (
  method: string,
  path: string,
  cookie?: string,
  form?: Record<string, string>,
  crash?: CrashCondition,
) => Promise<Answer>;

const findRoute = createRouteMatcher(dashboardRoutes);

/** Signs in, uses pages and actions, accepts an invitation, and signs out. */
export async function driveDashboard({
  run,
  stack,
  account,
  relayAll,
  deleteRecord,
  putHealth,
  deletePublicKeys,
  ageSession,
  payInvoice,
  beginPaying,
  processRefund,
  completeExport,
  useKey,
  driveClock,
}: Driver): Promise<void> {
  const send: Send = async (method, path, cookie, form, crash) => {
    forgetPublicKeys();
    const id = /remit-session=([\w-]{43})/.exec(cookie ?? '')?.[1];
    if (id) await ageSession(hashSessionId(id));
    const handler = findRoute(method, path.replace(/\?.*/, ''))?.route.handler ?? '';
    return toAnswer(await run(handler, toEvent(method, path, cookie, form), crash));
  };
  const { owner, viewer } = localUsers;
  await addLocalMembers(stack, account, ['owner']);

  const authenticate = async (user: LocalUser, cookie = '') => {
    const start = await send('GET', '/sign-in/start', cookie);
    const callback = new URL(await createVisitor(stack).signInUntilCallback(user, start.location));
    const path = `${callback.pathname}${callback.search}`;
    return (await send('GET', path, `${cookie}; ${start.cookie}`)).cookie;
  };
  await deletePublicKeys();
  const first = await authenticate(owner);
  const session = await authenticate(owner, first);
  expect((await send('GET', '/', session)).location).toBe(`/${account}/test`);
  await driveRecords({
    get: (path) => send('GET', `/${account}/test${path}`, session),
    getLive: (path) => send('GET', `/${account}/live${path}`, session),
    post: (path, fields, crash) => send('POST', `/${account}/test${path}`, session, fields, crash),
    relayAll,
    deleteRecord,
    putHealth,
    payInvoice,
    beginPaying,
    processRefund,
    completeExport,
    bounceMail: (invoice) => bounceMail(account, invoice),
    payFromRow: (invoice) => payFromRow({ account, mode: 'test' }, invoice),
    claimPart: (invoice) => claimPart({ account, mode: 'test' }, invoice),
  });
  const keysPath = `/${account}/test/settings/keys`;
  const keyForm = shownFields(await send('GET', `${keysPath}/new`, session), '/new');
  const newKey = {
    ...keyForm,
    name: 'Grants',
    access: 'chosen',
    permissions: 'invoices:read',
    note: 'x',
    allowedAddresses: '127.0.0.1',
    expiresOn: '2099-01-31',
  };
  for (const _ of ['first click', 'second click']) {
    const { text } = await send('POST', `${keysPath}/new`, session, newKey);
    await useKey(/sk_test_\w+/.exec(text)?.[0] ?? '');
  }
  const keyId = /keys\/(key_\w+)\/revoke/.exec((await send('GET', keysPath, session)).text)?.[1];
  const editForm = shownFields(await send('GET', `${keysPath}/${keyId}/edit`, session), '/edit');
  const edited = { ...editForm, name: 'Changed', allowedAddresses: '203.0.113.0/24' };
  expect((await send('POST', `${keysPath}/${keyId}/edit`, session, edited)).location).toContain(
    'key_updated',
  );
  const replacedPath = `${keysPath}/${keyId}/roll-over`;
  const rollOverForm = shownFields(await send('GET', replacedPath, session), '/roll-over');
  const replacement = { ...rollOverForm, overlapHours: '1', expiresOn: '' };
  expect((await send('POST', replacedPath, session, replacement)).text).toContain('sk_test_');
  const revoked = await send('POST', `${keysPath}/${keyId}/revoke`, session, keyForm);
  expect(revoked.location).toContain('notice=key_revoked');

  await connectStripe(send, `/${account}/test/settings/providers`, session);

  await driveClock(async ({ accountId }) => {
    await addLocalMembers(stack, accountId, ['owner']);
    return formsOfClock(send, `/${accountId}/test/clock`, session);
  });

  const members = `/${account}/test/settings/members`;
  const initial = hiddenFields((await send('GET', members, session)).text);

  const invited = await send('POST', `${members}/invitations`, session, {
    ...initial,
    email: viewer.email,
    role: 'viewer',
  });
  const token = /token=(\w+)/.exec(invited.text)?.[1] ?? '';
  const invitation = { account, token };
  const guest = await authenticate(viewer);
  const page = await send('GET', `/sign-in/invitation?${new URLSearchParams(invitation)}`, guest);
  const form = { ...hiddenFields(page.text), ...invitation };
  expect((await send('POST', '/sign-in/invitation', guest, form)).status).toBe(303);
  const left = await send('POST', `${members}/leave`, guest, hiddenFields(page.text));
  expect(left.location).toBe('/accounts?notice=left');

  const other = await authenticate(owner);
  const sessions = await send('GET', '/sign-in/sessions', session);
  const one = shownFields(sessions, '/sessions/end') ?? {};
  expect((await send('POST', '/sign-in/sessions/end', session, one)).status).toBe(303);
  expect((await send('GET', '/', other)).location).toMatch(/^\/sign-in\?/);
  expect((await send('POST', '/sign-in/sessions', session, hiddenFields(sessions.text))).status).toBe(303);
}

/** Returns the requests that a user of the dashboard sends to show and change a clock. */
async function formsOfClock(send: Send, path: string, session: string): Promise<ClockRequests> {
  const { csrf = '' } = hiddenFields((await send('GET', path, session)).text);
  const post = async (action: string, attempt: string, fields: Record<string, string> = {}) => {
    const form = { csrf, attempt, ...fields };
    const { status, location } = await send('POST', `${path}/${action}`, session, form);
    if (status !== 303) return undefined;
    return location.endsWith('clock_moving') ? 'advancing' : 'ready';
  };
  const newAttempt = () => randomUUID().replaceAll('-', '').slice(0, 26);
  return {
    show: async () =>
      (await send('GET', path, session)).text.includes('>Advancing<') ? 'advancing' : 'ready',
    move: (seconds, repetition) =>
      post('forward', repetition?.padEnd(26, 'x') ?? newAttempt(), { advanceSeconds: String(seconds) }),
    reset: () => post('reset', newAttempt()),
  };
}

/** Disconnects a double of Stripe, connects it again, and checks and disconnects it. */
async function connectStripe(send: Send, path: string, session: string): Promise<void> {
  const double = await startStripeDouble();
  process.env.STRIPE_API_URL = double.url;
  try {
    expect((await send('GET', path, session)).status).toBe(200);
    const form = hiddenFields((await send('GET', `${path}/stripe/connect`, session)).text);
    const [notificationSecret = ''] = double.credentials.test.notificationSecrets;
    const { apiKey } = double.credentials.test;
    const credentials = { ...form, apiKey, notificationSecret, currencies: 'USD' };
    for (const [action, notice] of [
      ['disconnect', 'provider_disconnected'],
      ['connect', 'provider_connected'],
      ['check', 'credentials_accepted'],
      ['disconnect', 'provider_disconnected'],
    ] as const)
      expect((await send('POST', `${path}/stripe/${action}`, session, credentials)).location).toContain(
        notice,
      );
  } finally {
    delete process.env.STRIPE_API_URL;
    await double.close();
  }
}

/** Returns what a browser sends for the form of a page whose address ends with `end`. */
const shownFields = ({ text }: Answer, end: string) =>
  formsOf({ text } as HttpResponse).find(({ action }) => action.endsWith(end))?.initial;

function hiddenFields(text: string): Record<string, string> {
  const fieldOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
  return { csrf: fieldOf('csrf'), attempt: fieldOf('attempt'), seen: fieldOf('seen') };
}

function toEvent(method: string, path: string, cookie = '', form?: Record<string, string>) {
  const url = new URL(path, 'http://gateway.invalid');
  const headers = {
    ...(cookie && { cookie }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const lists = (entries: Iterable<[string, string]>) =>
    Object.fromEntries([...entries].map(([name, value]) => [name, [value]]));
  return {
    httpMethod: method,
    resource: '/{proxy+}',
    path: url.pathname,
    headers,
    multiValueHeaders: lists(Object.entries(headers)),
    multiValueQueryStringParameters: lists(url.searchParams),
    body: form ? new URLSearchParams(form).toString() : null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), identity: { sourceIp: '127.0.0.1' } },
  };
}

function toAnswer({ statusCode, headers, multiValueHeaders, body }: LambdaAnswer): Answer {
  const cookies = (multiValueHeaders?.['Set-Cookie'] ?? []).map((line) => line.split(';')[0] ?? '');
  return {
    status: statusCode,
    location: headers.location ?? '',
    text: body,
    cookie: cookies.filter((each) => !each.endsWith('=')).join('; '),
  };
}

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>;
  readonly body: string;
}

/** Lets a row of a bank statement pay 1.00 of an invoice. Returns the id of the payment. */
async function payFromRow(owner: Owner, invoiceId: string): Promise<string> {
  const clock = realClock(now());
  const rows = [{ day: '2026-03-31', amount: 100, reference: 'FT of the dashboard' }];
  const body = { bank: 'Bank of Bhutan', currency: 'USD', rows } as const;
  const numbered = await allocateSequenceNumber(owner, 'statement');
  const { hash } = await findSameStatement(owner, body);
  const { id } = await commitInBackground(createStatementCommand(numbered, body, hash, clock.account), clock);
  const {
    statement,
    rows: [row],
  } = await readStatementWithRows(owner, id);
  if (!row) throw new Error('The statement has no row.');
  const command = await payRowCommand(
    await allocateSequenceNumber(owner, 'payment'),
    { statement, row, use: await readRowUse(owner, row.id), invoice: await readInvoice(owner, invoiceId) },
    {},
    clock,
  );
  return (await commitInBackground(command, clock)).id;
}

/** Claims to have paid 1.00 of an invoice. Returns the id of the claim. */
async function claimPart(owner: Owner, invoiceId: string): Promise<string> {
  const sent = { amount: 100, paidOn: claimDay(), bank: 'Bank of Bhutan', reference: `JRN ${now()}` };
  await storeClaim(await readInvoice(owner, invoiceId), sent, now());
  return (await readInvoice(owner, invoiceId)).record?.claim?.id ?? '';
}

/** Stores that the mail of an invoice bounced. Returns the id of the mail. */
async function bounceMail(account: string, invoice: string): Promise<string> {
  const [id = ''] = await readMailIds(invoice);
  const bounced = { state: 'bounced', reason: 'bounced_permanently' } as const;
  const mail = { account, mode: 'test', id, sesId: 'ses-1', acceptedAt: now(), to: undefined } as const;
  await recordMailOutcome({ ...mail, ...bounced }, now());
  return id;
}
