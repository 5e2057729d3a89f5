/** Defines `remit schedules`: creates, lists, shows and changes schedules of invoices, and shows what they make. */
import type {
  Remit,
  Schedule,
  ScheduleCreateParams,
  ScheduleListParams,
  ScheduleOccurrence,
  ScheduleOccurrenceListParams,
  ScheduleUpdateParams,
} from '../client/src/remit.ts';
import { locales } from '../shared/base/locales.ts';
import { currencies, formatAmount } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  usageError,
} from './command.ts';
import { buyerOptions, readBuyer } from './invoice-buyer.ts';
import { lineOption, readLines } from './invoice-lines.ts';
import { metadataOption, metadataUpdateOptions, readMetadata, readMetadataUpdate } from './metadata.ts';
import { partialChoice, readPartialChoice } from './partial-choice.ts';
import { readReminders, remindersOption } from './reminder-days.ts';
import {
  amountDescription,
  type Columns,
  cursorPageOptions,
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

const columns: Columns<Schedule> = {
  SCHEDULE: ({ id }) => id,
  STATUS: ({ status, failure }) => (failure ? `${status}: ${failure.code}` : status),
  EVERY: ({ every: { n, unit } }) => `${n} ${unit}`,
  NEXT: ({ nextAt }) => nextAt ?? '',
  MADE: ({ made }) => String(made),
  CUSTOMER: ({ invoice }) => invoice?.customerId ?? invoice?.buyer?.name ?? '',
  DESCRIPTION: ({ invoice }) => invoice?.description ?? '',
};

const timeOptions: Readonly<Record<string, OptionSpec>> = {
  'start-on': { value: 'DAY', about: 'Day of the first invoice, for example 2099-01-31.' },
  day: {
    value: 'NUMBER',
    about: 'Day of the month. A shorter month has its last day instead. Default: that of --start-on.',
    integer: true,
  },
};
const settingOptions: Readonly<Record<string, OptionSpec>> = {
  hour: { value: 'NUMBER', about: 'Hour of the day, 0 to 23.', integer: true },
  'time-zone': { value: 'ZONE', about: 'Time zone of the days and the hour, for example Asia/Thimphu.' },
  'end-on': { value: 'DAY', about: 'Last day on which an invoice can be made.' },
  count: { value: 'NUMBER', about: 'Number of the last time.', integer: true },
  'due-in-days': { value: 'NUMBER', about: 'Days until an invoice is due.', integer: true },
  mode: { value: 'MODE', about: 'What to make: draft, issue, or send (by email).' },
  late: { value: 'RULE', about: 'What to make of missed times: all, or only the newest.' },
};
const invoiceOptions: Readonly<Record<string, OptionSpec>> = {
  'customer-id': { value: 'ID', about: 'Customer who pays: an e-mail address or a customer ID of your own.' },
  amount: { value: 'AMOUNT', about: `${amountDescription} Lines come to it.`, integer: true, amount: true },
  currency: { value: 'CURRENCY', about: `Currency of the amount: ${currencies.join(', ')}.` },
  description: {
    value: 'TEXT',
    about: 'Description that the customer sees. {period.start}, {period.end} and {month} are replaced.',
  },
  locale: { value: 'LANGUAGE', about: `Language of the payment page: ${locales.join(', ')}.` },
};

const create: CliCommand = {
  about: 'Create a schedule, which makes an invoice at each of its times.',
  options: {
    every: { value: 'INTERVAL', about: 'How often: a number and day, week, month or year.' },
    ...timeOptions,
    ...settingOptions,
    ...invoiceOptions,
    ...partialChoice,
    ...remindersOption,
    ...buyerOptions,
    ...lineOption,
    ...metadataOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit schedules create --every "1 month" --start-on 2099-01-31 --customer-id c_7 --amount 90000 --currency BTN --description "Hosting, {month}"',
  ],
  run: async (options) => {
    const body = {
      every: readInterval(options.required('every')),
      ...readFields<Partial<ScheduleCreateParams>>(options, { ...timeOptions, ...settingOptions }),
      invoice: { ...readInvoice(options), ...readMetadata(options) },
    } as ScheduleCreateParams;
    const { remit } = await connectApi();
    return resourceResult(await remit.schedules.create(body, readWriteOptions(options)));
  },
};

const list = listCommand(
  {
    about: 'List schedules, newest first.',
    examples: ['npx remit schedules list', 'npx remit schedules list --all --json'],
  },
  pageOptions,
  columns,
  (remit, query: ScheduleListParams) => remit.schedules.list(query),
);

const get = getCommand('Show a schedule.', 'SCHEDULE', 'npx remit schedules get sch_…', (remit, id) =>
  remit.schedules.retrieve(id),
);

/** The fields that `--remove` can name. */
const removable = ['endOn', 'count', 'dueInDays'] as const;

const update = updateCommand(
  {
    about: 'Change a schedule, from its next invoice on.',
    details: 'Lines replace all lines of the invoice, and a buyer the former one.',
    examples: [
      'npx remit schedules update sch_… --amount 100000',
      'npx remit schedules update sch_… --end-on 2099-12-31 --remove count',
    ],
  },
  'SCHEDULE',
  {
    ...settingOptions,
    ...invoiceOptions,
    ...partialChoice,
    ...remindersOption,
    ...buyerOptions,
    ...lineOption,
    ...metadataUpdateOptions,
    remove: { value: 'A,B', about: `Fields to remove, separated by commas: ${removable.join(', ')}.` },
  },
  readUpdate,
  (remit, id, body: ScheduleUpdateParams, options) => remit.schedules.update(id, body, options),
);

/** Returns the command that does one thing with a schedule. */
const actionCommand = (
  about: string,
  name: string,
  act: (remit: Remit, id: string, options: ReturnType<typeof readWriteOptions>) => Promise<Schedule>,
): CliCommand => ({
  about,
  operands: ['SCHEDULE'],
  options: { ...idempotencyOption },
  examples: [`npx remit schedules ${name} sch_…`],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await act(remit, options.required('SCHEDULE'), readWriteOptions(options)));
  },
});

