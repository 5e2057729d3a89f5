/** Defines `remit invoices`: creates, shows, changes, cancels, replaces and pays invoices. */
import type {
  Invoice,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoiceReplaceParams,
  InvoiceUpdateParams,
  OfflinePaymentCreateParams,
  PaymentCreateParams,
} from '../client/src/remit.ts';
import { locales } from '../shared/base/locales.ts';
import { currencies } from '../shared/base/money.ts';
import { testCards } from '../shared/domain/payments/provider/test-cards.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { escapeToOneLine } from './escape-control-characters.ts';
import { buyerOptions, readBuyer } from './invoice-buyer.ts';
import { lineOption, readLines } from './invoice-lines.ts';
import { metadataOption, metadataUpdateOptions, readMetadata, readMetadataUpdate } from './metadata.ts';
import { readReminders, remindersOption } from './reminder-days.ts';
import {
  amountDescription,
  type Columns,
  factOptions,
  forceOption,
  formatAmountCell,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readChangeOptions,
  readFields,
  readWriteOptions,
  requireChange,
  resourceResult,
} from './resources.ts';
import { readSettle, settleOptions } from './settle-options.ts';

const columns: Columns<Invoice> = {
  INVOICE: ({ id }) => id,
  STATUS: ({ status, replacedBy }) => (status === 'paid' && replacedBy ? 'credited' : status),
  AMOUNT: formatAmountCell,
  // A due date without a time is the end of its day in UTC. The day of another one depends on the time zone of the account.
  DUE: ({ dueDate }) => dueDate.replace(/T23:59:59\.999Z$/, ''),
  CUSTOMER: ({ customerId }) => customerId,
  DESCRIPTION: ({ description }) => description,
};

const localeOption: OptionSpec = {
  value: 'LANGUAGE',
  about: `Language of the payment page: ${locales.join(', ')}. Default: that of the browser.`,
};

const createOptions: Readonly<Record<string, OptionSpec>> = {
  'customer-id': {
    value: 'ID',
    about:
      'Customer who pays: an e-mail address or a customer ID of your own. Not needed with --buyer-email.',
  },
  amount: { value: 'AMOUNT', about: `${amountDescription} Lines come to it.`, integer: true, amount: true },
  currency: { value: 'CURRENCY', about: `Currency of the amount: ${currencies.join(', ')}.`, required: true },
  description: { value: 'TEXT', about: 'Description that the customer sees.', required: true },
  'due-date': { value: 'ISO', about: 'Due date, for example 2099-01-31. Default: in 30 days.' },
  reference: {
    value: 'TEXT',
    about: 'Your own number for the invoice. No other invoice can ever have it, and it cannot be changed.',
  },
  locale: localeOption,
};

const partialOption: Readonly<Record<string, OptionSpec>> = {
  'accept-partial': { about: 'Let the invoice be paid in parts.' },
};

const creditOption: Readonly<Record<string, OptionSpec>> = {
  'use-credit': { about: 'Pay it with the credit of the customer, as far as that goes.' },
};

const warningTexts = new Map([
  [
    'no_payment_method',
    'The payment page of this invoice offers no way to pay. Connect a payment provider, or set payment instructions.',
  ],
  [
    'amount_not_accepted',
    'The amount of this invoice is below or above the limits of your payment provider, so payers cannot pay it there. Change the amount.',
  ],
]);

