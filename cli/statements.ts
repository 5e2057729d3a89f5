/** Defines `remit statements`: imports bank statements, and decides which invoices their rows pay. */
import type {
  Remit,
  Statement,
  StatementCreateParams,
  StatementListParams,
  StatementRow,
  StatementRowListParams,
  StatementRowMatchParams,
} from '../client/src/remit.ts';
import { currencies } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type OptionSpec,
  parseChoice,
  usageError,
} from './command.ts';
import {
  type Columns,
  forceOption,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readChangeOptions,
  readFields,
  readWriteOptions,
  resourceResult,
} from './resources.ts';
import { readSettle, settleOptions } from './settle-options.ts';

const columns: Columns<Statement> = {
  STATEMENT: ({ id }) => id,
  STATUS: ({ status }) => status,
  BANK: ({ bank }) => bank,
  CURRENCY: ({ currency }) => currency,
  ROWS: ({ rowCount }) => String(rowCount),
  FROM: ({ firstDay }) => firstDay,
  TO: ({ lastDay }) => lastDay,
};

const rowColumns: Columns<StatementRow> = {
  ROW: ({ id }) => id,
  STATUS: ({ status }) => status,
  DAY: ({ day }) => day,
  AMOUNT: ({ amount }) => String(amount),
  REFERENCE: ({ reference }) => reference ?? '',
  NAME: ({ name, text }) => name ?? text ?? '',
  INVOICE: ({ payments, suggestions, recordedPayments: [recorded] }) => {
    const [suggested = recorded] = recorded ? [] : suggestions;
    return (
      payments.map(({ invoiceId }) => invoiceId).join(', ') || (suggested ? `${suggested.invoiceId}?` : '')
    );
  },
  PAYMENT: ({ payments, recordedPayments: [recorded] }) =>
    payments.map(({ paymentId }) => paymentId).join(', ') || (recorded ? `${recorded.paymentId}?` : ''),
  REFUND: ({ refund, refunds: [suggested] }) =>
    refund?.refundId ?? (suggested ? `${suggested.refundId}?` : ''),
  WHY: ({ suggestions: [suggested], recordedPayments: [recorded = suggested] }) =>
    (recorded?.reason.replaceAll('_', ' ') ?? '') +
    (recorded && recorded === suggested && suggested.amountDue === 0 ? ', paid' : ''),
};

const newRowColumns: Columns<NonNullable<StatementCreateParams['rows']>[number]> = {
  DAY: ({ day }) => day,
  AMOUNT: ({ amount }) => String(amount),
  REFERENCE: ({ reference }) => reference ?? '',
  NAME: ({ name }) => name ?? '',
  TEXT: ({ text }) => text ?? '',
};

const list = listCommand(
  {
    about: 'List bank statements, newest first.',
    examples: ['npx remit statements list', 'npx remit statements list --all --json'],
  },
  pageOptions,
  columns,
  (remit, query: StatementListParams) => remit.statements.list(query),
);

const get = getCommand(
  'Show a bank statement, without its rows.',
  'STATEMENT',
  'npx remit statements get st_…',
  (remit, id) => remit.statements.retrieve(id),
);

const rows = listCommand(
  {
    about: 'List the rows of a bank statement.',
    details:
      'An invoice with a question mark is a suggestion, with the reason why the row could pay it. A paid one takes the money as credit, with match and --accept-over. A payment with a question mark is recorded already, and the row could be its money. So could be a refund with a question mark. Amounts are in the smallest currency unit.',
    examples: ['npx remit statements rows st_…', 'npx remit statements rows st_… --status unmatched'],
  },
  {
    status: { value: 'STATUS', about: 'Only rows with this status: unmatched, matched or ignored.' },
    ...pageOptions,
  },
  rowColumns,
  (remit, query: StatementRowListParams, id) => remit.statements.listRows(id, query),
  'STATEMENT',
);

const matchOptions: Readonly<Record<string, OptionSpec>> = {
  'invoice-id': { value: 'INVOICE', about: 'Invoice that the row pays.' },
  'payment-id': {
    value: 'PAYMENT',
    about: 'Payment that is recorded already, and whose money the row shows. In place of --invoice-id.',
  },
  'refund-id': {
    value: 'REFUND',
    about: 'Refund whose money the row shows, if the money went out. In place of --invoice-id.',
  },
  amount: {
    value: 'AMOUNT',
    about:
      'Amount of the payment, in the smallest currency unit. Default: what is left of the money of the row.',
    integer: true,
    amount: true,
  },
};

