/**
 * Converts between the command line and the API: options become fields of requests, lists become tables, and a single
 * resource becomes one row per field.
 */
import type { Remit } from '../client/src/remit.ts';
import { toCsv } from '../shared/base/csv.ts';
import { type Currency, currencies, formatAmount } from '../shared/base/money.ts';
import { connectApi } from './api-connection.ts';
import {
  type CliCommand,
  type CommandResult,
  type OptionSpec,
  type ParsedOptions,
  usageError,
} from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { csvOptions } from './csv.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { showProgress } from './terminal.ts';

/** The option of all commands that make a change. */
export const idempotencyOption: Readonly<Record<string, OptionSpec>> = {
  'idempotency-key': {
    value: 'KEY',
    about:
      'Idempotency key. Calls with the same key take effect only once within 24 hours. Default: a new key for each call.',
  },
};

const limitOption: OptionSpec = {
  value: 'N',
  about: 'Maximum number of results, 1 to 100. Default: 20.',
  integer: true,
};
const allOptions: Readonly<Record<string, OptionSpec>> = {
  all: { about: 'Return all pages.' },
  ...csvOptions,
};

/** The options of lists with numbered pages. */
export const pageOptions: Readonly<Record<string, OptionSpec>> = {
  limit: limitOption,
  offset: { value: 'N', about: 'Number of results to skip. Default: 0.', integer: true },
  ...allOptions,
};

/** The options of lists whose pages begin after a record, next to the options that name it. */
export const cursorPageOptions: Readonly<Record<string, OptionSpec>> = { limit: limitOption, ...allOptions };

/** The options of lists that filter by what never changes. */
export const rangeOptions: Readonly<Record<string, OptionSpec>> = {
  'created-from': {
    value: 'ISO',
    about: 'Only results created at this time or later. A date such as 2026-03-01 begins at midnight in UTC.',
  },
  'created-to': {
    value: 'ISO',
    about:
      'Only results created at this time or earlier. A date such as 2026-03-31 includes the whole day in UTC.',
  },
};

export const factOptions: Readonly<Record<string, OptionSpec>> = {
  currency: { value: 'CURRENCY', about: `Only results in this currency: ${currencies.join(', ')}.` },
  ...rangeOptions,
};

export const amountDescription =
  'Amount in the smallest currency unit. For example, 250000 is Nu. 2,500.00 in BTN.';

/** Returns the client's options for a request that makes a change. */
export const readWriteOptions = (options: ParsedOptions) => ({
  idempotencyKey: options.optional('idempotency-key'),
});

/** Lets a command go on although a payment on the page of a provider has no outcome. */
export const forceOption: Readonly<Record<string, OptionSpec>> = {
  force: {
    about:
      'Go on although the payment provider does not say whether the payer has paid. Money that still arrives is refunded, or pays the invoice if it is open and unchanged.',
  },
};

/** Returns the client's options for a request that changes an invoice. */
export const readChangeOptions = (options: ParsedOptions) => ({
  ...readWriteOptions(options),
  ...(options.flag('force') && { force: 'payment_in_progress' as const }),
});

/** Converts options to fields of the API: `--customer-id` becomes `customerId`. The API validates the values. */
export function readFields<Fields>(
  options: ParsedOptions,
  specs: Readonly<Record<string, OptionSpec>>,
): Fields {
  const fields = Object.entries(specs).flatMap(([option, { value: hasValue, integer }]) => {
    const value = options.optional(option);
    if (!hasValue || value === undefined) return [];
    const name = option.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    return [[name, integer ? Number(value) : value]];
  });
  return Object.fromEntries(fields) as Fields;
}

/** Reads an option that is a list separated by commas. */
export function readList(options: ParsedOptions, name: string): string[] | undefined {
  return options
    .optional(name)
    ?.split(',')
    .map((item) => item.trim());
}

/**
 * Returns the fields that `--remove` names, each with null.
 * @param fields those that other options set
 * @param removable the fields that it can name
 * @throws CommandError (usage) if it names an unknown field, or one that another option sets
 */
export function readRemoved(
  options: ParsedOptions,
  fields: object,
  removable: readonly string[],
): Record<string, null> {
  const names = readList(options, 'remove') ?? [];
  const unknown = names.find((name) => !removable.includes(name));
  if (unknown !== undefined) throw usageError(`--remove can name only ${removable.join(', ')}.`);
  const isSet = names.find((name) => Object.hasOwn(fields, name));
  if (isSet !== undefined) throw usageError(`Other options set ${isSet}. Remove it from --remove.`);
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** The columns of a list: for each header, the function that returns the cell's text. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination?: { readonly total: number; readonly offset: number; readonly hasMore: boolean };
  readonly cursor?: { readonly hasMore: boolean; readonly next: string | null };
}

/** Returns the requested page, or all pages with `--all`, as a table or with `--csv` as CSV. */
export async function listResult<Item extends object>(
  list: PromiseLike<Page<Item>> & AsyncIterable<Item>,
  options: ParsedOptions,
  columns: Columns<Item>,
): Promise<CommandResult> {
  if (options.json && options.flag('csv')) throw usageError('Use either --json or --csv.');
  if (options.flag('bom') && !options.flag('csv')) throw usageError('--bom needs --csv.');
  const page: Page<Item> = options.flag('all') ? { data: await collectItems(list) } : await list;
  if (options.flag('csv'))
    return {
      json: page,
      csv: await toCsv(page.data, { bom: options.flag('bom'), textOf: escapeControlCharacters }),
      remark: describeRest(page, options),
    };
  const headers = Object.keys(columns);
  const rows = page.data.map((item) => Object.values(columns).map((cell) => cell(item)));
  return { json: page, table: { headers, rows }, remark: describeRest(page, options) };
}

