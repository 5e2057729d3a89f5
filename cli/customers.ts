/** Defines `remit customers`: creates, lists, shows, updates and deletes customers. */
import type {
  Balance,
  Customer,
  CustomerCreateParams,
  CustomerListParams,
  CustomerUpdateParams,
} from '../client/src/remit.ts';
import { formatAmount } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  usageError,
} from './command.ts';
import { metadataOption, metadataUpdateOptions, readMetadata, readMetadataUpdate } from './metadata.ts';
import {
  type Columns,
  deleteCommand,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  rangeOptions,
  readFields,
  readList,
  readRemoved,
  readWriteOptions,
  resourceResult,
  updateCommand,
} from './resources.ts';

const columns: Columns<Customer> = {
  CUSTOMER: ({ id }) => id,
  NAME: ({ name }) => name ?? '',
  EMAIL: ({ email }) => email ?? '',
  REFERENCE: ({ reference }) => reference ?? '',
  CREATED: ({ createdAt }) => createdAt,
};

const textOptions: Readonly<Record<string, OptionSpec>> = {
  name: { value: 'NAME', about: 'Name of the person or the company.' },
  email: { value: 'EMAIL', about: 'E-mail address.' },
  phone: { value: 'PHONE', about: 'Phone number.' },
  reference: { value: 'TEXT', about: 'ID of the customer in your own system.' },
};
const addressOptions: Readonly<Record<string, OptionSpec>> = {
  line1: { value: 'TEXT', about: 'First line of the address.' },
  line2: { value: 'TEXT', about: 'Second line of the address.' },
  city: { value: 'TEXT', about: 'City, town or village.' },
  state: { value: 'TEXT', about: 'State, district or province.' },
  'postal-code': { value: 'CODE', about: 'Postal code.' },
  country: { value: 'CODE', about: 'Country, as two uppercase letters, for example BT.' },
};
const fieldOptions: Readonly<Record<string, OptionSpec>> = {
  ...textOptions,
  ...addressOptions,
  'tax-ids': {
    value: 'A,B',
    about: 'Tax IDs, separated by commas, each with its type, for example bt_tpn:TAB12345.',
  },
};

const reminderOptions: Readonly<Record<string, OptionSpec>> = {
  'pause-reminders': { about: 'Send no reminders of invoices with the ID of this customer.' },
  'resume-reminders': { about: 'Send reminders again.' },
};

const create: CliCommand = {
  about: 'Create a customer. It needs a name or an e-mail address.',
  options: { ...fieldOptions, ...metadataOption, ...idempotencyOption },
  examples: [
    'npx remit customers create --name "Dorji Wangmo" --email dorji@example.bt',
    'npx remit customers create --name "Pema Ltd" --city Thimphu --country BT --tax-ids bt_tpn:TAB12345 --json',
  ],
  run: async (options) => {
    const body: CustomerCreateParams = { ...readBody(options), ...readMetadata(options) };
    const { remit } = await connectApi();
    return resourceResult(await remit.customers.create(body, readWriteOptions(options)));
  },
};

const listOptions: Readonly<Record<string, OptionSpec>> = {
  email: { value: 'EMAIL', about: 'Only customers with this e-mail address.' },
  name: { value: 'TEXT', about: 'Only customers whose name has words that begin like these.' },
  reference: { value: 'TEXT', about: 'Only customers with this ID in your own system.' },
  ...rangeOptions,
  ...pageOptions,
};

const list = listCommand(
  {
    about: 'List customers, newest first.',
    examples: [
      'npx remit customers list',
      'npx remit customers list --name wangmo',
      'npx remit customers list --email dorji@example.bt --json',
    ],
  },
  listOptions,
  columns,
  (remit, query: CustomerListParams) => remit.customers.list(query),
);

const get = getCommand('Show a customer.', 'CUSTOMER', 'npx remit customers get cust_…', (remit, id) =>
  remit.customers.retrieve(id),
);