const setStatus =
  (status: Schedule['status']): Parameters<typeof actionCommand>[2] =>
  (remit, id, options) =>
    remit.schedules.update(id, { status }, options);

const preview: CliCommand = {
  about: 'Show the next 12 invoices of a schedule, before it makes them.',
  operands: ['SCHEDULE'],
  examples: ['npx remit schedules preview sch_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const id = options.required('SCHEDULE');
    const [{ data }, { invoice }] = await Promise.all([
      remit.schedules.preview(id),
      remit.schedules.retrieve(id),
    ]);
    const amountOf = (amount: number | null) =>
      amount === null || !invoice?.currency ? '' : formatAmount(amount, invoice.currency);
    const rows = data.map(({ number, at, period, amount, problem }) => [
      String(number),
      at,
      `${period.start} to ${period.end}`,
      problem ?? amountOf(amount),
    ]);
    return { json: { data }, table: { headers: ['NUMBER', 'AT', 'PERIOD', 'AMOUNT'], rows } };
  },
};

const occurrenceColumns: Columns<ScheduleOccurrence> = {
  NUMBER: ({ number, through }) => (number === through ? String(number) : `${number} to ${through}`),
  STATUS: ({ status, reason }) => (reason ? `${status}: ${reason}` : status),
  PERIOD: ({ period }) => `${period.start} to ${period.end}`,
  MADE: ({ invoiceId, draftId }) => invoiceId ?? draftId ?? '',
  AT: ({ at }) => at,
};

const history = listCommand(
  {
    about: 'List what came of the times of a schedule, newest first.',
    examples: ['npx remit schedules history sch_…'],
  },
  { before: { value: 'NUMBER', about: 'Only times before this number.' }, ...cursorPageOptions },
  occurrenceColumns,
  (remit, query: ScheduleOccurrenceListParams, id) => remit.schedules.listOccurrences(id, query),
  'SCHEDULE',
);

export const scheduleCommands: CommandGroup = {
  about: 'Create, list, show and change schedules of invoices, and show what they make.',
  details: apiHelp,
  commands: withProfileOption({
    create,
    list,
    get,
    update,
    pause: actionCommand('Pause a schedule. What passes meanwhile is skipped.', 'pause', setStatus('paused')),
    resume: actionCommand('Resume a paused schedule.', 'resume', setStatus('active')),
    end: actionCommand('End a schedule, for good.', 'end', setStatus('ended')),
    skip: actionCommand('Skip the next time of a schedule.', 'skip', (remit, id, options) =>
      remit.schedules.skip(id, options),
    ),
    run: actionCommand('Make the next invoice of a schedule now.', 'run', (remit, id, options) =>
      remit.schedules.run(id, options),
    ),
    preview,
    history,
  }),
};

/** Reads an interval such as `2 weeks`. @throws CommandError (usage) */
function readInterval(text: string): ScheduleCreateParams['every'] {
  const [, n, unit] = /^(\d+) (day|week|month|year)s?$/.exec(text.trim()) ?? [];
  if (!n || !unit)
    throw usageError('--every must be a number and day, week, month or year, such as "1 month".');
  return { n: Number(n), unit: unit as ScheduleCreateParams['every']['unit'] };
}

/** Converts the options to the fields of the invoice. The API validates the values. */
const readInvoice = (options: ParsedOptions) => ({
  ...readFields<Partial<ScheduleCreateParams['invoice']>>(options, invoiceOptions),
  ...readPartialChoice(options),
  ...readReminders(options),
  ...readBuyer(options),
  ...readLines(options),
});

/** @throws CommandError (usage) if `--remove` names an unknown field, or a field that another option sets */
function readUpdate(options: ParsedOptions): ScheduleUpdateParams {
  const settings = readFields<Partial<ScheduleUpdateParams>>(options, settingOptions);
  const invoice = { ...readInvoice(options), ...readMetadataUpdate(options) };
  return {
    ...settings,
    ...readRemoved(options, settings, removable),
    ...(Object.keys(invoice).length > 0 && { invoice }),
  };
}