/** Returns one resource as a table: a row for each field, with the API's name of the field. */
export function resourceResult(resource: object, remark?: string): CommandResult {
  return { json: resource, table: { rows: toRows(resource) }, remark };
}

/** What the help says of a command. */
type CommandHelp = Pick<CliCommand, 'about' | 'details' | 'examples'>;

/**
 * Returns the command that lists resources.
 * @param specs the options of the list, which are also the fields of its query
 * @param list reads a page
 * @param operand the name of the ID in the help, if the list belongs to another resource
 */
export const listCommand = <Query, Item extends object>(
  help: CommandHelp,
  specs: Readonly<Record<string, OptionSpec>>,
  columns: Columns<Item>,
  list: (remit: Remit, query: Query, id: string) => PromiseLike<Page<Item>> & AsyncIterable<Item>,
  operand?: string,
): CliCommand => ({
  ...help,
  operands: operand === undefined ? [] : [operand],
  options: specs,
  run: async (options) => {
    const query = readFields<Query>(options, specs);
    const { remit } = await connectApi();
    const id = operand === undefined ? '' : options.required(operand);
    return listResult(list(remit, query, id), options, columns);
  },
});

/** What a command gives the client beside the body of a change. */
type WriteOptions = ReturnType<typeof readWriteOptions>;

/**
 * Returns the command that changes one resource.
 * @param operand the name of its ID in the help
 * @param specs the options that change something
 * @param readBody reads the change. The command throws a usage error if it is empty
 */
export const updateCommand = <Body extends object>(
  help: CommandHelp,
  operand: string,
  specs: Readonly<Record<string, OptionSpec>>,
  readBody: (options: ParsedOptions) => Body,
  update: (remit: Remit, id: string, body: Body, options: WriteOptions) => Promise<object>,
): CliCommand => ({
  ...help,
  operands: [operand],
  options: { ...specs, ...idempotencyOption },
  run: async (options) => {
    const body = readBody(options);
    requireChange(body, specs);
    const { remit } = await connectApi();
    return resourceResult(await update(remit, options.required(operand), body, readWriteOptions(options)));
  },
});

/**
 * Returns the command that deletes one resource, after a question.
 * @param operand the name of its ID in the help
 * @param effectOf says what is deleted and what follows
 */
export const deleteCommand = (
  help: CommandHelp,
  operand: string,
  effectOf: (id: string, where: string) => string,
  remove: (remit: Remit, id: string, options: WriteOptions) => Promise<object>,
): CliCommand => ({
  ...help,
  operands: [operand],
  options: { ...idempotencyOption, ...yesOption },
  run: async (options) => {
    const { remit, where } = await connectApi();
    const id = options.required(operand);
    await confirmChange(options, () => effectOf(id, where));
    return resourceResult(await remove(remit, id, readWriteOptions(options)));
  },
});

/**
 * Returns the command that shows one resource.
 * @param operand the name of its ID in the help
 * @param retrieve reads the resource. The client throws if there is none
 */
export const getCommand = (
  about: string,
  operand: string,
  example: string,
  retrieve: (remit: Remit, id: string) => Promise<object>,
): CliCommand => ({
  about,
  operands: [operand],
  examples: [example],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await retrieve(remit, options.required(operand)));
  },
});

/** Formats the amount of a resource with its currency, for example `Nu. 2,500.00`. */
export const formatAmountCell = ({ amount, currency }: { amount: number; currency: Currency }) =>
  formatAmount(amount, currency);

async function collectItems<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length % 100 === 0) showProgress(`Read ${items.length} items`);
  }
  return items;
}

function describeRest<Item>(
  { data, pagination, cursor }: Page<Item>,
  options: ParsedOptions,
): string | undefined {
  if (pagination?.hasMore)
    return `Showing ${data.length} of ${pagination.total}. To see more, use --offset ${pagination.offset + data.length} or --all.`;
  const option = options.optional('after') === undefined ? 'before' : 'after';
  if (cursor?.hasMore) return `More results exist. To see them, use --${option} ${cursor.next} or --all.`;
  return data.length === 0 ? 'No results.' : undefined;
}

function toRows(resource: object, prefix = ''): string[][] {
  const { currency } = resource as { currency?: Currency };
  return Object.entries(resource).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      return [[prefix + name, value.join(', ')]];
    if (typeof value === 'object' && value !== null) return toRows(value, `${prefix}${name}.`);
    if (currency && typeof value === 'number' && /^amount/.test(name))
      return [[prefix + name, `${value}  (${formatAmount(value, currency)})`]];
    return [[prefix + name, String(value ?? '–')]];
  });
}

/** Throws a usage error if no field is given. */
export function requireChange(fields: object, specs: Readonly<Record<string, OptionSpec>>): void {
  if (Object.keys(fields).length > 0) return;
  const names = Object.keys(specs).map((name) => `--${name}`);
  throw usageError(`Nothing to change. Use at least one of: ${names.join(', ')}.`);
}