const create: CliCommand = {
  about: 'Create an invoice and a payment page where the customer pays it.',
  options: {
    ...createOptions,
    ...buyerOptions,
    ...lineOption,
    ...metadataOption,
    send: { about: 'Send the invoice to the customer by email.' },
    ...partialOption,
    ...creditOption,
    ...remindersOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit invoices create --customer-id dorji@example.bt --amount 250000 --currency BTN --description "Website design"',
    'npx remit invoices create --customer-id c_7 --amount 900 --currency USD --description Tea --due-date 2099-01-31 --json',
    'npx remit invoices create --customer-id c_7 --amount 900 --currency USD --description Tea --reference 2026-0815 --metadata orderId=1047 --metadata shop=Thimphu',
    'npx remit invoices create --buyer-name "Pema Ltd" --buyer-email pema@example.bt --buyer-country BT --amount 900 --currency BTN --description Tea',
    'npx remit invoices create --customer-id c_7 --currency BTN --description "Order 7" --line "2 x Tea @ 1000 bt_gst_5" --line "1.5 x Cups @ 400"',
  ],
  run: async (options) => {
    const fields = readFields<InvoiceCreateParams>(options, createOptions);
    const body = {
      ...fields,
      ...readBuyer(options),
      ...readLines(options),
      ...readMetadata(options),
      ...(options.flag('send') && { send: true }),
      ...readPartial(options),
      ...(options.flag('use-credit') && { useCredit: true }),
      ...readReminders(options),
    };
    if (body.customerId === undefined && body.buyer?.email == null)
      throw usageError('--customer-id or --buyer-email is required.');
    if (body.amount === undefined && !body.lines) throw usageError('--amount or --line is required.');
    const { remit, warnings } = await connectApi();
    const invoice = await remit.invoices.create(body, { ...readWriteOptions(options), wait: true });
    for (const warning of warnings)
      process.stderr.write(`Warning: ${warningTexts.get(warning) ?? escapeToOneLine(warning)}\n`);
    return resourceResult(invoice);
  },
};

const wholeOption: Readonly<Record<string, OptionSpec>> = {
  'no-accept-partial': { about: 'Let the invoice be paid only as a whole from now on.' },
};

function readPartial(options: ParsedOptions) {
  const [accept, refuse] = ['accept-partial', 'no-accept-partial'].map((name) => options.flag(name));
  if (accept && refuse) throw usageError('Use either --accept-partial or --no-accept-partial, not both.');
  return accept || refuse ? { acceptPartial: accept === true } : {};
}

const listOptions: Readonly<Record<string, OptionSpec>> = {
  status: {
    value: 'STATUS',
    about:
      'Only invoices with this status: pending, paid, overdue or cancelled. Separate several with commas.',
  },
  'customer-id': { value: 'ID', about: 'Only invoices of this customer.' },
  amount: { value: 'AMOUNT', about: `Only invoices of this amount. ${amountDescription}`, integer: true },
  reference: { value: 'TEXT', about: 'Only the invoice with this number of your own.' },
  'payment-reference': {
    value: 'REFERENCE',
    about: 'Only the invoice with this payment reference, for example R7K2-M9QX.',
  },
  ...factOptions,
  ...pageOptions,
};

const list = listCommand(
  {
    about: 'List invoices, newest first.',
    examples: [
      'npx remit invoices list',
      'npx remit invoices list --status pending --customer-id dorji@example.bt --limit 5',
      'npx remit invoices list --status pending,overdue --currency BTN --created-from 2026-03-01 --created-to 2026-03-31',
      'npx remit invoices list --all --json',
    ],
  },
  listOptions,
  columns,
  (remit, query: InvoiceListParams) => remit.invoices.list(query),
);

const get = getCommand('Show an invoice.', 'INVOICE', 'npx remit invoices get inv_…', (remit, id) =>
  remit.invoices.retrieve(id),
);

const updateOptions: Readonly<Record<string, OptionSpec>> = {
  amount: { value: 'AMOUNT', about: amountDescription, integer: true, amount: true },
  description: { value: 'TEXT', about: 'New description.' },
  'due-date': { value: 'ISO', about: 'New due date, for example 2099-01-31.' },
  locale: localeOption,
};

