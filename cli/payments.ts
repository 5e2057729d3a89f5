/** `remit payments`. They are made by `remit invoices pay` and on the payment page. */
import type { Payment, PaymentListParams } from '../client/src/remit.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import type { Command, Group, Option } from './command.ts';
import { amountOf, type Columns, fieldsOf, listResult, pageOptions, resourceResult } from './resources.ts';

const columns: Columns<Payment> = {
  PAYMENT: ({ id }) => id,
  STATUS: ({ status }) => status,
  AMOUNT: amountOf,
  METHOD: ({ method, card }) => (card ? `${card.brand} ${card.last4}` : method),
  CREATED: ({ createdAt }) => createdAt,
  INVOICE: ({ invoiceId }) => invoiceId,
  CUSTOMER: ({ customerId }) => customerId,
};

const listOptions: Readonly<Record<string, Option>> = {
  status: { value: 'STATUS', about: 'only pending, completed or failed ones' },
  'invoice-id': { value: 'INVOICE', about: "only this invoice's" },
  'customer-id': { value: 'ID', about: "only this customer's" },
  ...pageOptions,
};

const list: Command = {
  about: 'Payments, newest first.',
  options: listOptions,
  examples: ['npx remit payments list', 'npx remit payments list --invoice-id inv_… --status completed'],
  run: async (options) => {
    const query = fieldsOf<PaymentListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.payments.list(query), options, columns);
  },
};

const get: Command = {
  about: 'One payment.',
  operands: ['PAYMENT'],
  examples: ['npx remit payments get pay_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.payments.retrieve(options.required('PAYMENT')));
  },
};

export const payments: Group = {
  about: 'Payments; npx remit invoices pay makes one.',
  details: apiHelp,
  commands: { list, get },
};
