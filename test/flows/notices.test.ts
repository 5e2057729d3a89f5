/** Tests that merchants get a mail of what happens to their account, once for each reader, and that it holds no secret. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { localUsers } from '../../infra/local/local-users.ts';
import type { AcceptedMail } from '../../infra/local/mail/ses-double.ts';
import { newSesBehavior } from '../../infra/local/mail/ses-rules.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { AuditAction } from '../../shared/base/audit-origin.ts';
import type { Permission } from '../../shared/domain/auth/permissions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { observeCalls, queueEvent } from '../infra/observed-calls.ts';
import { futureSchedule } from '../infra/schedule-calls.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { claimOnPage } from '../support/claims.ts';
import { addLocalMembers, createVisitor, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import {
  type DynamodbAttempt,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../support/intercept-calls.ts';
import { cardPaymentBody } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { relayItems } from '../support/webhook-workers.ts';

const { owner } = localUsers;
const guest = { subject: 'guest', email: 'guest@shop.example', isEmailVerified: true };

let stack: Stack;
let account: string;
let api: Api;
/** Gets the notices of one account. */
let reader: string;
let count = 0;

beforeAll(async () => {
  stack = await startTestStack(withDashboard([guest]));
});
afterAll(() => stack?.close());
beforeEach(async () => {
  Object.assign(stack.mail.behavior, newSesBehavior());
  ({ accountId: account, test: api } = await newAccount(stack.baseUrl));
  await addLocalMembers(stack, account);
  reader = `reader${count++}@shop.example`;
  await settings({ mailNoticesTo: reader });
});

const changeSettings = async (change: object, action?: AuditAction) => {
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account, change, action && { origin: originOf(action) });
};
/** Changes settings as if it was days ago: those that they replace decide nothing. */
const settings = async (change: object, action?: AuditAction) => {
  await changeSettings(change, action);
  const { replacedNotices: _, ...profile } = (await tableOf(stack).get(tableKeys.account(account))) ?? {};
  await tableOf(stack).put(profile);
};
const originOf = (action: AuditAction) =>
  ({
    actor: { type: 'operator', id: 'arn:aws:iam::123456789012:user/karma' },
    action,
    requestId: null,
    source: null,
  }) as const;
const createKey = async (name: string) => {
  const { createKey: create } = await import('../../shared/domain/accounts/key-store.ts');
  const asked = { name, note: undefined, permissions: undefined, allowedAddresses: undefined };
  return create({
    ...asked,
    owner: { account, mode: 'test' },
    expiresAt: undefined,
    origin: originOf('key.create'),
  } as Parameters<typeof create>[0]);
};
const acceptedTo = (to: string) => stack.mail.accepted.filter((mail) => mail.to.includes(to));
const untilMailed = async (to: string, amount = 1) => {
  await waitUntil(`${to} has ${amount} mails`, async () => acceptedTo(to).length >= amount);
  const mails = acceptedTo(to);
  expect(mails).toHaveLength(amount);
  return Promise.all(mails.map(({ source }: AcceptedMail) => PostalMime.parse(source)));
};
const listed = async () => (await api.get('/api/mails')).json.data;
const linkIn = (text: string | undefined) => /^https?:\S+$/m.exec(text ?? '')?.[0] ?? '';

test('a new key is mailed to the address of the settings, without its value', async () => {
  const { value, keyId } = await createKey('Till "one" <b>');
  const [email] = await untilMailed(reader);
  expect(email?.subject).toBe('Test mode: An API key was created: Test');
  expect(email?.from).toMatchObject({ name: 'Remit', address: 'invoices@shop.example' });
  expect(email?.text).toContain(`API key: Till "one" <b> (${keyId})`);
  expect(email?.text).toContain('By: The operator of the service');
  expect(email?.html).toContain('Till &quot;one&quot; &lt;b&gt;');
  expect(linkIn(email?.text)).toBe(`${stack.dashboard?.url}/${account}/test/settings/keys`);
  const whole = JSON.stringify([email, await tableOf(stack).all('TIMER#'), await listed()]);
  expect(whole).not.toContain(value);
  const [mail] = await listed();
  expect(mail).toMatchObject({ kind: 'key', to: reader, invoiceId: null, reminderDay: null });
});

