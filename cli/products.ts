/** Defines `remit products`: creates, lists, shows, updates and deletes products. */
import type {
  Product,
  ProductCreateParams,
  ProductListParams,
  ProductUpdateParams,
} from '../client/src/remit.ts';
import { type Currency, currencies, formatAmount } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { requireSmallestUnit } from './read-options.ts';
import {
  type Columns,
  deleteCommand,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readFields,
  readRemoved,
  readWriteOptions,
  resourceResult,
  updateCommand,
} from './resources.ts';

const columns: Columns<Product> = {
  PRODUCT: ({ id }) => id,
  NAME: ({ name }) => name,
  PRICES: ({ unitAmounts }) => pricesOf(unitAmounts).join(', '),
  TAX: ({ tax }) => tax,
  STATUS: ({ status }) => status,
};

const pricesOf = (amounts: Product['unitAmounts']): string[] =>
  currencies.flatMap((currency) => {
    const amount = amounts[currency];
    return amount === undefined ? [] : [formatAmount(amount, currency)];
  });

const textOptions: Readonly<Record<string, OptionSpec>> = {
  name: { value: 'NAME', about: 'Name of the product.' },
  description: { value: 'TEXT', about: 'Text of lines with the product. Without it, they have the name.' },
  unit: { value: 'TEXT', about: 'Unit, for example kg or hours.' },
  tax: { value: 'TAX', about: 'Tax code, for example bt_gst_5. Default: none.' },
  'product-code': { value: 'CODE', about: 'HSN or SAC code, 4 to 8 digits.' },
};
const priceOption: Readonly<Record<string, OptionSpec>> = {
  price: {
    value: 'CURRENCY=AMOUNT',
    about: `Price of one unit, in the smallest currency unit, for example BTN=250000. Repeat the option for more of ${currencies.join(', ')}.`,
    repeatable: true,
  },
};

const create: CliCommand = {
  about: 'Create a product. It needs a name and a price.',
  options: { ...textOptions, ...priceOption, ...idempotencyOption },
  examples: [
    'npx remit products create --name "Green tea" --price BTN=45000 --unit kg --tax bt_gst_5',
    'npx remit products create --name Design --price USD=9000 --price INR=750000 --product-code 998314 --json',
  ],
  run: async (options) => {
    const { name, ...texts } = readFields<Partial<ProductCreateParams>>(options, textOptions);
    const { unitAmounts } = readPrices(options);
    if (name === undefined) throw usageError('--name is required.');
    if (!unitAmounts) throw usageError('--price is required.');
    const { remit } = await connectApi();
    const body = { name, ...texts, unitAmounts };
    return resourceResult(await remit.products.create(body, readWriteOptions(options)));
  },
};

const list = listCommand(
  {
    about: 'List products, newest first. Archived ones are in the list, too.',
    examples: ['npx remit products list', 'npx remit products list --all --json'],
  },
  pageOptions,
  columns,
  (remit, query: ProductListParams) => remit.products.list(query),
);

const get = getCommand('Show a product.', 'PRODUCT', 'npx remit products get prod_…', (remit, id) =>
  remit.products.retrieve(id),
);

/** The fields that `--remove` can name. */
const removable = ['description', 'unit', 'productCode'] as const;
const statuses = ['active', 'archived'] as const;
const updateOptions: Readonly<Record<string, OptionSpec>> = {
  ...textOptions,
  ...priceOption,
  status: { value: 'STATUS', about: 'active, or archived: no new line can name the product.' },
  remove: { value: 'A,B', about: `Fields to remove, separated by commas: ${removable.join(', ')}.` },
};

const update = updateCommand(
  {
    about: 'Change a product, or archive it.',
    details: 'Prices replace all former ones. Invoices keep what they took from the product.',
    examples: [
      'npx remit products update prod_… --price BTN=48000',
      'npx remit products update prod_… --status archived',
    ],
  },
  'PRODUCT',
  updateOptions,
  readUpdate,
  (remit, id, body: ProductUpdateParams, options) => remit.products.update(id, body, options),
);

const deletion = deleteCommand(
  {
    about: 'Delete a product. This cannot be undone.',
    details: 'Invoices keep what they took from the product. To only hide it, use update --status archived.',
    examples: ['npx remit products delete prod_…', 'npx remit products delete prod_… --yes'],
  },
  'PRODUCT',
  (id, where) => `This deletes the product ${id} in ${where}. It cannot be undone.`,
  (remit, id, options) => remit.products.delete(id, options),
);

export const productCommands: CommandGroup = {
  about: 'Create, list, show, change and delete products.',
  details: apiHelp,
  commands: withProfileOption({ create, list, get, update, delete: deletion }),
};

/** @throws CommandError (usage) if a price has another form, or if two have the same currency */
function readPrices(options: ParsedOptions): { unitAmounts?: Partial<Record<Currency, number>> } {
  const prices = options.all('price').map((text): [Currency, number] => {
    const [currency = '', amount] = text.split('=');
    if (amount === undefined)
      throw usageError('--price must be CURRENCY=AMOUNT, for example --price BTN=250000.');
    requireSmallestUnit('The amount of --price', amount);
    return [parseChoice('price', currency, currencies), Number(amount)];
  });
  const unitAmounts = Object.fromEntries(prices) as Partial<Record<Currency, number>>;
  if (Object.keys(unitAmounts).length < prices.length)
    throw usageError('--price names a currency twice. Use each once.');
  return prices.length > 0 ? { unitAmounts } : {};
}

/** @throws CommandError (usage) if `--remove` names an unknown field, or a field that another option sets */
function readUpdate(options: ParsedOptions): ProductUpdateParams {
  const status = options.optional('status');
  const fields = {
    ...readFields<ProductUpdateParams>(options, textOptions),
    ...readPrices(options),
    ...(status !== undefined && { status: parseChoice('status', status, statuses) }),
  };
  return { ...fields, ...readRemoved(options, fields, removable) };
}
