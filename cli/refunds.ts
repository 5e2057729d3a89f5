/** `remit refunds`. */
import type { Refund, RefundCreateParams, RefundListParams } from '../client/src/remit.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import type { Command, Group, Option } from './command.ts';
import {
  amountAbout,
  amountOf,
  type Columns,
  fieldsOf,
  listResult,
  pageOptions,
  resourceResult,
  writeOption,
  writeOptions,
} from './resources.ts';

const columns: Columns<Refund> = {
  REFUND: ({ id }) => id,
  STATUS: ({ status }) => status,
  AMOUNT: amountOf,
  CREATED: ({ createdAt }) => createdAt,
  PAYMENT: ({ paymentId }) => paymentId,
  REASON: ({ reason }) => reason ?? '',
};

const createOptions: Readonly<Record<string, Option>> = {
  'payment-id': { value: 'PAYMENT', about: 'the completed payment, pay_…', required: true },
  amount: { value: 'AMOUNT', about: `${amountAbout}; default all that is left`, integer: true },
  reason: { value: 'TEXT', about: 'why' },
};

const create: Command = {
  about: 'Refunds a payment or a part of it; pending at first, processed a moment later.',
  options: { ...createOptions, ...writeOption },
  examples: [
    'npx remit refunds create --payment-id pay_…',
    'npx remit refunds create --payment-id pay_… --amount 10000 --reason "Two hours less"',
  ],
  run: async (options) => {
    const body = fieldsOf<RefundCreateParams>(options, createOptions);
    const { remit } = await connectApi();
    return resourceResult(await remit.refunds.create(body, writeOptions(options)));
  },
};

const listOptions: Readonly<Record<string, Option>> = {
  status: { value: 'STATUS', about: 'only pending, processed or failed ones' },
  'payment-id': { value: 'PAYMENT', about: "only this payment's" },
  'invoice-id': { value: 'INVOICE', about: "only this invoice's" },
  ...pageOptions,
};

const list: Command = {
  about: 'Refunds, newest first.',
  options: listOptions,
  examples: ['npx remit refunds list', 'npx remit refunds list --payment-id pay_… --json'],
  run: async (options) => {
    const query = fieldsOf<RefundListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.refunds.list(query), options, columns);
  },
};

const get: Command = {
  about: 'One refund.',
  operands: ['REFUND'],
  examples: ['npx remit refunds get ref_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.refunds.retrieve(options.required('REFUND')));
  },
};

export const refunds: Group = {
  about: 'Refunds of payments.',
  details: apiHelp,
  commands: { create, list, get },
};
