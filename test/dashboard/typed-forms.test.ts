/** Tests that a form keeps what a user typed when its session has ended, and that nothing happens without another click. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Role } from '../../shared/domain/users/roles.ts';
import { invoiceBody } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import {
  type DashboardAccount,
  newDashboardAccount,
  sessionOf,
  signedIn,
} from '../support/dashboard-user.ts';
import {
  formsOf,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';

const sessionCookie = '__Host-remit-session';
const values = {
  customerId: 'a@example.com',
  amount: '1,234.50',
  currency: 'USD',
  description: 'Line 1\r\n<b>"Line" 2',
  dueDate: '2099-03-31',
};

let stack: Stack;
let account: DashboardAccount;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
});
afterAll(() => stack?.close());

const total = async () => (await account.test.get('/api/invoices')).json.pagination.total;
const endSession = ({ cookies }: Visitor) => cookies.delete(sessionCookie);
const renewSession = async ({ cookies }: Visitor, role: Role) =>
  cookies.set(sessionCookie, await sessionOf(stack, role));
const check = 'the form was sent before you signed in';

/** Opens a form and sends it after the session has ended. */
async function sendLate(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
): Promise<VisitedPage> {
  const page = await visitor.get(account.path(path));
  endSession(visitor);
  const form = formsOf(page).find(({ action }) => action.endsWith(path));
  return visitor.post(form?.action ?? '', { ...form?.initial, ...fields }, headers);
}

describe('an invoice that is sent after the session has ended', () => {
  test('is kept on the page, shown again after the sign-in, and created by another click', async () => {
    const visitor = await signedIn(stack);
    const kept = await sendLate(visitor, '/invoices/new', values);
    expect([kept.status, headingOf(kept)]).toEqual([403, 'Your session has ended']);
    expect(kept.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(kept.text).toContain('value="1,234.50"');
    expect(kept.text).toContain('&lt;b&gt;&quot;Line&quot; 2');
    expect(kept.text).toMatch(
      /href="\/sign-in\/start\?return=%2Fsign-in%2Fdone" target="_blank" rel="noopener"/,
    );
    expect(formsOf(kept)[0]?.initial).not.toHaveProperty('csrf');
    // Before the sign-in, the button leads back to the same page.
    const early = await visitor.submit(kept, '/invoices/new');
    expect(formsOf(early)).toEqual(formsOf(kept));

    await renewSession(visitor, 'owner');
    const done = await visitor.open('/sign-in/done');
    expect(headingOf(done)).toBe('You are signed in');
    const shown = await visitor.submit(kept, '/invoices/new');
    expect([shown.status, headingOf(shown)]).toEqual([403, 'Create invoice']);
    expect(shown.text).toContain(check);
    for (const text of [
      'value="a@example.com"',
      'value="1,234.50"',
      'value="USD" selected',
      '2099-03-31',
      'Line 1\r\n&lt;b&gt;&quot;Line&quot; 2',
    ])
      expect(shown.text).toContain(text);
    expect(await total()).toBe(0);

    const answer = await visitor.submit(shown, '/invoices/new', values);
    expect(answer.status).toBe(303);
    expect(await total()).toBe(1);
  });

  test('has no second effect if it took effect before', async () => {
    const visitor = await signedIn(stack);
    const page = await visitor.get(account.path('/invoices/new'));
    const first = await visitor.submit(page, '/invoices/new', values);
    await renewSession(visitor, 'owner');
    const shown = await visitor.submit(page, '/invoices/new', values);
    expect(shown.text).toContain(check);
    const second = await visitor.submit(shown, '/invoices/new', values);
    expect([second.status, second.headers.location]).toEqual([303, first.headers.location]);
    expect(await total()).toBe(1);
  });

  test('is not shown to another user who signs in', async () => {
    const visitor = await signedIn(stack);
    const kept = await sendLate(visitor, '/invoices/new', values);
    await renewSession(visitor, 'developer');
    const refused = await visitor.submit(kept, '/invoices/new', values);
    expect([refused.status, headingOf(refused)]).toEqual([403, 'This form is out of date']);
    expect(refused.text).not.toContain('1,234.50');
    expect(refused.text).toContain(`href="${account.path('/invoices/new')}"`);
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'null' },
    {},
  ])('is not kept without the word of the browser that the dashboard sent it: %p', async (headers) => {
    const visitor = await signedIn(stack);
    const ended = await sendLate(visitor, '/invoices/new', values, headers);
    expect([ended.status, headingOf(ended)]).toEqual([403, 'Your session has ended']);
    expect(ended.text).not.toContain('1,234.50');
    const page = await (await signedIn(stack)).get(account.path('/invoices/new'));
    await renewSession(visitor, 'owner');
    const form = formsOf(page).find(({ action }) => action.endsWith('/invoices/new'));
    const stale = await visitor.post(form?.action ?? '', { ...form?.initial, ...values }, headers);
    expect([stale.status, headingOf(stale)]).toEqual([403, 'This form is out of date']);
    expect(stale.text).not.toContain('1,234.50');
  });

  test('is not kept if it is larger than any form', async () => {
    const visitor = await signedIn(stack);
    const ended = await sendLate(visitor, '/invoices/new', { ...values, description: 'x'.repeat(530_000) });
    expect([ended.status, formsOf(ended)]).toEqual([403, []]);
  });
});

