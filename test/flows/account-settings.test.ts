/** What the payment page shows of an account, set from the command line. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { keys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { run, runJson } from '../support/command-line.ts';
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

const update = (...words: string[]) => runJson('accounts', ['update', '--account', account, ...words]);
const show = () => runJson('accounts', ['show', '--account', account]);
const refused = (...words: string[]) => run('accounts', ['update', '--account', account, ...words]);
const inFile = async (name: string, content: string | Uint8Array) => {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
};

describe('update and show', () => {
  test('a new account has no settings', async () => {
    expect(await show()).toEqual({
      ...{ accountId: account, name: 'Test', plan: 'enterprise', status: 'open' },
      createdAt: expect.stringMatching(/^20.*Z$/),
      ...{ closedAt: null, displayName: null, paymentInstructions: null, paymentQr: null },
    });
    const { out } = await run('accounts', ['show', '--account', account]);
    expect(out.match(/not set/g)).toHaveLength(3);
  });

  test('settings are changed together or one by one, and shown; nothing else of the account changes', async () => {
    const before = await show();
    const all = ['--display-name', 'Druk Shop', '--payment-instructions', instructions, '--payment-qr', qr];
    const settings = { displayName: 'Druk Shop', paymentInstructions: instructions, paymentQr: qr };
    expect(await update(...all)).toEqual({ ...before, ...settings });
    expect(await show()).toEqual({ ...before, ...settings });
    expect(await update('--display-name', 'Other')).toEqual({ ...before, ...settings, displayName: 'Other' });
    const { out } = await run('accounts', ['show', '--account', account]);
    expect(out).toMatch(
      /^account +acct_\w+\nstatus +open\nname +Test\nplan +enterprise\ncreated +20\S+Z\ndisplay name +Other\npayment QR +00020101021226\n/,
    );
    expect(out).toMatch(/\npayment instructions +Bank of Bhutan\n +Account 200123456\n\n +འབྲུག་ཡུལ\n$/);
  });

  test('one setting is removed, beside the change of another, and leaves nothing in the table', async () => {
    await update('--display-name', 'Druk Shop', '--payment-qr', qr);
    const changed = await update('--remove', 'display-name', '--payment-instructions', 'Cash');
    expect(changed).toMatchObject({ displayName: null, paymentInstructions: 'Cash', paymentQr: qr });
    expect(await table.get(keys.account(account))).not.toHaveProperty('displayName');
    await update('--remove', 'payment-instructions');
    expect(await update('--remove', 'payment-qr')).toEqual(await show());
    expect(await show()).toMatchObject({ displayName: null, paymentInstructions: null, paymentQr: null });
  });

  test('instructions come from a file in UTF-8, wherever npm was called and however its lines end', async () => {
    const windows = `\uFEFF${instructions.replaceAll('\n', '\r\n')}\r\n`;
    const path = await inFile('windows.txt', windows);
    expect(await update('--payment-instructions-file', path)).toMatchObject({
      paymentInstructions: instructions,
    });
    await inFile('near.txt', 'Cash\n');
    const words = ['update', '--account', account, '--payment-instructions-file', 'near.txt'];
    expect((await run('accounts', words, { INIT_CWD: directory })).code).toBe(0);
    expect(await show()).toMatchObject({ paymentInstructions: 'Cash' });
  });

  test('lists show the display name to scripts only', async () => {
    await update('--display-name', 'Druk Shop', '--payment-instructions', 'Cash');
    const listed = (await runJson('accounts', ['list'])) as { accountId: string }[];
    const { paymentInstructions: _, paymentQr: __, ...shown } = await show();
    expect(listed.find(({ accountId }) => accountId === account)).toEqual(shown);
    const { out } = await run('accounts', ['list']);
    expect(out).toContain(account);
    expect(out).not.toContain('Druk Shop');
  });

  test('a person is told when the page follows', async () => {
    const { out } = await refused('--display-name', 'Druk Shop');
    expect(out).toBe(`${account} is updated; its payment page follows within half a minute.\n`);
  });
});

describe('limits', () => {
  test('the longest that is allowed is kept whole', async () => {
    const longest = {
      displayName: '🐉'.repeat(100),
      paymentInstructions: `${'🐉\n'.repeat(999)}🐉.`,
      paymentQr: `${'é'.repeat(100)}${'x'.repeat(200)}`,
    };
    const changed = await update(
      ...['--display-name', longest.displayName, '--payment-instructions', longest.paymentInstructions],
      ...['--payment-qr', longest.paymentQr],
    );
    expect(changed).toMatchObject(longest);
    expect(await show()).toMatchObject(longest);
  });

  const name = '--display-name must have 1 to 100 characters, not only blanks, without control characters.';
  const text = 'must be text of 1 to 2000 characters in lines, without tabs and other control characters.';
  const code = '--payment-qr must be text of 1 to 400 bytes (UTF-8) in one line, without control characters.';
  const options =
    '--display-name, --payment-instructions, --payment-instructions-file, --payment-qr, --remove';
  test.each([
    ['no setting', [], `There is nothing to change: use at least one of ${options}.`],
    ['an empty name', ['--display-name', ''], '--display-name must not be empty.'],
    ['a blank name', ['--display-name', '  '], name],
    ['a name that is too long', ['--display-name', '🐉'.repeat(101)], name],
    ['a name in two lines', ['--display-name', 'a\nb'], name],
    ['empty instructions', ['--payment-instructions', ''], '--payment-instructions must not be empty.'],
    ['blank instructions', ['--payment-instructions', ' \n '], `--payment-instructions ${text}`],
    ['instructions too long', ['--payment-instructions', 'a'.repeat(2001)], `--payment-instructions ${text}`],
    ['a tab in them', ['--payment-instructions', 'a\tb'], `--payment-instructions ${text}`],
    ['a terminal code in them', ['--payment-instructions', 'a\u001b[2J'], `--payment-instructions ${text}`],
    ['a change of direction', ['--payment-instructions', 'a\u202eb'], `--payment-instructions ${text}`],
    ['a long QR text', ['--payment-qr', 'x'.repeat(401)], code],
    ['a QR text of many bytes', ['--payment-qr', `${'é'.repeat(101)}${'x'.repeat(199)}`], code],
    ['a QR text in two lines', ['--payment-qr', 'a\nb'], code],
    ['a QR text with a line separator', ['--payment-qr', 'a\u2028b'], code],
    ['a blank QR text', ['--payment-qr', ' '], code],
    [
      'two sources of instructions',
      ['--payment-instructions', 'a', '--payment-instructions-file', 'b'],
      'Use either --payment-instructions or --payment-instructions-file, not both.',
    ],
    [
      'an unknown setting to remove',
      ['--remove', 'name'],
      '--remove must be one of display-name, payment-instructions, payment-qr.',
    ],
    ['two removals', ['--remove', 'payment-qr', '--remove', 'display-name'], '--remove can be given once.'],
    [
      'a setting set and removed',
      ['--display-name', 'x', '--remove', 'display-name'],
      'Either set the display-name or remove it, not both.',
    ],
    [
      'an unknown option',
      ['--name', 'x'],
      `There is no option --name. The options are --account, ${options}, --json.`,
    ],
  ])('%s is refused in one sentence and changes nothing', async (_, words, sentence) => {
    const before = await table.get(keys.account(account));
    expect(await refused(...words)).toEqual({ code: 2, out: '', error: `${sentence}\n` });
    expect(await table.get(keys.account(account))).toEqual(before);
  });

  test('Devanagari keeps the characters that join its letters', async () => {
    const joined = 'शक्\u200dति और क्\u200cष';
    expect(await update('--payment-instructions', joined)).toMatchObject({ paymentInstructions: joined });
  });

  test('a file that is not there, is no text or breaks a rule is named', async () => {
    const fromFile = (path: string) => refused('--payment-instructions-file', path);
    const absent = join(directory, 'absent.txt');
    expect(await fromFile(absent)).toEqual({
      code: 1,
      out: '',
      error: `${absent} cannot be read (ENOENT).\n`,
    });
    const binary = await inFile('binary.txt', Uint8Array.of(0xff, 0xfe, 0x41));
    expect(await fromFile(binary)).toEqual({ code: 2, out: '', error: `${binary} is not text in UTF-8.\n` });
    const long = await inFile('long.txt', 'a'.repeat(2001));
    expect(await fromFile(long)).toEqual({
      code: 2,
      out: '',
      error: `--payment-instructions-file ${text}\n`,
    });
  });

  test('an unknown account is named, and does not come to be', async () => {
    const unknown = 'acct_0000000000000000';
    const error = `There is no account ${unknown}: npx remit accounts list shows all.\n`;
    const words = ['--account', unknown];
    expect(await run('accounts', ['update', ...words, '--display-name', 'x'])).toEqual({
      ...{ code: 1, out: '', error },
    });
    expect(await run('accounts', ['show', ...words])).toEqual({ code: 1, out: '', error });
    expect(await table.get(keys.account(unknown))).toBeUndefined();
    expect((await run('accounts', ['show'])).error).toBe('--account is required.\n');
  });
});
