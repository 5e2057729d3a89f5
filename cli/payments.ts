/** Defines `remit payments`: creates, lists, shows, resolves and voids payments. */
import type { Payment, PaymentListParams, PaymentResolveParams } from '../client/src/remit.ts';
import { brandNameOf } from '../shared/domain/payments/provider/card-brands.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { payCommand } from './invoices.ts';
import {
  amountDescription,
  type Columns,
  factOptions,
  formatAmountCell,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readWriteOptions,
  resourceResult,
} from './resources.ts';

const columns: Columns<Payment> = {
  PAYMENT: ({ id }) => id,
  STATUS: ({ status, voidedAt }) => (voidedAt ? 'voided' : status),
  AMOUNT: formatAmountCell,
  METHOD: ({ method, card }) => (card ? `${brandNameOf(card.brand)} ${card.last4}` : method),
  CREATED: ({ createdAt }) => createdAt,
  INVOICE: ({ invoiceId }) => invoiceId,
  CUSTOMER: ({ customerId }) => customerId,
};

const listOptions: Readonly<Record<string, OptionSpec>> = {
  status: {
    value: 'STATUS',
    about: 'Only payments with this status: pending, completed or failed. Separate several with commas.',
  },
  'invoice-id': { value: 'INVOICE', about: 'Only payments of this invoice.' },
  'customer-id': { value: 'ID', about: 'Only payments of this customer.' },
  amount: { value: 'AMOUNT', about: `Only payments of this amount. ${amountDescription}`, integer: true },
  reference: {
    value: 'TEXT',
    about: 'Only payments with this reference, such as the journal number of a bank.',
  },
  method: {
    value: 'METHOD',
    about: 'Only payments by offline, card or provider. Needs --amount, --reference or --received-on.',
  },
  'received-on': {
    value: 'DAYS',
    about:
      'Only payments that you received on this day, or from the first to the last of up to 92 days: FIRST/LAST.',
  },
  ...factOptions,
  ...pageOptions,
};

/** The same as `remit invoices pay`. */
const create: CliCommand = {
  ...payCommand,
  examples: payCommand.examples.map((example) => example.replace('invoices pay', 'payments create')),
};

const list = listCommand(
  {
    about: 'List payments, newest first.',
    examples: ['npx remit payments list', 'npx remit payments list --invoice-id inv_… --status completed'],
  },
  listOptions,
  columns,
  (remit, query: PaymentListParams) => remit.payments.list(query),
);

const get = getCommand('Show a payment.', 'PAYMENT', 'npx remit payments get pay_…', (remit, id) =>
  remit.payments.retrieve(id),
);

const resolve: CliCommand = {
  about: 'Accept or refund a payment of another amount than that of its invoice.',
  details:
    'Such a payment stays pending, with the pendingReason amount_differs, until you decide. To accept it completes the payment and pays the invoice. What is missing is written off. To refund it returns all of its money.',
  operands: ['PAYMENT'],
  options: {
    action: { value: 'ACTION', about: 'What to do: accept or refund.', required: true },
    ...idempotencyOption,
    ...yesOption,
  },
  examples: ['npx remit payments resolve pay_… --action accept'],
  run: async (options) => {
    const id = options.required('PAYMENT');
    const action = options.required('action') as PaymentResolveParams['action'];
    const { remit, where } = await connectApi();
    await confirmChange(
      options,
      async () => `This decides to ${action} the payment ${id} in ${where}. It cannot be undone.`,
    );
    return resourceResult(await remit.payments.resolve(id, { action }, readWriteOptions(options)));
  },
};

const voidCommand: CliCommand = {
  about: 'Void a payment that was received outside Remit and recorded by mistake.',
  details:
    'Its invoice no longer counts it, and its bank reference can be recorded again. A paid invoice is credited in full, and another one with the same content replaces it, which has its other payments. A payment that has refunds is refunded instead.',
  operands: ['PAYMENT'],
  options: {
    reason: { value: 'TEXT', about: 'Why the payment does not count. Payers never see it.', required: true },
    ...idempotencyOption,
    ...yesOption,
  },
  examples: ['npx remit payments void pay_… --reason "Typed the wrong amount"'],
  run: async (options) => {
    const id = options.required('PAYMENT');
    const reason = options.required('reason');
    const { remit, where } = await connectApi();
    await confirmChange(
      options,
      async () => `This voids the payment ${id} in ${where}. It cannot be undone.`,
    );
    return resourceResult(await remit.payments.void(id, { reason }, readWriteOptions(options)));
  },
};

export const paymentCommands: CommandGroup = {
  about: 'Create, list, show, resolve and void payments.',
  details: apiHelp,
  commands: withProfileOption({ create, list, get, resolve, void: voidCommand }),
};