test('a change that is shown again does not hide that the invoice changed meanwhile', async () => {
  const { id } = (await account.test.post('/api/invoices', invoiceBody())).json;
  const visitor = await signedIn(stack);
  const path = `/invoices/${id}/edit`;
  const typed = { amount: '30', description: 'Mine', dueDate: '2099-01-31' };
  const kept = await sendLate(visitor, path, typed);
  await account.test.patch(`/api/invoices/${id}`, { description: 'By another person' });
  await renewSession(visitor, 'owner');
  const shown = await visitor.submit(kept, path);
  const warned = await visitor.submit(shown, path, typed);
  expect([warned.status, warned.text.includes('Nothing was saved')]).toEqual([409, true]);
});

test('a sign-in that is too old keeps the form too, and asks for a new sign-in', async () => {
  const visitor = await signedIn(stack);
  const page = await visitor.get(account.path('/settings/account/edit'));
  setClock(() => Date.now() + 11 * 60_000);
  try {
    const kept = await visitor.submit(page, '/settings/account/edit', { name: 'New name' });
    expect([kept.status, headingOf(kept)]).toEqual([403, 'Sign in again to continue']);
    expect(kept.text).toContain('return=%2Fsign-in%2Fdone&amp;new=1');
    // The button before the sign-in: the session is still too old.
    expect(headingOf(await visitor.submit(kept, '/settings/account/edit'))).toBe('Sign in again to continue');
    await renewSession(visitor, 'owner');
    const shown = await visitor.submit(kept, '/settings/account/edit');
    expect(shown.text).toContain('value="New name"');
    const saved = await visitor.submit(shown, '/settings/account/edit', { name: 'New name' });
    expect(saved.status).toBe(303);
  } finally {
    setClock();
  }
});

test('credentials of a provider are not on the page', async () => {
  const visitor = await signedIn(stack);
  const secrets = { apiKey: 'sk_test_typed', notificationSecret: 'whsec_typed' };
  const path = '/settings/providers/stripe/connect';
  const kept = await sendLate(visitor, path, { ...secrets, currencies: 'USD' });
  expect(formsOf(kept)[0]?.initial).toMatchObject({ currencies: 'USD' });
  await renewSession(visitor, 'owner');
  const shown = await visitor.submit(kept, path);
  expect(shown.text).toContain(check);
  expect(shown.text).toMatch(/value="USD" checked/);
  expect(shown.text).not.toMatch(/value="INR" checked/);
  for (const page of [kept, shown]) expect(page.text).not.toMatch(/sk_test_typed|whsec_typed/);
  const form = await sendLate(visitor, path, secrets, { 'Sec-Fetch-Site': 'same-origin' });
  expect(form.text).not.toMatch(/sk_test_typed|whsec_typed/);
});

