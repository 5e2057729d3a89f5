/** How the resources of the API are asked for and shown: options as its fields, lists as tables, one of them in rows. */
import { type Currency, formatAmount } from '../shared/money.ts';
import { type Option, type Options, type Result, usageError } from './command.ts';
import { showProgress } from './terminal.ts';

/** For commands that change something. */
export const writeOption: Readonly<Record<string, Option>> = {
  'idempotency-key': {
    value: 'KEY',
    about: 'the same key takes effect once within 24 hours; without it, each call of the command does',
  },
};

/** For lists that are paged by number. */
export const pageOptions: Readonly<Record<string, Option>> = {
  limit: { value: 'N', about: 'how many, 1 to 100; default 20', integer: true },
  offset: { value: 'N', about: 'how many to skip; default 0', integer: true },
  all: { about: 'all of them, page after page' },
};

export const amountAbout = 'in the smallest unit of the currency: 250000 BTN are Nu. 2,500.00';

/** What the API takes besides the request itself. */
export const writeOptions = (options: Options) => ({ idempotencyKey: options.optional('idempotency-key') });

/** The options that were given, under the API's names for them: `--customer-id` is `customerId`. */
export function fieldsOf<Fields>(options: Options, specs: Readonly<Record<string, Option>>): Fields {
  const given = Object.entries(specs).flatMap(([option, { value: hasValue, integer }]) => {
    const value = options.optional(option);
    if (!hasValue || value === undefined) return [];
    const name = option.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    return [[name, integer ? Number(value) : value]];
  });
  // What they may be is for the API to say.
  return Object.fromEntries(given) as Fields;
}

/** Words with commas between them. */
export function wordsOf(options: Options, name: string): string[] | undefined {
  return options
    .optional(name)
    ?.split(',')
    .map((word) => word.trim());
}

/** The columns of a list, by their heads. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination?: { readonly total: number; readonly offset: number; readonly hasMore: boolean };
  readonly cursor?: { readonly hasMore: boolean; readonly next: string | null };
}

/** The page that was asked for or, with `--all`, everything. */
export async function listResult<Item>(
  list: PromiseLike<Page<Item>> & AsyncIterable<Item>,
  options: Options,
  columns: Columns<Item>,
): Promise<Result> {
  const page: Page<Item> = options.flag('all') ? { data: await collect(list) } : await list;
  const heads = Object.keys(columns);
  const rows = page.data.map((item) => Object.values(columns).map((cell) => cell(item)));
  return { json: page, table: { heads, rows }, text: whatElse(page, options) };
}

/** One resource: a row for each field, by the names of the API. */
export function resourceResult(resource: object, text?: string): Result {
  return { json: resource, table: { rows: rowsOf(resource) }, text };
}

/** An amount as people write it. */
export const amountOf = ({ amount, currency }: { amount: number; currency: Currency }) =>
  formatAmount(amount, currency);

async function collect<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length % 100 === 0) showProgress(`${items.length} read`);
  }
  return items;
}

function whatElse<Item>({ data, pagination, cursor }: Page<Item>, options: Options): string | undefined {
  if (pagination?.hasMore)
    return `${data.length} of ${pagination.total}; --offset ${pagination.offset + data.length} or --all shows more.`;
  const place = options.optional('after') === undefined ? 'before' : 'after';
  if (cursor?.hasMore) return `There are more: --${place} ${cursor.next} or --all shows them.`;
  return data.length === 0 ? 'There is none.' : undefined;
}

function rowsOf(resource: object, prefix = ''): string[][] {
  const { currency } = resource as { currency?: Currency };
  return Object.entries(resource).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      return [[prefix + name, value.join(', ')]];
    if (typeof value === 'object' && value !== null) return rowsOf(value, `${prefix}${name}.`);
    if (currency && typeof value === 'number' && /^amount/.test(name))
      return [[prefix + name, `${value}  (${formatAmount(value, currency)})`]];
    return [[prefix + name, String(value ?? '–')]];
  });
}

/** At least one of the options must be there. */
export function requireSome(fields: object, specs: Readonly<Record<string, Option>>): void {
  if (Object.keys(fields).length > 0) return;
  const names = Object.keys(specs).map((name) => `--${name}`);
  throw usageError(`There is nothing to change: use at least one of ${names.join(', ')}.`);
}