const update: CliCommand = {
  about: 'Change a pending invoice.',
  details:
    'Texts of the metadata that no option names stay as they are. Lines replace all lines of the invoice, and a buyer the former one.',
  operands: ['INVOICE'],
  options: {
    ...updateOptions,
    ...partialOption,
    ...wholeOption,
    ...remindersOption,
    ...buyerOptions,
    ...lineOption,
    ...metadataUpdateOptions,
    ...forceOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit invoices update inv_… --amount 260000 --due-date 2099-02-28',
    'npx remit invoices update inv_… --metadata orderId=1048 --remove-metadata draft',
  ],
  run: async (options) => {
    const fields = readFields<InvoiceUpdateParams>(options, updateOptions);
    const body = {
      ...fields,
      ...readPartial(options),
      ...readReminders(options),
      ...readBuyer(options),
      ...readLines(options),
      ...readMetadataUpdate(options),
    };
    requireChange(body, {
      ...updateOptions,
      ...partialOption,
      ...wholeOption,
      ...remindersOption,
      ...buyerOptions,
      ...lineOption,
      ...metadataUpdateOptions,
    });
    const { remit } = await connectApi();
    return resourceResult(
      await remit.invoices.update(options.required('INVOICE'), body, readChangeOptions(options)),
    );
  },
};

const cancel: CliCommand = {
  about: 'Cancel a pending or overdue invoice. This cannot be undone.',
  operands: ['INVOICE'],
  options: {
    'refund-payments': { about: 'Refund the payments of parts that the invoice has received.' },
    'credit-payments': { about: 'Keep these payments as credit of the customer, for later invoices.' },
    ...forceOption,
    ...idempotencyOption,
    ...yesOption,
  },
  examples: [
    'npx remit invoices cancel inv_…',
    'npx remit invoices cancel inv_… --force --yes',
    'npx remit invoices cancel inv_… --refund-payments',
    'npx remit invoices cancel inv_… --credit-payments',
  ],
  run: async (options) => {
    const payments = readPaymentsOfCancelled(options);
    const { remit, where } = await connectApi();
    const id = options.required('INVOICE');
    await confirmChange(options, async () => {
      // A key can have the permission to cancel, but not to read.
      const invoice = await remit.invoices.retrieve(id).catch(() => undefined);
      const details = invoice && ` over ${formatAmountCell(invoice)} for ${invoice.customerId}`;
      return `This cancels the invoice ${id}${details ?? ''} in ${where}. It cannot be undone.`;
    });
    return resourceResult(await remit.invoices.cancel(id, { ...readChangeOptions(options), payments }));
  },
};

/** @throws CommandError (usage) if both options are used */
function readPaymentsOfCancelled(options: ParsedOptions) {
  const [refund, credit] = ['refund-payments', 'credit-payments'].map((name) => options.flag(name));
  if (refund && credit) throw usageError('Use either --refund-payments or --credit-payments, not both.');
  return refund ? ('refund' as const) : credit ? ('credit' as const) : undefined;
}

const replaceOptions: Readonly<Record<string, OptionSpec>> = {
  'customer-id': { value: 'ID', about: 'Customer of the new invoice.' },
  currency: {
    value: 'CURRENCY',
    about: `New currency: ${currencies.join(', ')}. Amounts do not change with it.`,
  },
  ...updateOptions,
};

const replace: CliCommand = {
  about: 'Cancel a pending or overdue invoice, and create one with changes in its place.',
  details:
    'The new invoice takes over what no option names. The old payment link leads to its page, and it keeps your own reference. Without --due-date, it is due in 30 days if the old one was overdue.',
  operands: ['INVOICE'],
  options: {
    ...replaceOptions,
    ...lineOption,
    ...metadataUpdateOptions,
    ...forceOption,
    ...idempotencyOption,
    ...yesOption,
  },
  examples: [
    'npx remit invoices replace inv_… --customer-id pema@example.bt',
    'npx remit invoices replace inv_… --amount 260000 --due-date 2099-02-28 --yes',
  ],
  run: async (options) => {
    const fields = readFields<InvoiceReplaceParams>(options, replaceOptions);
    const body = { ...fields, ...readLines(options), ...readMetadataUpdate(options) };
    const { remit, where } = await connectApi();
    const id = options.required('INVOICE');
    await confirmChange(
      options,
      async () => `This cancels the invoice ${id} in ${where}, and creates another one. It cannot be undone.`,
    );
    return resourceResult(
      await remit.invoices.replace(id, body, { ...readChangeOptions(options), wait: true }),
    );
  },
};

