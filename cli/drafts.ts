/** Defines `remit drafts`: creates, lists, shows, updates, deletes and finalizes drafts of invoices. */
import type { Draft, DraftCreateParams, DraftListParams, DraftUpdateParams } from '../client/src/remit.ts';
import { locales } from '../shared/base/locales.ts';
import { currencies, formatAmount } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec, ParsedOptions } from './command.ts';
import { buyerOptions, readBuyer } from './invoice-buyer.ts';
import { lineOption, readLines } from './invoice-lines.ts';
import { metadataOption, metadataUpdateOptions, readMetadata, readMetadataUpdate } from './metadata.ts';
import { partialChoice, readPartialChoice } from './partial-choice.ts';
import { readReminders, remindersOption } from './reminder-days.ts';
import {
  amountDescription,
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

const columns: Columns<Draft> = {
  DRAFT: ({ id }) => id,
  AMOUNT: ({ computedAmount, currency }) =>
    computedAmount === null || currency === null ? '' : formatAmount(computedAmount, currency),
  CUSTOMER: ({ customerId, buyer }) => customerId ?? buyer?.name ?? '',
  DESCRIPTION: ({ description }) => description ?? '',
  CHANGED: ({ updatedAt }) => updatedAt,
};

const fieldOptions: Readonly<Record<string, OptionSpec>> = {
  'customer-id': { value: 'ID', about: 'Customer who pays: an e-mail address or a customer ID of your own.' },
  amount: { value: 'AMOUNT', about: `${amountDescription} Lines come to it.`, integer: true, amount: true },
  currency: { value: 'CURRENCY', about: `Currency of the amount: ${currencies.join(', ')}.` },
  description: { value: 'TEXT', about: 'Description that the customer sees.' },
  'due-date': { value: 'ISO', about: 'Due date, for example 2099-01-31.' },
  reference: { value: 'TEXT', about: 'Your own number for the invoice. No other invoice can ever have it.' },
  locale: { value: 'LANGUAGE', about: `Language of the payment page: ${locales.join(', ')}.` },
};

const create: CliCommand = {
  about: 'Create a draft of an invoice. Any field can lack.',
  options: {
    ...fieldOptions,
    ...partialChoice,
    ...remindersOption,
    ...buyerOptions,
    ...lineOption,
    ...metadataOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit drafts create --description "Website design" --currency BTN',
    'npx remit drafts create --customer-id c_7 --currency BTN --line "2 x Tea @ 1000 bt_gst_5" --json',
  ],
  run: async (options) => {
    const body: DraftCreateParams = { ...readBody(options), ...readMetadata(options) };
    const { remit } = await connectApi();
    return resourceResult(await remit.drafts.create(body, readWriteOptions(options)));
  },
};

const list = listCommand(
  {
    about: 'List open drafts, newest first.',
    examples: ['npx remit drafts list', 'npx remit drafts list --all --json'],
  },
  pageOptions,
  columns,
  (remit, query: DraftListParams) => remit.drafts.list(query),
);

const get = getCommand('Show a draft.', 'DRAFT', 'npx remit drafts get drft_…', (remit, id) =>
  remit.drafts.retrieve(id),
);

/** The fields that `--remove` can name. */
const removable = [
  'customerId',
  'amount',
  'currency',
  'description',
  'dueDate',
  'reference',
  'locale',
  'acceptPartial',
  'reminders',
  'buyer',
  'gst',
  'lines',
  'metadata',
] as const;
const updateOptions: Readonly<Record<string, OptionSpec>> = {
  ...fieldOptions,
  ...partialChoice,
  ...remindersOption,
  ...buyerOptions,
  ...lineOption,
  ...metadataUpdateOptions,
  remove: { value: 'A,B', about: `Fields to remove, separated by commas: ${removable.join(', ')}.` },
};

const update = updateCommand(
  {
    about: 'Change an open draft.',
    details:
      'Lines replace all lines of the draft, and a buyer the former one. Texts of the metadata that no option names stay.',
    examples: [
      'npx remit drafts update drft_… --customer-id dorji@example.bt',
      'npx remit drafts update drft_… --line "3 x prod_…" --remove amount',
    ],
  },
  'DRAFT',
  updateOptions,
  readUpdate,
  (remit, id, body: DraftUpdateParams, options) => remit.drafts.update(id, body, options),
);

const deletion = deleteCommand(
  {
    about: 'Delete an open draft. This cannot be undone.',
    examples: ['npx remit drafts delete drft_…', 'npx remit drafts delete drft_… --yes'],
  },
  'DRAFT',
  (id, where) => `This deletes the draft ${id} in ${where}. It cannot be undone.`,
  (remit, id, options) => remit.drafts.delete(id, options),
);

const finalize: CliCommand = {
  about: 'Make a draft an invoice, once. Shows the invoice.',
  details: 'Taxes have the rates of today. The draft stays, and names its invoice.',
  operands: ['DRAFT'],
  options: { ...idempotencyOption },
  examples: ['npx remit drafts finalize drft_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const id = options.required('DRAFT');
    return resourceResult(await remit.drafts.finalize(id, { ...readWriteOptions(options), wait: true }));
  },
};

export const draftCommands: CommandGroup = {
  about: 'Create, list, show, change, delete and finalize drafts of invoices.',
  details: apiHelp,
  commands: withProfileOption({ create, list, get, update, delete: deletion, finalize }),
};

/** Converts the options to the fields of a draft. The API validates the values. */
const readBody = (options: ParsedOptions) => ({
  ...readFields<Partial<DraftCreateParams>>(options, fieldOptions),
  ...readPartialChoice(options),
  ...readReminders(options),
  ...readBuyer(options),
  ...readLines(options),
});

/** @throws CommandError (usage) if `--remove` names an unknown field, or a field that another option sets */
function readUpdate(options: ParsedOptions): DraftUpdateParams {
  const fields = { ...readBody(options), ...readMetadataUpdate(options) };
  return { ...fields, ...readRemoved(options, fields, removable) };
}