const balanceColumns: Columns<Balance['currencies'][number]> = {
  CURRENCY: ({ currency }) => currency,
  OUTSTANDING: ({ currency, outstanding }) => formatAmount(outstanding, currency),
  OVERDUE: ({ currency, overdue }) => formatAmount(overdue, currency),
  'NOT DUE': ({ currency, ages }) => formatAmount(ages.notDue, currency),
  '1-30': ({ currency, ages }) => formatAmount(ages.days1To30, currency),
  '31-60': ({ currency, ages }) => formatAmount(ages.days31To60, currency),
  '61-90': ({ currency, ages }) => formatAmount(ages.days61To90, currency),
  OLDER: ({ currency, ages }) => formatAmount(ages.older, currency),
  CREDIT: ({ currency, credit }) => formatAmount(credit, currency),
};

const balance: CliCommand = {
  about: 'Show what a customer owes now, by age in days, and its credit.',
  details:
    'CUSTOMER is the customer ID of invoices: that of a customer, an email address or an ID of your own.',
  operands: ['CUSTOMER'],
  examples: ['npx remit customers balance cust_…', 'npx remit customers balance dorji@example.bt --json'],
  run: async (options) => {
    const { remit } = await connectApi();
    const found = await remit.customers.balance({ customerId: options.required('CUSTOMER') });
    const rows = found.currencies.map((each) => Object.values(balanceColumns).map((cell) => cell(each)));
    return { json: found, table: { headers: Object.keys(balanceColumns), rows } };
  },
};

/** The fields that `--remove` can name. */
const removable = ['name', 'email', 'phone', 'reference', 'address', 'taxIds', 'metadata'] as const;
const updateOptions: Readonly<Record<string, OptionSpec>> = {
  ...fieldOptions,
  ...metadataUpdateOptions,
  ...reminderOptions,
  remove: { value: 'A,B', about: `Fields to remove, separated by commas: ${removable.join(', ')}.` },
};

const update = updateCommand(
  {
    about: 'Change a customer.',
    details: 'An address or a list of tax IDs replaces the former one as a whole.',
    examples: [
      'npx remit customers update cust_… --email dorji@example.bt',
      'npx remit customers update cust_… --remove phone,address',
      'npx remit customers update cust_… --metadata segment=wholesale --remove-metadata draft',
    ],
  },
  'CUSTOMER',
  updateOptions,
  readUpdate,
  (remit, id, body: CustomerUpdateParams, options) => remit.customers.update(id, body, options),
);

const deletion = deleteCommand(
  {
    about: 'Delete a customer with its personal data. This cannot be undone.',
    details:
      'Invoices stay as they are. To erase the customer from invoices too, an operator runs npx remit erase.',
    examples: ['npx remit customers delete cust_…', 'npx remit customers delete cust_… --yes'],
  },
  'CUSTOMER',
  (id, where) => `This deletes the customer ${id} in ${where} with its personal data. It cannot be undone.`,
  (remit, id, options) => remit.customers.delete(id, options),
);

export const customerCommands: CommandGroup = {
  about: 'Create, list, show, change and delete customers.',
  details: apiHelp,
  commands: withProfileOption({ create, list, get, balance, update, delete: deletion }),
};

/** Converts the options to the fields of a customer. The API validates the values. */
function readBody(options: ParsedOptions) {
  const address = readFields<Record<string, string>>(options, addressOptions);
  const taxIds = readList(options, 'tax-ids')?.map((item) => {
    const [type = '', ...value] = item.split(':');
    return { type, value: value.join(':') };
  });
  return {
    ...readFields<Record<string, string>>(options, textOptions),
    ...(Object.keys(address).length > 0 && { address }),
    ...(taxIds && { taxIds }),
  };
}

/** @throws CommandError (usage) if `--remove` names an unknown field, or a field that another option sets */
function readUpdate(options: ParsedOptions): CustomerUpdateParams {
  const [pause, resume] = Object.keys(reminderOptions).map((name) => options.flag(name));
  if (pause && resume) throw usageError('Use either --pause-reminders or --resume-reminders, not both.');
  const paused = pause || resume ? { remindersPaused: pause === true } : {};
  const fields = { ...readBody(options), ...readMetadataUpdate(options), ...paused };
  return { ...fields, ...readRemoved(options, fields, removable) };
}