const claimOption: Readonly<Record<string, OptionSpec>> = {
  claim: { value: 'CLAIM', about: 'Open claim of the invoice.', required: true },
};

const confirmClaim: CliCommand = {
  about: 'Say which recorded payment is what a payer claims to have paid by bank transfer.',
  details:
    'The claim is confirmed, and nothing is paid again. If you have not recorded the money yet, record it: remit invoices pay --offline --claim.',
  operands: ['INVOICE'],
  options: {
    ...claimOption,
    'payment-id': { value: 'PAYMENT', about: 'Payment that is the money of the claim.', required: true },
    ...idempotencyOption,
    ...yesOption,
  },
  examples: ['npx remit invoices confirm-claim inv_… --claim clm_… --payment-id pay_…'],
  run: async (options) => {
    const id = options.required('INVOICE');
    const body = { claimId: options.required('claim'), paymentId: options.required('payment-id') };
    const { remit, where } = await connectApi();
    await confirmChange(
      options,
      async () => `This confirms the claim ${body.claimId} in ${where}. It cannot be undone.`,
    );
    return resourceResult(await remit.invoices.confirmClaim(id, body, readWriteOptions(options)));
  },
};

const rejectClaim: CliCommand = {
  about: 'Reject what a payer claims to have paid by bank transfer.',
  details:
    'The payment page shows the reason, and the payer can claim again. To confirm a claim, record the payment: remit invoices pay --offline --claim. If it is recorded already, use remit invoices confirm-claim.',
  operands: ['INVOICE'],
  options: {
    ...claimOption,
    reason: { value: 'TEXT', about: 'Why, for the payer.', required: true },
    ...idempotencyOption,
    ...yesOption,
  },
  examples: ['npx remit invoices reject-claim inv_… --claim clm_… --reason "No such transfer has arrived"'],
  run: async (options) => {
    const id = options.required('INVOICE');
    const body = { claimId: options.required('claim'), reason: options.required('reason') };
    const { remit, where } = await connectApi();
    await confirmChange(
      options,
      async () => `This rejects the claim ${body.claimId} in ${where}. It cannot be undone.`,
    );
    return resourceResult(await remit.invoices.rejectClaim(id, body, readWriteOptions(options)));
  },
};

const amountOption: Readonly<Record<string, OptionSpec>> = {
  amount: {
    value: 'AMOUNT',
    about: `Part of what is due, if the invoice accepts parts, or more with --accept-over. Default: all. ${amountDescription}`,
    integer: true,
    amount: true,
  },
};

/** What says more about a payment outside the service. */
const offlineOptions: Readonly<Record<string, OptionSpec>> = {
  reference: { value: 'TEXT', about: 'Reference of the payment in your books. Requires --offline.' },
  'received-on': { value: 'DATE', about: 'Day on which you received the money. Default: not set.' },
  bank: { value: 'TEXT', about: 'Bank or way by which the money arrived.' },
  note: { value: 'TEXT', about: 'Note for the people of your account.' },
  claim: {
    value: 'CLAIM',
    about:
      'Open claim of the invoice that the payment confirms. Gives amount, bank, reference and day. Requires --offline.',
  },
};