test('a notice that reads the audit log has no timer before its entry is stored, and says what the entry says', async () => {
  const table = tableOf(stack);
  const timers = async () =>
    (await table.all('TIMER#')).filter(({ reference }) => reference.includes(account));
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  try {
    const { keyId } = await createKey("Karma's laptop");
    const items = await table.outboxOf(account);
    const writesLog = ({ operation, body }: DynamodbAttempt) =>
      operation === 'TransactWriteItems' && body.includes(`AUDIT#${account}`);
    const { remove } = interceptCalls(injectFault(writesLog, respondWithError('AccessDeniedException'), 100));
    expect((await relayItems(items)).failed).toHaveLength(items.length);
    remove();
    expect(await timers()).toEqual([]);
    expect((await relayItems(items)).failed).toEqual([]);
    const [timer, ...others] = await timers();
    expect(others).toEqual([]);
    expect(JSON.stringify(timer)).not.toMatch(/karma|laptop|arn/i);
    const { revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
    await revokeKey({ account, mode: 'test' }, keyId, originOf('key.revoke'));
    stack.queues.resume();
    const [email] = await untilMailed(reader);
    expect(email?.text).toContain(`API key: Karma's laptop (${keyId})\nBy: The operator of the service\n`);
    const [mail] = await table.all(`MAILS#${account}`);
    expect(mail).toMatchObject({ detail: "Karma's laptop", by: 'operator' });
  } finally {
    stack.stream.resume();
    stack.queues.resume();
    stack.schedule.resume();
  }
});

test('a schedule that stops is mailed with the reason and a link', async () => {
  const customer = (await api.post('/api/customers', { name: 'Pema' })).json.id;
  const schedule = futureSchedule({}, { customerId: customer });
  const { id } = (await api.post('/api/schedules', schedule)).json;
  await api.delete(`/api/customers/${customer}`);
  await api.post(`/api/schedules/${id}/run`);
  const [email] = await untilMailed(reader);
  expect(email?.subject).toBe('Test mode: A schedule has stopped: Test');
  expect(email?.text).toContain(`Schedule: ${id}\n`);
  expect(email?.text).toContain('Cause: The customer of the invoice is deleted. Name another customer.\n');
  expect(linkIn(email?.text)).toBe(`${stack.dashboard?.url}/${account}/test/schedules/${id}`);
});

test('without an address, each owner gets one; without the kind, nobody does', async () => {
  await settings({ mailNoticesTo: null, mailNotices: 'payout' });
  await createKey('Nobody hears of it');
  const before = acceptedTo(owner.email).length;
  await settings({ upiId: 'druk@okbank', contact: 'a@b.example' }, 'account.update');
  const emails = await untilMailed(owner.email, before + 1);
  const email = emails.at(-1);
  // The change belongs to both modes, and the notice to live mode.
  expect(email?.subject).toBe('Settings of payments were changed: Test');
  expect(email?.text).toContain('Changed: UPI ID\n');
  expect(email?.text).not.toContain('druk@okbank');
  expect(acceptedTo(localUsers.viewer.email)).toEqual([]);
});

test('those who got the mails learn that they are switched off, and of what follows', async () => {
  const thief = `thief-${reader}`;
  await changeSettings({ mailNoticesTo: thief, mailNotices: 'none' }, 'account.update');
  await createKey('Of a thief');
  const emails = await untilMailed(reader, 2);
  const texts = emails.map(({ text }) => text ?? '').join('\n');
  expect(texts).toContain('Changed: Kinds of these mails, Address of these mails\n');
  expect(texts).toContain('API key: Of a thief');
  expect(acceptedTo(thief)).toEqual([]);
  // The account gets no other mails.
  await api.post('/api/invoices', invoiceBody());
  const states = (await listed()).map(({ kind, to }: { kind: string; to: string }) => [kind, to]);
  expect(states).toEqual([['key', reader]]);
});

test('an owner who is removed learns of it, and a role that changes', async () => {
  const { changeMembers, readMembers } = await import('../../shared/domain/users/member-store.ts');
  const { changeRole, removeMember } = await import('../../shared/domain/users/members.ts');
  const viewer = (await readMembers(account)).members.find(({ role }) => role === 'viewer');
  const { user = '', email = '' } = viewer ?? {};
  const before = acceptedTo(email).length;
  await changeMembers(account, (now) => changeRole(now, user, 'owner'), originOf('member.change'));
  const [changed] = (await untilMailed(email, before + 1)).slice(before);
  expect(changed?.subject).toBe('The role of a member was changed: Test');
  expect(changed?.text).toContain(`Member: ${email}\nRole: Owner\nBy: The operator of the service`);
  await changeMembers(account, (now) => removeMember(now, user), originOf('member.remove'));
  const removed = (await untilMailed(email, before + 2))[before + 1];
  expect(removed?.subject).toBe('A member was removed from the account: Test');
  expect(removed?.text).toContain('If you do not expect this, ask an owner');
  await untilMailed(reader, 2);
});

test('only a key that may read the account sees the mails to its members', async () => {
  await createKey('One');
  await untilMailed(reader);
  const { createKey: create } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account, mode: 'test' } as const;
  const listedWith = async (permissions: readonly Permission[]) => {
    const { value } = await create({ owner, name: 'Reader', permissions });
    const restricted = apiOf(stack.baseUrl, value);
    const [notice] = (await api.get('/api/mails')).json.data;
    const { status } = await restricted.post(`/api/mails/${notice.id}/allow-address`, {});
    return [(await restricted.get('/api/mails')).json.data.length > 0, status];
  };
  const invoices = ['invoices:read', 'invoices:write'] as const;
  expect(await listedWith(invoices)).toEqual([false, 404]);
  expect(await listedWith([...invoices, 'account:read'])).toEqual([true, 200]);
});

