/** Defines `remit accounts seller`: shows and changes who issues the invoices of an account. */
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { clockAt } from '../shared/base/clock.ts';
import { ApiError } from '../shared/base/errors.ts';
import { modes, type Owner } from '../shared/base/ids.ts';
import { type AccountTime, now } from '../shared/base/time.ts';
import { maxLogoBytes } from '../shared/domain/accounts/logo.ts';
import {
  type Seller,
  type SellerChange,
  sellerChangeSchema,
  sellerTaxIdTypes,
  seriesRestarts,
} from '../shared/domain/accounts/seller.ts';
import { taxesInTexts, textsOfTaxes } from '../shared/domain/charges/own-taxes.ts';
import { rowsOfLines } from './account-output.ts';
import { operatorOrigin } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { readFields, readList } from './resources.ts';
import { connectTable } from './table-connection.ts';

const textOptions = {
  'legal-name': { value: 'NAME', about: 'Legal name. Required the first time.' },
  'time-zone': {
    value: 'ZONE',
    about: 'Time zone of the account, for example Asia/Thimphu. It decides days and times.',
  },
  'fiscal-year-start': { value: 'MONTH', about: 'First month of the fiscal year: 1 to 12.', integer: true },
  'payment-days': {
    value: 'DAYS',
    about: 'Days until an invoice without a due date is due: 0 to 365. Without it, 30.',
    integer: true,
  },
  'write-off-percent': {
    value: 'PERCENT',
    about: 'Largest share of an invoice that a payment can write off: 0 to 100. Without it, 0.',
    integer: true,
  },
  'default-tax': { value: 'CODE', about: 'Tax of lines that name none, for example bt_gst_5.' },
  terms: { value: 'TEXT', about: 'Terms of payment. Several lines are allowed.' },
  footer: { value: 'TEXT', about: 'Last lines of each document. Several lines are allowed.' },
  signatory: { value: 'NAME', about: 'Name of the person who signs.' },
  color: { value: 'COLOR', about: 'Color of headings and of the payment page, for example #1f5f8b.' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

const addressOptions = {
  line1: { value: 'TEXT', about: 'First line of the address.' },
  line2: { value: 'TEXT', about: 'Second line of the address.' },
  city: { value: 'TEXT', about: 'City, town or village.' },
  state: { value: 'TEXT', about: 'State, district or province. In India, also its GST code or ISO code.' },
  'postal-code': { value: 'CODE', about: 'Postal code.' },
  country: {
    value: 'CODE',
    about: 'Country, as two uppercase letters, for example BT. Required the first time.',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The options of a series: those of invoices, and with the prefix `credit-note-` or `receipt-` those of other documents. */
const seriesOptions = (kind: string, name: string): Readonly<Record<string, OptionSpec>> => ({
  [`${kind}-prefix`]: {
    value: 'PREFIX',
    about: `What the numbers of ${name} begin with. {year} stands for the year, for example INV/{year}/.`,
  },
  [`${kind}-digits`]: { value: 'N', about: `Smallest number of digits of ${name}: 1 to 10.`, integer: true },
  [`${kind}-next`]: {
    value: 'N',
    about: `Next number of ${name}, to go on where another system has stopped. Only before the first number.`,
    integer: true,
  },
  [`${kind}-restart`]: {
    value: 'WHEN',
    about: `When the numbers of ${name} begin at 1 again: ${seriesRestarts.join(' or ')}.`,
  },
});

const removable = [
  'taxIds',
  'paymentDays',
  'defaultTax',
  'taxes',
  'terms',
  'footer',
  'signatory',
  'color',
  'logo',
] as const;

const changeOptions: Readonly<Record<string, OptionSpec>> = {
  ...textOptions,
  ...addressOptions,
  'tax-ids': {
    value: 'A,B',
    about: `Tax IDs, separated by commas, each with its type (${sellerTaxIdTypes.join(', ')}), for example bt_tpn:TAB12345.`,
  },
  taxes: {
    value: 'A,B',
    about:
      'Taxes of the account, separated by commas: one for each rate, with code, percent, first day and name, for example "own_hotel 3 2026-01-01 Hotel levy".',
  },
  'accept-partial': {
    value: 'CHOICE',
    about: 'Whether new invoices can be paid in parts: yes or no. Without it, no.',
  },
  logo: {
    value: 'FILE',
    about: 'PNG or JPEG file with the logo: at most 200 KB, and at most 2000 pixels wide and high.',
  },
  ...seriesOptions('invoice', 'invoices'),
  ...seriesOptions('credit-note', 'credit notes'),
  ...seriesOptions('receipt', 'receipts'),
  mode: { value: 'MODE', about: 'Mode whose next numbers are set: test or live. Default: live.' },
  remove: { value: 'A,B', about: `Fields to remove, separated by commas: ${removable.join(', ')}.` },
};

export const sellerCommand: CliCommand = {
  about: 'Show or change who issues the invoices of an account.',
  details: `Both modes have the same profile. A list of tax IDs or taxes replaces the former one as a whole. The parts of the address change one
by one. Without other options than --account, the command shows the profile.`,
  options: {
    account: { value: 'ACCOUNT', about: 'Account ID (acct_…).', required: true },
    ...changeOptions,
  },
  examples: [
    'npx remit accounts seller --account acct_…',
    'npx remit accounts seller --account acct_… --legal-name "Druk Crafts Pvt Ltd" --country BT --tax-ids bt_tpn:TAB12345',
    'npx remit accounts seller --account acct_… --logo logo.png',
    'npx remit accounts seller --account acct_… --taxes "own_hotel 3 2026-01-01 Hotel levy,own_hotel 4.5 2027-01-01 Hotel levy"',
    'npx remit accounts seller --account acct_… --invoice-prefix "INV/{year}/" --invoice-restart yearly',
  ],
  run: async (options) => {
    const account = options.required('account');
    await connectTable();
    const { readSeller } = await import('../shared/domain/accounts/seller-store.ts');
    const { changeSeller } = await import('../shared/domain/accounts/seller-change-store.ts');
    const current = await readSeller(account);
    const change = readChange(options, current, await readLogoFile(options.optional('logo')));
    if (!change) return showSeller(account, current);
    const mode = parseChoice('mode', options.optional('mode') ?? 'live', modes);
    const start = { owner: { account, mode }, at: await accountTimeOf({ account, mode }) };
    const origin = await operatorOrigin('account.update');
    const seller = await changeSeller(account, change, { origin, start }).catch(throwAsUsage);
    if (!seller)
      throw new CommandError(
        `There is no account ${account}. To see all accounts, run npx remit accounts list.`,
      );
    return showSeller(account, seller);
  },
};

/** @throws CommandError (usage) if the file cannot be read */
async function readLogoFile(path: string | undefined): Promise<SellerChange['logo']> {
  if (path === undefined) return undefined;
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The file ${path} cannot be read (${error.code}). Check --logo.`);
  });
  if (file.length > maxLogoBytes)
    throw usageError(`The logo has ${file.length} bytes. Choose a file of at most ${maxLogoBytes} bytes.`);
  return { data: file.toString('base64') };
}

/** The clock of test mode can be ahead, and decides the year of its numbers. */
async function accountTimeOf(owner: Owner): Promise<AccountTime> {
  const { readStoredClock } = await import('../shared/store/account-clock.ts');
  return clockAt(owner.mode === 'test' ? await readStoredClock(owner) : undefined, now()).account;
}

/** @throws CommandError (usage) if an option is invalid. Undefined: no option changes anything. */
function readChange(
  options: ParsedOptions,
  current: Seller | undefined,
  logo: SellerChange['logo'],
): SellerChange | undefined {
  const address = readFields<Record<string, string>>(options, addressOptions);
  const taxIds = readList(options, 'tax-ids')?.map((item) => {
    const [type = '', ...value] = item.split(':');
    return { type, value: value.join(':') };
  });
  const taxes = readList(options, 'taxes');
  const partial = options.optional('accept-partial');
  const series = {
    ...seriesOf(options, 'invoice', 'invoice'),
    ...seriesOf(options, 'credit-note', 'creditNote'),
    ...seriesOf(options, 'receipt', 'receipt'),
  };
  const fields: Record<string, unknown> = {
    ...readFields<object>(options, textOptions),
    ...(Object.keys(address).length > 0 && { address: { ...current?.address, ...address } }),
    ...(taxIds && { taxIds }),
    ...(Object.keys(series).length > 0 && { series }),
    ...(taxes && { taxes: taxesInTexts(taxes) }),
    ...(partial !== undefined && {
      acceptPartial: parseChoice('accept-partial', partial, ['yes', 'no']) === 'yes',
    }),
    ...(logo && { logo }),
  };
  for (const name of readList(options, 'remove') ?? []) {
    if (!(removable as readonly string[]).includes(name))
      throw usageError(`--remove can name only ${removable.join(', ')}.`);
    if (Object.hasOwn(fields, name)) throw usageError(`Other options set ${name}. Remove it from --remove.`);
    fields[name] = null;
  }
  if (Object.keys(fields).length === 0) return undefined;
  const parsed = v.safeParse(sellerChangeSchema, fields);
  if (!parsed.success) throw usageError(parsed.issues[0].message);
  return parsed.output;
}

function seriesOf(options: ParsedOptions, kind: string, name: string): object {
  const [prefix, digits, restart, next] = ['prefix', 'digits', 'restart', 'next'].map((field) =>
    options.optional(`${kind}-${field}`),
  );
  const fields = {
    ...(prefix !== undefined && { prefix }),
    ...(digits !== undefined && { digits: Number(digits) }),
    ...(restart !== undefined && { restart }),
    ...(next !== undefined && { next: Number(next) }),
  };
  return Object.keys(fields).length > 0 ? { [name]: fields } : {};
}

function throwAsUsage(error: unknown): never {
  throw error instanceof ApiError ? usageError(error.message) : error;
}

function showSeller(account: string, seller: Seller | undefined) {
  if (!seller)
    return {
      json: { account, seller: null },
      text: `${account} has no seller profile, so its invoices have no numbers. To set it, use at least --legal-name and --country.`,
    };
  const { line1, line2, city, state, postalCode, country } = seller.address;
  const address = [line1, line2, city, state, postalCode, country].filter((part) => part !== null);
  const { invoice, creditNote, receipt } = seller.series;
  const rows = [
    ['account', account],
    ['legal name', seller.legalName],
    ...rowsOfLines('address', address.join('\n')),
    ...rowsOfLines(
      'tax IDs',
      seller.taxIds.map(({ type, value }) => `${type} ${value}`).join('\n') || undefined,
    ),
    ['time zone', seller.timeZone],
    ['fiscal year from', String(seller.fiscalYearStart)],
    ['invoices', seriesText(invoice)],
    ['credit notes', seriesText(creditNote)],
    ['receipts', seriesText(receipt)],
    ['payment days', String(seller.paymentDays ?? 'not set')],
    ['payments', seller.acceptPartial ? 'also in parts' : 'only as a whole'],
    ['write off at most', `${seller.writeOffPercent} %`],
    ['default tax', seller.defaultTax ?? 'not set'],
    ...rowsOfLines('taxes', textsOfTaxes(seller.taxes).join('\n') || undefined),
    ...rowsOfLines('terms', seller.terms ?? undefined),
    ...rowsOfLines('footer', seller.footer ?? undefined),
    ['signatory', seller.signatory ?? 'not set'],
    ['color', seller.color ?? 'not set'],
    ['logo', seller.logo ? logoText(seller.logo) : 'not set'],
  ];
  return { json: { account, seller }, table: { rows } };
}

const logoText = ({ sha256, type, width, height }: NonNullable<Seller['logo']>): string =>
  `${type}, ${width} × ${height} pixels, SHA-256 ${sha256}`;

/** Shows how numbers of a series look, by its first one. */
const seriesText = ({ prefix, digits, restart }: Seller['series']['invoice']): string =>
  `such as ${prefix}${'1'.padStart(digits, '0')}, restart ${restart}`;