export const payCommand: CliCommand = {
  about: 'Pay an invoice with a test card or with credit, or record a payment in cash or by bank transfer.',
  details: 'If the payment fails, the command shows the failed payment and exits with code 1.',
  operands: ['INVOICE'],
  options: {
    card: {
      value: 'NUMBER',
      about: `Number of a test card, in test mode only. Default: ${testCards[0]?.number}.`,
    },
    offline: { about: 'Record a payment in cash or by bank transfer. Works in both modes.' },
    credit: { about: 'Pay with credit of the customer. Works in both modes.' },
    'credit-from': {
      value: 'PAYMENT',
      about: 'Payment whose credit is used. Default: the oldest one with credit. Requires --credit.',
    },
    ...amountOption,
    ...offlineOptions,
    ...settleOptions,
    'allow-duplicate-reference': {
      about: 'Record it although another payment has this reference, or can be the money of the claim.',
    },
    'accept-over': {
      about:
        'Record more than what is due, also if the invoice is paid. The rest is kept as credit of the customer. Requires --offline.',
    },
    ...metadataOption,
    ...forceOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit invoices pay inv_…',
    'npx remit invoices pay inv_… --card 4000000000000002',
    'npx remit invoices pay inv_… --offline --reference "Receipt 17"',
    'npx remit invoices pay inv_… --offline --amount 100000',
    'npx remit invoices pay inv_… --offline --amount 300000 --accept-over',
    'npx remit invoices pay inv_… --offline --claim clm_…',
    'npx remit invoices pay inv_… --credit --amount 50000',
    'npx remit invoices pay inv_… --credit --credit-from pay_…',
    'npx remit invoices pay inv_… --offline --write-off 25000 --write-off-reason tds',
  ],
  run: async (options) => {
    const way = readWay(options);
    const received = readFields<Partial<OfflinePaymentCreateParams>>(options, offlineOptions);
    const card = readCard(options);
    const metadata = readMetadata(options);
    const [detail] = Object.keys({ ...offlineOptions, ...settleOptions }).filter(
      (name) => options.optional(name) !== undefined,
    );
    const over = options.flag('accept-over') ? 'accept-over' : undefined;
    if (way !== 'offline' && (detail ?? over) !== undefined)
      throw usageError(`--${detail ?? over} requires --offline.`);
    const { remit, isLive } = await connectApi();
    if (isLive && way === 'card')
      throw usageError(
        'This is a live key. Customers pay by card on the payment page. To record a payment, use --offline or --credit.',
      );
    const invoice = {
      invoiceId: options.required('INVOICE'),
      ...readFields<{ amount?: number }>(options, amountOption),
    };
    const common = { ...invoice, ...metadata };
    const creditFrom = options.optional('credit-from');
    const bodies: Readonly<Record<typeof way, PaymentCreateParams>> = {
      card: { ...common, method: 'card', card },
      credit: { ...common, method: 'credit', ...(creditFrom !== undefined && { creditFrom }) },
      offline: {
        ...common,
        method: 'offline',
        ...received,
        ...readSettle(options),
        ...readDuplicate(options),
        ...(over && { acceptOver: true }),
      },
    };
    const payment = await remit.payments.create(bodies[way], readChangeOptions(options));
    return { ...resourceResult(payment), failed: payment.status === 'failed' };
  },
};

/** @throws CommandError (usage) if options of several ways are used */
function readWay(options: ParsedOptions): 'card' | 'credit' | 'offline' {
  const [offline, credit] = ['offline', 'credit'].map((name) => options.flag(name));
  const isSeveral = [offline, credit, options.optional('card') !== undefined].filter(Boolean).length > 1;
  if (isSeveral) throw usageError('Use one of --card, --offline and --credit.');
  if (!credit && options.optional('credit-from') !== undefined)
    throw usageError('--credit-from requires --credit.');
  return offline ? 'offline' : credit ? 'credit' : 'card';
}

const readDuplicate = (options: ParsedOptions) =>
  options.flag('allow-duplicate-reference') ? { allowDuplicateReference: true } : {};

/** Accepts test cards only: arguments must not contain real card numbers, and the API rejects them. */
function readCard(options: ParsedOptions) {
  const [first, ...others] = testCards.map(({ number }) => number);
  const number = options.optional('card')?.replaceAll(' ', '');
  return testCardDetails(
    number === undefined ? String(first) : parseChoice('card', number, [String(first), ...others]),
  );
}

/** Returns the card data of an API request. */
export function testCardDetails(number: string) {
  return { number, expMonth: 12, expYear: new Date().getUTCFullYear() + 1, cvc: '123' };
}

export const invoiceCommands: CommandGroup = {
  about: 'Create, list, show, change, cancel, replace and pay invoices.',
  details: apiHelp,
  commands: withProfileOption({
    create,
    list,
    get,
    update,
    cancel,
    replace,
    pay: payCommand,
    'confirm-claim': confirmClaim,
    'reject-claim': rejectClaim,
  }),
};