test('a paid invoice and a dispute', async () => {
  await settings({ mailNotices: 'paid, disputed', mailLocale: 'hi' });
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  const { status, text } = await api.post('/api/payments', cardPaymentBody(invoice.id, '4000000000000259'));
  expect([status, text]).toEqual([201, text]);
  const [paid] = await untilMailed(reader);
  expect(paid?.subject).toContain('एक बीजक का भुगतान हुआ');
  expect(linkIn(paid?.text)).toContain(`/${account}/test/invoices/${invoice.id}`);
  const [, disputed] = await untilMailed(reader, 2);
  expect(disputed?.subject).toContain('विवाद');
  expect(disputed?.text).not.toContain('4000');
});

test('a claim of a payer, with the amount that the payer says', async () => {
  await settings({ mailNotices: 'claimed' });
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  await claimOnPage(invoice, { amount: '20.00', bank: 'Bank <b>' });
  const [email] = await untilMailed(reader);
  expect(email?.subject).toContain('A payer says that an invoice is paid');
  expect(email?.text).toContain('$20.00');
  expect(email?.text).toContain('Compare the transfer with your bank account.');
  expect(email?.html).not.toContain('Bank <b>');
  expect(linkIn(email?.text)).toContain(`/${account}/test/invoices/${invoice.id}`);
});

test('an endpoint that answers 410', async () => {
  const receiver = await startWebhookReceiver();
  receiver.respondWith(() => ({ status: 410 }));
  const { json } = await api.post('/api/webhooks', { url: receiver.urlOf('/gone'), events: ['*'] });
  await api.post('/api/invoices', invoiceBody());
  const [email] = await untilMailed(reader);
  expect(email?.text).toContain(`Endpoint: ${json.id}`);
  expect(email?.text).toContain('The endpoint answered 410 Gone.');
  await receiver.close();
});

