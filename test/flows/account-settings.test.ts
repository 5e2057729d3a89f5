/** Tests the commands that show and change an account's payment page settings. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { checksumOf } from '../../shared/domain/accounts/merchant-qr.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { run, runHere, runJson, runJsonHere, tableLineOf } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const instructions = 'Bank of Bhutan\nAccount 200123456\n\nའབྲུག་ཡུལ';
const qr = '00020101021226';

let stack: Stack;
let table: TestTable;
let directory: string;
let account: string;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  directory = await mkdtemp(join(tmpdir(), 'remit-settings-'));
});
beforeEach(async () => {
  account = (await newAccount(stack.baseUrl)).accountId;
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack.close();
});

const update = (...args: string[]) => runJsonHere('accounts', ['update', '--account', account, ...args]);
const show = () => runJsonHere('accounts', ['show', '--account', account]);
const tryUpdate = (...args: readonly string[]) =>
  runHere('accounts', ['update', '--account', account, ...args]);
const writeTestFile = async (name: string, content: string | Uint8Array) => {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
};

describe('update and show', () => {
  test('a new account has no settings', async () => {
    expect(await show()).toEqual({
      accountId: account,
      name: 'Test',
      plan: 'enterprise',
      status: 'open',
      hasSeller: false,
      createdAt: expect.stringMatching(/^20.*Z$/),
      closedAt: null,
      sandboxUntil: null,
      displayName: null,
      contact: null,
      address: null,
      timeZone: null,
      paymentInstructions: null,
      paymentInstructionsBtn: null,
      paymentInstructionsUsd: null,
      paymentInstructionsInr: null,
      paymentQr: null,
      paymentQrAmount: null,
      upiId: null,
      payLinkDays: null,
      mailInvoice: null,
      mailReceipt: null,
      mailRefund: null,
      mailFailure: null,
      mailReminders: null,
      mailReminderHour: null,
      mailDaysOff: null,
      mailNotices: null,
      mailNoticesTo: null,
      mailName: null,
      mailReplyTo: null,
      mailLocale: null,
    });
    const { out } = await runHere('accounts', ['show', '--account', account]);
    expect(out.match(/not set/g)).toHaveLength(7);
    expect(out).toMatch(/\nmails +none are sent\n/);
  });

  test('settings are changed together or separately, and nothing else of the account changes', async () => {
    const before = await show();
    const all = ['--display-name', 'Druk Shop', '--payment-instructions', instructions, '--payment-qr', qr];
    const settings = { displayName: 'Druk Shop', paymentInstructions: instructions, paymentQr: qr };
    expect(await update(...all)).toEqual({ ...before, ...settings });
    expect(await show()).toEqual({ ...before, ...settings });
    expect(await update('--display-name', 'Other')).toEqual({ ...before, ...settings, displayName: 'Other' });
    const { out } = await runHere('accounts', ['show', '--account', account]);
    expect(out).toMatch(
      /^account +acct_\w+\nstatus +open\nname +Test\nplan +enterprise\ncreated +20\S+Z\ndisplay name +Other\ncontact +not set\naddress +not set\ntime zone +UTC\npayment QR +00020101021226\namount in QR +off\nUPI ID +not set\npayment links +never expire\n/,
    );
    expect(out).toMatch(/\npayment instructions +Bank of Bhutan\n +Account 200123456\n\n +འབྲུག་ཡུལ\n$/);
  });

  test('contact, address and time zone are shown, changed and removed', async () => {
    const values = {
      contact: 'shop@druk.example',
      address: 'Norzin Lam 7\nThimphu',
      timeZone: 'Asia/Thimphu',
    };
    const options = [
      '--contact',
      values.contact,
      '--address',
      values.address,
      '--time-zone',
      values.timeZone,
    ];
    expect(await update(...options)).toMatchObject(values);
    const { out } = await runHere('accounts', ['show', '--account', account]);
    expect(out).toMatch(
      /\ncontact +shop@druk.example\naddress +Norzin Lam 7\n +Thimphu\ntime zone +Asia\/Thimphu\n/,
    );
    expect(await update('--remove', 'time-zone')).toMatchObject({ ...values, timeZone: null });
    const longest = { contact: 'c'.repeat(200), address: 'a'.repeat(500) };
    expect(await update('--contact', longest.contact, '--address', longest.address)).toMatchObject(longest);
    for (const [option, value, rule] of [
      ['--contact', 'c'.repeat(201), 'one line of 1 to 200 characters'],
      ['--contact', 'a\nb', 'one line'],
      ['--address', 'a'.repeat(501), '1 to 500 characters'],
      ['--time-zone', '+06:00', 'IANA time zone database'],
      ['--time-zone', 'Mars/Olympus', 'for example Asia/Thimphu'],
    ] as const) {
      const { code, error } = await tryUpdate(option, value);
      expect([code, error]).toEqual([2, expect.stringContaining(`${option} must be`)]);
      expect(error).toContain(rule);
    }
  });

  test('amounts in the QR code need a static national QR code, and the error names what is wrong', async () => {
    const body = '00020101021126200006bt.rma01062001235204541153030645802BT5910Druk Store6007Thimphu6304';
    const national = body + checksumOf(body);
    const refused = async (...args: string[]) => {
      const { code, error } = await tryUpdate(...args);
      expect(code).toBe(2);
      return error;
    };
    expect(await refused('--payment-qr-amount', 'on')).toContain(
      'Set the text of your static QR code first.',
    );
    expect(await refused('--payment-qr', qr, '--payment-qr-amount', 'on')).toContain('At character 13,');
    expect(await update('--payment-qr', national, '--payment-qr-amount', 'on')).toMatchObject({
      paymentQr: national,
      paymentQrAmount: true,
    });
    expect(await refused('--payment-qr', `${body}0000`)).toContain('checksum');
    expect(await update('--payment-qr-amount', 'off')).toMatchObject({ paymentQrAmount: null });
    expect(await update('--upi-id', 'shop@okbank')).toMatchObject({ upiId: 'shop@okbank' });
    expect(await refused('--upi-id', 'shop')).toContain('for example shop@okbank');
  });

  test('mails are switched on and off, and have a sender, an address of answers and a language', async () => {
    const mails = {
      mailInvoice: true,
      mailName: 'Druk billing',
      mailReplyTo: 'shop@druk.example',
      mailLocale: 'dz',
    };
    const options = ['--mail-invoice', 'on', '--mail-name', 'Druk billing', '--mail-locale', 'dz'];
    expect(await update(...options, '--mail-reply-to', 'shop@druk.example')).toMatchObject(mails);
    const { out } = await runHere('accounts', ['show', '--account', account]);
    expect(out).toMatch(/\nmails +invoice\n/);
    expect(await update('--mail-invoice', 'off', '--mail-receipt', 'on')).toMatchObject({
      mailInvoice: null,
      mailReceipt: true,
    });
    expect(await update('--remove', 'mail-receipt')).toMatchObject({ mailReceipt: null });
    const wrongAddress = await tryUpdate('--mail-reply-to', 'a@b.example, c@d.example');
    expect([wrongAddress.code, wrongAddress.error]).toEqual([
      2,
      expect.stringContaining('one email address'),
    ]);
    expect((await tryUpdate('--mail-locale', 'fr')).code).toBe(2);
  });

  test('the days after which payment links expire are shown, changed and removed', async () => {
    expect(await update('--pay-link-days', '90')).toMatchObject({ payLinkDays: 90 });
    const { out } = await runHere('accounts', ['show', '--account', account]);
    expect(out).toMatch(/\npayment links +expire after 90 days\n/);
    expect(await update('--remove', 'pay-link-days')).toMatchObject({ payLinkDays: null });
    for (const days of ['0', '-1', '1.5', '3651', 'x']) {
      const { code, error } = await tryUpdate('--pay-link-days', days);
      expect([code, error]).toEqual([
        2,
        expect.stringContaining('--pay-link-days must be a whole number from 1 to 3650.'),
      ]);
    }
  });

  test('a removed setting is removed from the table, also together with the change of another setting', async () => {
    await update('--display-name', 'Druk Shop', '--payment-qr', qr);
    const changed = await update('--remove', 'display-name', '--payment-instructions', 'Cash');
    expect(changed).toMatchObject({ displayName: null, paymentInstructions: 'Cash', paymentQr: qr });
    expect(await table.get(tableKeys.account(account))).not.toHaveProperty('displayName');
    const ofCurrency = { paymentInstructionsInr: 'HDFC\nAccount: 1' };
    expect(await update('--payment-instructions-inr', 'HDFC\r\nAccount: 1')).toMatchObject(ofCurrency);
    expect((await runHere('accounts', ['show', '--account', account])).out).toContain(
      'payment instructions INR',
    );
    expect(await update('--remove', 'payment-instructions-inr')).toMatchObject({
      paymentInstructionsInr: null,
    });
    await update('--remove', 'payment-instructions');
    expect(await update('--remove', 'payment-qr')).toEqual(await show());
    expect(await show()).toMatchObject({ displayName: null, paymentInstructions: null, paymentQr: null });
  });

  test('instructions are read from a UTF-8 file, relative to the directory of the npm call, with any line ends', async () => {
    const windows = `\uFEFF${instructions.replaceAll('\n', '\r\n')}\r\n`;
    const path = await writeTestFile('windows.txt', windows);
    expect(await update('--payment-instructions-file', path)).toMatchObject({
      paymentInstructions: instructions,
    });
    await writeTestFile('near.txt', 'Cash\n');
    const args = ['update', '--account', account, '--payment-instructions-file', 'near.txt'];
    expect((await run('accounts', args, { INIT_CWD: directory })).code).toBe(0);
    expect(await show()).toMatchObject({ paymentInstructions: 'Cash' });
  });

  test('the list shows the display name only with --json', async () => {
    await update('--display-name', 'Druk Shop', '--payment-instructions', 'Cash');
    const listed = (await runJson('accounts', ['list'])) as { accountId: string }[];
    const shown = Object.entries(await show()).filter(([name]) => !/^payment(Instructions|Qr$)/.test(name));
    const ofAccount = listed.find(({ accountId }) => accountId === account);
    expect(ofAccount).toEqual(Object.fromEntries(shown));
    const { out } = await runHere('accounts', ['list']);
    expect(out).toContain(account);
    expect(out).not.toContain('Druk Shop');
  });

  test('the output says when the page shows the change', async () => {
    const { out } = await tryUpdate('--display-name', 'Druk Shop');
    expect(out).toBe(`${account} is updated. Its payment pages show the change within 30 seconds.\n`);
  });
});

describe('limits', () => {
  test('texts of maximum length are stored unchanged', async () => {
    const longest = {
      displayName: '🐉'.repeat(100),
      paymentInstructions: `${'🐉\n'.repeat(999)}🐉.`,
      paymentQr: `${'é'.repeat(100)}${'x'.repeat(200)}`,
    };
    const changed = await update(
      '--display-name',
      longest.displayName,
      '--payment-instructions',
      longest.paymentInstructions,
      '--payment-qr',
      longest.paymentQr,
    );
    expect(changed).toMatchObject(longest);
    expect(await show()).toMatchObject(longest);
  });

  const nameRule =
    '--display-name must have 1 to 100 characters. Control characters and only spaces are not allowed.';
  const instructionsRule =
    'must be text of 1 to 2000 characters. Line breaks are allowed, but no tabs or other control characters.';
  const qrRule =
    '--payment-qr must be one line of text of 1 to 400 bytes in UTF-8, without control characters.';
  const options =
    '--display-name, --contact, --address, --time-zone, --payment-instructions, --payment-instructions-file, --payment-instructions-btn, --payment-instructions-usd, --payment-instructions-inr, --payment-qr, --payment-qr-amount, --upi-id, --pay-link-days, --mail-invoice, --mail-receipt, --mail-refund, --mail-failure, --mail-reminders, --mail-reminder-hour, --mail-days-off, --mail-name, --mail-reply-to, --mail-locale, --mail-notices, --mail-notices-to, --remove';
  test.each([
    ['no option', [], `Nothing to change. Use at least one of: ${options}.`],
    ['an empty name', ['--display-name', ''], '--display-name must not be empty.'],
    [
      'hidden characters for a currency',
      ['--payment-instructions-usd', 'a\u202eb'],
      `--payment-instructions-usd ${instructionsRule}`,
    ],
    ['a blank name', ['--display-name', '  '], nameRule],
    ['a name that is too long', ['--display-name', '🐉'.repeat(101)], nameRule],
    ['a name in two lines', ['--display-name', 'a\nb'], nameRule],
    ['empty instructions', ['--payment-instructions', ''], '--payment-instructions must not be empty.'],
    ['blank instructions', ['--payment-instructions', ' \n '], `--payment-instructions ${instructionsRule}`],
    [
      'instructions too long',
      ['--payment-instructions', 'a'.repeat(2001)],
      `--payment-instructions ${instructionsRule}`,
    ],
    [
      'instructions with a tab',
      ['--payment-instructions', 'a\tb'],
      `--payment-instructions ${instructionsRule}`,
    ],
    [
      'instructions with a terminal code',
      ['--payment-instructions', 'a\u001b[2J'],
      `--payment-instructions ${instructionsRule}`,
    ],
    [
      'a change of writing direction',
      ['--payment-instructions', 'a\u202eb'],
      `--payment-instructions ${instructionsRule}`,
    ],
    ['a QR text of too many characters', ['--payment-qr', 'x'.repeat(401)], qrRule],
    ['a QR text of too many bytes', ['--payment-qr', `${'é'.repeat(101)}${'x'.repeat(199)}`], qrRule],
    ['a QR text in two lines', ['--payment-qr', 'a\nb'], qrRule],
    ['a QR text with a line separator', ['--payment-qr', 'a\u2028b'], qrRule],
    ['a blank QR text', ['--payment-qr', ' '], qrRule],
    [
      'two sources of instructions',
      ['--payment-instructions', 'a', '--payment-instructions-file', 'b'],
      'Use either --payment-instructions or --payment-instructions-file, not both.',
    ],
    [
      'an unknown setting to remove',
      ['--remove', 'name'],
      '--remove must be one of display-name, contact, address, time-zone, payment-instructions, payment-instructions-btn, payment-instructions-usd, payment-instructions-inr, payment-qr, payment-qr-amount, upi-id, pay-link-days, mail-invoice, mail-receipt, mail-refund, mail-failure, mail-reminders, mail-reminder-hour, mail-days-off, mail-name, mail-reply-to, mail-locale, mail-notices, mail-notices-to.',
    ],
    [
      'two settings to remove',
      ['--remove', 'payment-qr', '--remove', 'display-name'],
      '--remove can be given only once.',
    ],
    [
      'a setting set and removed',
      ['--display-name', 'x', '--remove', 'display-name'],
      'The options set and remove display-name at the same time. Use only one of them.',
    ],
    [
      'an unknown option',
      ['--name', 'x'],
      `Unknown option: --name. Use one of: --account, ${options}, --stage, --installation, --region, --json.`,
    ],
  ])('%s is rejected and changes nothing', async (_, args, message) => {
    const before = await table.get(tableKeys.account(account));
    expect(await tryUpdate(...args)).toEqual({ code: 2, out: '', error: `${message}\n` });
    expect(await table.get(tableKeys.account(account))).toEqual(before);
  });

  test('the characters that join Devanagari letters are kept', async () => {
    const joined = 'शक्\u200dति और क्\u200cष';
    expect(await update('--payment-instructions', joined)).toMatchObject({ paymentInstructions: joined });
  });

  test('the error names a file that is missing, is not text or is too long', async () => {
    const updateFromFile = (path: string) => tryUpdate('--payment-instructions-file', path);
    const absent = join(directory, 'absent.txt');
    expect(await updateFromFile(absent)).toEqual({
      code: 1,
      out: '',
      error: `Cannot read ${absent} (ENOENT). Check the path.\n`,
    });
    const binary = await writeTestFile('binary.txt', Uint8Array.of(0xff, 0xfe, 0x41));
    expect(await updateFromFile(binary)).toEqual({
      code: 2,
      out: '',
      error: `${binary} is not UTF-8 text. Save the file as UTF-8.\n`,
    });
    const long = await writeTestFile('long.txt', 'a'.repeat(2001));
    expect(await updateFromFile(long)).toEqual({
      code: 2,
      out: '',
      error: `--payment-instructions-file ${instructionsRule}\n`,
    });
  });

  test('an unknown account is named in the error and not created', async () => {
    const unknown = 'acct_0000000000000000';
    const error = `${tableLineOf(stack)}There is no account ${unknown}. To see all accounts, run npx remit accounts list.\n`;
    const args = ['--account', unknown];
    expect(await run('accounts', ['update', ...args, '--display-name', 'x'])).toEqual({
      code: 1,
      out: '',
      error,
    });
    expect(await run('accounts', ['show', ...args])).toEqual({ code: 1, out: '', error });
    expect(await table.get(tableKeys.account(unknown))).toBeUndefined();
    expect((await runHere('accounts', ['show'])).error).toBe('--account is required.\n');
  });
});
