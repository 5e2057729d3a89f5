/** Tests the page of all mails: what came of each, by pages, and the button that allows an address again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { switchMailsOn } from '../support/mails.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;

beforeAll(async () => {
  stack = await startTestStack({ ...withDashboard() });
  account = await newDashboardAccount(stack);
  await switchMailsOn(account.accountId, ['invoice']);
});
afterAll(() => stack?.close());

/** Returns the texts of the cells of each row. */
const rowsOf = (text: string) =>
  [...text.matchAll(/<tr role="row">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  );

test('the page lists all mails, newest first, by pages, and lets those who may allow an address again', async () => {
  const user = await signedIn(stack);
  const empty = await newDashboardAccount(stack);
  expect((await user.get(empty.path('/mails'))).text).toContain('No mails yet.');
  const create = async (customerId: string) =>
    (await account.test.post('/api/invoices', invoiceBody({ customerId }))).json.id as string;
  const send = async (to: string, id: string) => {
    expect((await account.test.post(`/api/invoices/${id}/send`, { to })).status).toBe(200);
  };
  const invoice = await create('dorji@example.bt');
  for (let mail = 0; mail < 20; mail++) await send(`to-${mail}@example.bt`, invoice);
  const bounced = 'bounce@simulator.amazonses.com';
  await send(bounced, invoice);
  const isDone = async (state: string) => {
    const [newest] = (await account.test.get('/api/mails')).json.data;
    return newest.state === state && newest;
  };
  const mail = await waitUntil('it has bounced', () => isDone('bounced'));
  await send(bounced, invoice);
  await waitUntil('the address gets nothing', () => isDone('skipped'));

  const path = account.path('/mails');
  const { text } = await user.get(path);
  const rows = rowsOf(text);
  expect(rows).toHaveLength(20);
  expect(rows[0]?.slice(0, 3)).toEqual([
    'Invoice',
    expect.stringMatching(/^bounce@simulator\.amazonses\.com .*Allow mails to this address again$/),
    'Mail not sent An earlier mail to this address did not arrive.',
  ]);
  expect(rows[1]?.[2]).toContain('Mail did not arrive');
  expect(rows[2]?.[1]).toBe('to-19@example.bt');
  expect(text).toContain(account.path(`/invoices/${invoice}`));
  const older = /href="([^"]*\?before=[^"]*)"/.exec(text)?.[1] ?? '';
  const second = await user.get(older);
  expect(rowsOf(second.text).map(([, to]) => to)).toEqual(['to-1@example.bt', 'to-0@example.bt']);
  expect(second.text).toContain('Newest mails');
  expect((await user.get(`${path}?before=mail_1`)).text).toContain('must be the ID of a mail');
  expect(rowsOf((await user.get(account.path('/mails', 'live'))).text)).toEqual([]);

  const events = await waitUntil('the event', async () => {
    const { text: list } = await user.get(account.path('/events?type=mail.bounced'));
    return list.includes('<table') && list;
  });
  expect(events).toContain(account.path(`/invoices/${invoice}`));

  const viewer = await signedIn(stack, 'viewer');
  const shown = await viewer.get(path);
  expect(rowsOf(shown.text)).toHaveLength(20);
  expect(shown.text).not.toContain('allow-address');
  const action = account.path(`/mails/${mail.id}/allow-address`);
  const tokenOn = (page: string) => /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
  const refused = { csrf: tokenOn(shown.text), attempt: 'a'.repeat(26) };
  expect((await viewer.post(action, refused)).status).toBe(403);
  const foreign = empty.path(`/mails/${mail.id}/allow-address`);
  expect((await user.post(foreign, { ...refused, csrf: tokenOn(text) })).status).toBe(404);
  const pages = [path, account.path(`/invoices/${invoice}`)];
  for (const each of pages) {
    const before = (await user.get(each)).text;
    expect(before).toContain('The address does not exist or accepts no mails. Nothing more is sent to it.');
    expect(before).not.toContain('allowed again');
  }
  expect((await user.submit(await user.get(path), action, {})).status).toBe(303);
  for (const each of pages) {
    const after = (await user.get(each)).text;
    expect(after).not.toContain('allow-address');
    expect(after).not.toContain('Nothing more is sent to it.');
    expect(after).toContain('The address does not exist or accepts no mails. Mails to it are allowed again.');
    expect(after).toContain('An earlier mail to this address did not arrive. Mails to it are allowed again.');
  }
});

test('the form that sends a mail says what its message must not have, and to whom mails go', async () => {
  const user = await signedIn(stack);
  const { id } = (await account.test.post('/api/invoices', invoiceBody({}))).json;
  const path = account.path(`/invoices/${id}/send`);
  const local = await user.get(path);
  expect(local.text).toContain('No links, email addresses or names of websites');
  expect(local.text).toContain(`<a href="${stack.mail.url}/">`);
  expect(local.text).not.toContain('only to members');
  const { AWS_ENDPOINT_URL_SESV2 } = process.env;
  try {
    // Only an address of the loopback interface is that of the double.
    process.env.AWS_ENDPOINT_URL_SESV2 = stack.mail.url.replace('127.0.0.1', 'localhost');
    expect((await user.get(path)).text).toContain('In test mode, mails go only to members of this account.');
  } finally {
    process.env.AWS_ENDPOINT_URL_SESV2 = AWS_ENDPOINT_URL_SESV2;
  }
});

test('the page of the account names the mails to you in words', async () => {
  const user = await signedIn(stack);
  const { text } = await user.get(account.path('/settings/account'));
  expect(text).toContain('Disputed payment, Payer claims to have paid, Disabled webhook endpoint');
  expect(text).not.toContain('sign_in');
});