test('an invitation goes to the invited person with a link that works, and the owners learn who joined', async () => {
  const visitor = createVisitor(stack);
  await visitor.signIn(owner);
  const page = await visitor.open(`/${account}/live/settings/members`);
  const invited = await visitor.submit(page, '/members/invitations', { email: guest.email, role: 'viewer' });
  const before = acceptedTo(guest.email).length;
  const emails = await untilMailed(guest.email, Math.max(1, before));
  const link = linkIn(emails.at(-1)?.text);
  expect(invited.text.replaceAll('&amp;', '&')).toContain(link);
  expect(JSON.stringify(await tableOf(stack).all('MAILS#'))).not.toContain(
    new URL(link).searchParams.get('token'),
  );
  const own: Visitor = createVisitor(stack);
  await own.signIn(guest);
  await own.submit(await own.open(link), '/sign-in/invitation');
  const joined = (await untilMailed(reader, 2)).map(({ text }) => text ?? '');
  expect(
    joined.some((text) => text.includes(`Member: ${guest.email}`) && text.includes('Role: Viewer')),
  ).toBe(true);
  // The other one is about the sign-in of the owner.
  expect(joined.some((text) => text.includes(`Member: ${owner.email}`))).toBe(true);
});

test('a sign-in has a mail only if the browser is new', async () => {
  await settings({ mailNotices: 'sign_in' });
  const visitor = createVisitor(stack);
  await visitor.signIn(owner);
  const [email] = await untilMailed(reader);
  expect(email?.text).toContain('Browser: ');
  const page = await visitor.open('/');
  await visitor.submit(page, '/sign-out');
  await visitor.signIn(owner);
  await waitUntil('the outbox is empty', async () => (await tableOf(stack).all('OUTBOX#')).length === 0);
  await untilMailed(reader);
});

test('a timer that fires twice makes one mail, and a limit of its own lets each kind wait', async () => {
  const { run } = await observeCalls(stack, '');
  const send = (kind: string, cause: string) => {
    const reference = [account, 'test', 'notice', kind, 1_000, cause, 'key_1', '', ''].join('/');
    return run(
      'functions/background/send-mail.ts',
      queueEvent({ reference, kind: 'mail', due: 1, minute: 1 }),
    );
  };
  await Promise.all([send('key', 'one'), send('key', 'one')]);
  await send('key', 'one');
  const [email] = await untilMailed(reader);
  // Its entry of the audit log waits for an operator. The notice does not.
  expect(email?.text).toContain('API key: key_1\n');
  for (let count = 0; count < 12; count++) await send('endpoint', `more${count}`);
  await untilMailed(reader, 11);
  const waiting = (await listed()).filter(({ state }: { state: string }) => state === 'queued');
  expect(waiting).toMatchObject(Array.from({ length: 2 }, () => ({ reason: 'limit_reached' })));
});

test('an address that bounced gets no notice until somebody allows it', async () => {
  const bounce = 'bounce@simulator.amazonses.com';
  await settings({ mailNoticesTo: bounce });
  await createKey('One');
  const bounced = await waitUntil('the mail has bounced', async () => {
    const [mail] = await listed();
    return mail?.state === 'bounced' && mail;
  });
  await createKey('Two');
  await waitUntil('the next one is skipped', async () => (await listed())[0].reason === 'address_bounced');
  expect((await api.post(`/api/mails/${bounced.id}/allow-address`)).status).toBe(200);
  await createKey('Three');
  await waitUntil('it is sent again', async () => acceptedTo(bounce).length === 2);
  const { json } = await api.get('/api/events?type=mail.bounced');
  expect(json.data[0].data).toMatchObject({ kind: 'key', invoiceId: null, to: '[member]' });
});

test('the mail of a closed account is not sent', async () => {
  const { run } = await observeCalls(stack, '');
  const table = tableOf(stack);
  await table.put({ ...(await table.get(tableKeys.account(account))), closedAt: 1 } as TestItem);
  const reference = [account, 'test', 'notice', 'key', 1_000, 'closed', 'key_1', '', ''].join('/');
  await run('functions/background/send-mail.ts', queueEvent({ reference, kind: 'mail', due: 1, minute: 1 }));
  expect(acceptedTo(reader)).toEqual([]);
});
