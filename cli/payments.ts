/** Defines `remit payments`: lists and shows payments. `remit invoices pay` and the payment page create them. */
import type { Payment, PaymentListParams } from '../client/src/remit.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import {
  type Columns,
  factOptions,
  formatAmountCell,
  listResult,
  pageOptions,
  readFields,
  resourceResult,
} from './resources.ts';

const columns: Columns<Payment> = {
  PAYMENT: ({ id }) => id,
  STATUS: ({ status }) => status,
  AMOUNT: formatAmountCell,
  METHOD: ({ method, card }) => (card ? `${card.brand} ${card.last4}` : method),
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
  ...factOptions,
  ...pageOptions,
};

const list: CliCommand = {
  about: 'List payments, newest first.',
  options: listOptions,
  examples: ['npx remit payments list', 'npx remit payments list --invoice-id inv_… --status completed'],
  run: async (options) => {
    const query = readFields<PaymentListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.payments.list(query), options, columns);
  },
};

const get: CliCommand = {
  about: 'Show a payment.',
  operands: ['PAYMENT'],
  examples: ['npx remit payments get pay_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.payments.retrieve(options.required('PAYMENT')));
  },
};

export const paymentCommands: CommandGroup = {
  about: 'List and show payments. To make a payment, run npx remit invoices pay.',
  details: apiHelp,
  commands: withProfileOption({ list, get }),
};