const match: CliCommand = {
  about: 'Let a row of a bank statement pay an invoice, or say which payment or refund it is.',
  details: `To pay several invoices with one row, run the command once for each, with --amount. If you have recorded the payment
already, use --payment-id, so that the money is not counted twice. If the money went out, use --refund-id.`,
  operands: ['STATEMENT', 'ROW'],
  options: {
    ...matchOptions,
    ...settleOptions,
    'allow-duplicate-reference': {
      about: 'Pay although another payment has this reference of this bank.',
    },
    'accept-over': {
      about:
        'Pay more than what is due, also if the invoice is paid. The rest is kept as credit of the customer. Requires --invoice-id.',
    },
    ...forceOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit statements match st_… row_… --invoice-id inv_…',
    'npx remit statements match st_… row_… --invoice-id inv_… --write-off 25000 --write-off-reason tds',
    'npx remit statements match st_… row_… --payment-id pay_…',
    'npx remit statements match st_… row_… --refund-id ref_…',
  ],
  run: async (options) => {
    const targets = ['invoice-id', 'payment-id', 'refund-id'].filter((name) => options.optional(name));
    if (targets.length !== 1) throw usageError('Use one of --invoice-id, --payment-id and --refund-id.');
    if (targets[0] !== 'invoice-id' && options.flag('accept-over'))
      throw usageError('--accept-over requires --invoice-id.');
    const body = {
      ...readFields<StatementRowMatchParams>(options, matchOptions),
      ...readSettle(options),
      ...(options.flag('allow-duplicate-reference') && { allowDuplicateReference: true }),
      ...(options.flag('accept-over') && { acceptOver: true }),
    };
    const { remit } = await connectApi();
    const [statement, row] = [options.required('STATEMENT'), options.required('ROW')];
    return resourceResult(await remit.statements.matchRow(statement, row, body, readChangeOptions(options)));
  },
};

const ignore: CliCommand = {
  about: 'Say that a row of a bank statement, or what is left of its money, pays nothing.',
  operands: ['STATEMENT', 'ROW'],
  options: idempotencyOption,
  examples: ['npx remit statements ignore st_… row_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const [statement, row] = [options.required('STATEMENT'), options.required('ROW')];
    return resourceResult(await remit.statements.ignoreRow(statement, row, readWriteOptions(options)));
  },
};

const importCommand: CliCommand = {
  about: 'Import the rows of a bank statement from a file.',
  details: `The file is the CSV or the XML (camt.053) of your bank, or JSON: a list of rows with day, amount in the smallest currency unit,
and optionally reference, text and name. Of CSV, the columns, the encoding, the form of days and the decimal sign are recognized.
Use --dry-run first: it shows how the file is read, and sends nothing.

Rows with the payment reference of an invoice pay it by themselves. The same file again changes nothing. The file of a
bank has at most 5,000 rows and 10 MiB, and JSON 500 rows.`,
  operands: ['FILE'],
  options: {
    bank: {
      value: 'TEXT',
      about: 'Bank, or account at the bank. Always write it in the same way.',
      required: true,
    },
    currency: {
      value: 'CURRENCY',
      about: `Currency of the account: ${currencies.join(', ')}.`,
      required: true,
    },
    column: {
      value: 'FIELD=NAME',
      about:
        'Name of a column of the file that is not recognized. Fields: day, amount, credit, debit, direction, currency, reference, text, name. Repeat the option for more.',
      repeatable: true,
    },
    'day-form': {
      value: 'FORM',
      about:
        'Form of days: dmy (31/03/2026), mdy (03/31/2026), ymd (2026-03-31) or month (31-Mar-2026). Needed only if no day of the file shows it.',
    },
    'dry-run': { about: 'Only show how the file is read. Send nothing.' },
  },
  examples: [
    'npx remit statements import march.csv --bank "Bank of Bhutan" --currency BTN --dry-run',
    'npx remit statements import march.xml --bank "Bank of Bhutan" --currency BTN --dry-run',
    'npx remit statements import march.csv --bank HDFC --currency INR --column "reference=Journal No"',
  ],
  run: async (options) => {
    const currency = parseChoice('currency', options.required('currency'), currencies);
    const bank = options.required('bank');
    // Only the import needs the parser, and the start of the command line is measured.
    const { readStatementFile } = await import('./statement-file.ts');
    const { rows, bytes, remarks, mapping } = await readStatementFile(options, currency);
    const remark = remarks.length > 0 ? remarks.join('\n') : undefined;
    if (options.flag('dry-run')) return { json: { data: rows }, table: tableOf(newRowColumns, rows), remark };
    const { remit } = await connectApi();
    const content = bytes ? { file: await uploadFile(remit, bytes) } : { rows };
    const statement = await remit.statements.create({
      bank,
      currency,
      ...content,
      ...(mapping && { mapping }),
    });
    return { json: statement, table: tableOf(columns, [statement]), remark };
  },
};

/** Uploads a file. Returns its id. @throws CommandError if the storage refuses it */
async function uploadFile(remit: Remit, bytes: Uint8Array): Promise<string> {
  const { file, uploadUrl } = await remit.statements.linkFile({ size: bytes.length });
  const { ok, status } = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!ok)
    throw new CommandError(`The storage refused the file with the status ${status}. Run the command again.`);
  return file;
}

const tableOf = <Item>(shown: Columns<Item>, items: readonly Item[]) => ({
  headers: Object.keys(shown),
  rows: items.map((item) => Object.values(shown).map((cell) => cell(item))),
});

export const statementCommands: CommandGroup = {
  about: 'Import bank statements, and decide which invoices their rows pay.',
  details: apiHelp,
  commands: withProfileOption({ list, get, rows, match, ignore, import: importCommand }),
};
