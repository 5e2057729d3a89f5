/** Defines `remit refunds`: creates, lists and shows refunds. */
import type { Payment, Refund, RefundCreateParams, RefundListParams } from '../client/src/remit.ts';
import { formatAmount } from '../shared/base/money.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { metadataOption, readMetadata } from './metadata.ts';
import {
  amountDescription,
  type Columns,
  factOptions,
  formatAmountCell,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readFields,
  readWriteOptions,
  resourceResult,
} from './resources.ts';

const columns: Columns<Refund> = {
  REFUND: ({ id }) => id,
  STATUS: ({ status }) => status,
  AMOUNT: formatAmountCell,
  CREATED: ({ createdAt }) => createdAt,
  PAYMENT: ({ paymentId }) => paymentId,
  REASON: ({ reason }) => reason ?? '',
};

const createOptions: Readonly<Record<string, OptionSpec>> = {
  'payment-id': { value: 'PAYMENT', about: 'ID of the completed payment (pay_…).', required: true },
  amount: {
    value: 'AMOUNT',
    about: `${amountDescription} Default: the whole remaining amount.`,
    integer: true,
    amount: true,
  },
  reason: { value: 'TEXT', about: 'Reason for the refund.' },
};

const create: CliCommand = {
  about: 'Refund a payment in full or in part.',
  details:
    'The refund is pending at first. The service processes it shortly afterwards. For an offline payment, it records that you have returned the money: the service moves no money.',
  options: { ...createOptions, ...metadataOption, ...idempotencyOption, ...yesOption },
  examples: [
    'npx remit refunds create --payment-id pay_…',
    'npx remit refunds create --payment-id pay_… --amount 10000 --reason "Two hours less"',
  ],
  run: async (options) => {
    const fields = readFields<RefundCreateParams>(options, createOptions);
    const body = { ...fields, ...readMetadata(options) };
    const { remit, where } = await connectApi();
    await confirmChange(options, async () => {
      // A key can have the permission to refund, but not to read payments.
      const payment = await remit.payments.retrieve(body.paymentId).catch(() => undefined);
      return `${describeRefund(body, payment)} in ${where}. It cannot be undone.`;
    });
    return resourceResult(await remit.refunds.create(body, readWriteOptions(options)));
  },
};

function describeRefund({ paymentId, amount }: RefundCreateParams, payment: Payment | undefined): string {
  if (!payment) return `This refunds ${amount ?? 'the whole remaining amount'} of the payment ${paymentId}`;
  const refunded = formatAmount(amount ?? payment.amount - payment.amountRefunded, payment.currency);
  if (payment.method === 'offline')
    return `This records that you have returned ${refunded} of ${formatAmountCell(payment)} to ${payment.customerId} (${paymentId})`;
  return `This refunds ${refunded} of ${formatAmountCell(payment)} to ${payment.customerId} (${paymentId})`;
}

const listOptions: Readonly<Record<string, OptionSpec>> = {
  status: {
    value: 'STATUS',
    about: 'Only refunds with this status: pending, processed or failed. Separate several with commas.',
  },
  'payment-id': { value: 'PAYMENT', about: 'Only refunds of this payment.' },
  'invoice-id': { value: 'INVOICE', about: 'Only refunds of this invoice.' },
  ...factOptions,
  ...pageOptions,
};

const list = listCommand(
  {
    about: 'List refunds, newest first.',
    examples: ['npx remit refunds list', 'npx remit refunds list --payment-id pay_… --json'],
  },
  listOptions,
  columns,
  (remit, query: RefundListParams) => remit.refunds.list(query),
);

const get = getCommand('Show a refund.', 'REFUND', 'npx remit refunds get ref_…', (remit, id) =>
  remit.refunds.retrieve(id),
);

export const refundCommands: CommandGroup = {
  about: 'Create, list and show refunds.',
  details: apiHelp,
  commands: withProfileOption({ create, list, get }),
};