/** Each form with text fields: its path, a field and a value, and what the form shows. */
const forms = {
  'offline payment': async () => {
    const { id } = (await account.test.post('/api/invoices', invoiceBody())).json;
    return [`/invoices/${id}/payment`, { reference: 'Receipt 17' }] as const;
  },
  'mail with an invoice': async () => {
    const { id } = (await account.test.post('/api/invoices', invoiceBody())).json;
    return [`/invoices/${id}/send`, { to: 'typed@example.bt', message: 'Typed' }] as const;
  },
  refund: async () => {
    const { id } = (await account.test.post('/api/invoices', invoiceBody())).json;
    const pay = { invoiceId: id, method: 'offline' };
    const payment = (await account.test.post('/api/payments', pay)).json.id;
    return [`/payments/${payment}/refund`, { amount: '0.17', reason: 'Typed' }] as const;
  },
  'API key': async () => ['/settings/keys/new', { name: 'Typed', expiresOn: '2099-03-31' }] as const,
  'change of an API key': async () =>
    [`/settings/keys/${(await firstKey()).keyId}/edit`, { name: 'Typed', note: 'Note' }] as const,
  'roll over': async () =>
    [`/settings/keys/${(await firstKey()).keyId}/roll-over`, { overlapHours: '17' }] as const,
  webhook: async () => ['/webhooks/new', { url: 'https://typed.example', events: 'invoice.paid' }] as const,
  'change of a webhook': async () => [`/webhooks/${await webhook()}/edit`, { description: 'Typed' }] as const,
  'rotation of a secret': async () =>
    [`/webhooks/${await webhook()}/rotate-secret`, { overlapHours: '17' }] as const,
  recovery: async () => [`/webhooks/${await webhook()}/recover`, { since: '2026-01-02T03:04:05Z' }] as const,
};

async function firstKey() {
  const { listKeys } = await import('../../shared/domain/accounts/key-store.ts');
  const [key] = await listKeys({ account: account.accountId, mode: 'test' });
  if (!key) throw new Error('The account has no key.');
  return key;
}

const webhook = async () =>
  (await account.test.post('/api/webhooks', { url: 'https://example.com/hook', events: ['*'] })).json.id;

test.each(Object.entries(forms))('the form %p is kept and shown again', async (_, prepare) => {
  const [path, fields] = await prepare();
  const visitor = await signedIn(stack);
  const kept = await sendLate(visitor, path, fields);
  expect([kept.status, formsOf(kept)[0]?.initial]).toEqual([403, expect.objectContaining(fields)]);
  await renewSession(visitor, 'owner');
  const shown = await visitor.submit(kept, path);
  expect([shown.status, shown.text.includes(check)]).toEqual([403, true]);
  for (const value of Object.values(fields)) expect(shown.text).toContain(value);
  const [before] = formsOf(kept);
  const after = formsOf(shown).find(({ action }) => action === before?.action);
  expect(after?.initial.attempt).toBe(before?.initial.attempt);
});

test('an invitation is kept and shown again', async () => {
  const visitor = await signedIn(stack);
  const path = '/settings/members';
  const page = await visitor.get(account.path(path));
  endSession(visitor);
  const kept = await visitor.submit(page, '/invitations', { email: 'typed@example.com', role: 'developer' });
  await renewSession(visitor, 'owner');
  const shown = await visitor.submit(kept, '/invitations');
  expect(shown.text).toContain('value="typed@example.com"');
  expect(shown.text).toContain('value="developer" selected');
  const { readMembers } = await import('../../shared/domain/users/member-store.ts');
  expect((await readMembers(account.accountId)).invitations).toEqual([]);
});
