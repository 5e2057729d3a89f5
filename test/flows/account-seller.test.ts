/** Tests the command that shows and changes who issues the invoices of an account. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { runHere, runJsonHere } from '../support/command-line.ts';
import { png } from '../support/pictures.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: TestAccount;

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

const seller = (...args: string[]) =>
  runJsonHere('accounts', ['seller', '--account', account.accountId, ...args]);
const trySeller = (...args: string[]) =>
  runHere('accounts', ['seller', '--account', account.accountId, ...args]);

test('the seller profile decides the time zone of the account, and no other setting does', async () => {
  const accounts = (command: string, ...args: string[]) =>
    runHere('accounts', [command, '--account', account.accountId, ...args]);
  const zone = async () => (await runJsonHere('accounts', ['show', '--account', account.accountId])).timeZone;
  expect((await accounts('update', '--time-zone', 'Europe/Berlin')).code).toBe(0);
  const { seller: first } = await seller('--legal-name', 'Druk Crafts', '--country', 'BT');
  expect([first.timeZone, await zone()]).toEqual(['Europe/Berlin', 'Europe/Berlin']);
  for (const change of [
    ['--time-zone', 'Asia/Kolkata'],
    ['--remove', 'time-zone'],
  ]) {
    const { code, error } = await accounts('update', ...change);
    expect([code, error]).toEqual([1, expect.stringContaining('npx remit accounts seller --account')]);
  }
  expect((await accounts('update', '--time-zone', 'Europe/Berlin', '--contact', 'x')).code).toBe(0);
  expect((await seller('--time-zone', 'Asia/Thimphu')).seller.timeZone).toBe('Asia/Thimphu');
  expect(await zone()).toBe('Asia/Thimphu');
});

test('a time zone that is set while the first seller profile is saved is that of both', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  const { readSeller } = await import('../../shared/domain/accounts/seller-store.ts');
  const { readAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { SellerTimeZoneError } = await import('../../shared/domain/accounts/account.ts');
  for (let round = 0; round < 20; round++) {
    const { accountId } = await newAccount(stack.baseUrl);
    const [, set] = await Promise.all([
      changeSeller(accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } }),
      updateSettings(accountId, { timeZone: 'Europe/Berlin' }).catch((error: unknown) => {
        if (!(error instanceof SellerTimeZoneError)) throw error;
      }),
    ]);
    const zones = [(await readSeller(accountId))?.timeZone, (await readAccount(accountId))?.timeZone];
    expect(zones).toEqual(set ? ['Europe/Berlin', 'Europe/Berlin'] : ['Asia/Thimphu', 'Asia/Thimphu']);
  }
});

test('one command sets the profile, which the API shows, and options change parts of it', async () => {
  expect(await seller()).toEqual({ account: account.accountId, seller: null });
  expect((await trySeller()).out).toContain('has no seller profile');
  const first = ['--legal-name', 'Druk Crafts', '--line1', 'Norzin Lam 12', '--country', 'BT'];
  const set = await seller(...first, '--tax-ids', 'bt_tpn:TAB12345', '--terms', 'Pay soon.');
  expect(set).toMatchObject({
    seller: {
      legalName: 'Druk Crafts',
      address: { line1: 'Norzin Lam 12', country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    },
  });
  expect((await account.live.get('/api/account')).json.seller).toEqual(set.seller);
  const yearly = [
    '--invoice-prefix',
    'D/{year}/',
    '--invoice-restart',
    'yearly',
    '--credit-note-digits',
    '6',
  ];
  const changed = await seller('--city', 'Thimphu', ...yearly, '--remove', 'terms,taxIds');
  expect(changed.seller).toEqual({
    ...set.seller,
    address: { ...set.seller.address, city: 'Thimphu' },
    taxIds: [],
    terms: null,
    series: {
      invoice: { prefix: 'D/{year}/', digits: 4, restart: 'yearly' },
      creditNote: { prefix: 'CN-', digits: 6, restart: 'never' },
      receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
    },
  });
  const { out } = await trySeller();
  expect(out).toMatch(
    /\nlegal name +Druk Crafts\naddress +Norzin Lam 12\n +Thimphu\n +BT\ntax IDs +not set\n/,
  );
  expect(out).toMatch(/\ninvoices +such as D\/\{year\}\/0001, restart yearly\n/);
});

test('the days until payment and the tax of lines are set and removed', async () => {
  const set = await seller(
    '--legal-name',
    'A',
    '--country',
    'BT',
    '--payment-days',
    '14',
    '--default-tax',
    'bt_gst_5',
  );
  expect(set.seller).toMatchObject({ paymentDays: 14, defaultTax: 'bt_gst_5' });
  const removed = await seller('--remove', 'paymentDays,defaultTax');
  expect(removed.seller).toMatchObject({ paymentDays: null, defaultTax: null });
  expect((await trySeller('--payment-days', '366')).code).toBe(2);
});

test('taxes are set as texts, shown, and removed', async () => {
  const taxes = 'own_hotel 3 2026-01-01 Hotel levy,own_hotel 4.5 2027-01-01 Hotel levy';
  const set = await seller(
    '--legal-name',
    'A',
    '--country',
    'BT',
    '--taxes',
    taxes,
    '--default-tax',
    'own_hotel',
  );
  expect(set.seller).toMatchObject({
    defaultTax: 'own_hotel',
    taxes: [{ code: 'own_hotel', name: 'Hotel levy', rates: [{ percent: '3' }, { percent: '4.5' }] }],
  });
  expect((await trySeller()).out).toMatch(
    /\ntaxes +own_hotel 3 2026-01-01 Hotel levy\n +own_hotel 4\.5 2027-01-01 Hotel levy\n/,
  );
  const wrong = await trySeller('--taxes', 'hotel 3 2026-01-01 Hotel');
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('must be own_')]);
  expect((await trySeller('--remove', 'taxes')).code).toBe(2);
  expect((await seller('--remove', 'taxes,defaultTax')).seller.taxes).toEqual([]);
});

test('a logo is read from a file, shown, and removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'remit-logo-'));
  const file = join(folder, 'logo.png');
  const large = join(folder, 'large.png');
  await Promise.all([writeFile(file, png()), writeFile(large, Buffer.alloc(204_801))]);
  const set = await seller('--legal-name', 'A', '--country', 'BT', '--logo', file);
  expect(set.seller.logo).toMatchObject({ type: 'image/png', width: 4, height: 2 });
  expect((await account.test.get('/api/account')).json.seller.logo).toEqual(set.seller.logo);
  expect((await trySeller()).out).toMatch(/\nlogo +image\/png, 4 × 2 pixels, SHA-256 [0-9a-f]{64}\n/);
  for (const [path, message] of [
    [join(folder, 'none.png'), 'cannot be read (ENOENT)'],
    [large, 'has 204801 bytes'],
    [import.meta.filename, 'must be a PNG or a JPEG'],
  ] as const) {
    const { code, error } = await trySeller('--logo', path);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  }
  expect((await seller('--remove', 'logo')).seller.logo).toBeNull();
  await rm(folder, { recursive: true });
});

test('a series begins at another number in the mode of the option', async () => {
  await seller('--legal-name', 'A', '--country', 'BT', '--invoice-next', '12', '--mode', 'test');
  const again = await trySeller('--invoice-next', '13', '--mode', 'test');
  expect([again.code, again.error]).toEqual([2, expect.stringContaining('have reached 11 in test mode')]);
  expect((await trySeller('--invoice-next', '13')).code).toBe(0);
  expect((await trySeller('--invoice-next', '14', '--mode', 'both')).code).toBe(2);
});

test.each([
  [['--footer', 'Thanks'], 'seller.legalName is missing'],
  [['--legal-name', 'A', '--country', 'XX'], 'two uppercase letters'],
  [['--legal-name', 'A', '--country', 'IN', '--tax-ids', 'in_gstin:29AAGCB7383J1Z5'], 'last character'],
  [['--legal-name', 'A', '--country', 'BT', '--tax-ids', 'TAB12345'], 'must be one of bt_tpn'],
  [['--invoice-digits', '11'], '1 to 10'],
  [['--remove', 'legalName'], '--remove can name only'],
  [['--terms', 'x', '--remove', 'terms'], 'Other options set terms'],
])('%j is a usage error', async (args, message) => {
  const { code, error } = await trySeller(...args);
  expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  expect(await seller()).toMatchObject({ seller: null });
});

test('an account that does not exist gets no profile', async () => {
  const options = ['--account', 'acct_0123456789abcdef', '--legal-name', 'A', '--country', 'BT'];
  const { code, error } = await runHere('accounts', ['seller', ...options]);
  expect([code, error]).toEqual([1, expect.stringContaining('There is no account')]);
});
