/** `remit invoices`. */
import type {
  Invoice,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoiceUpdateParams,
} from '../client/src/remit.ts';
import { currencies } from '../shared/money.ts';
import { testCards } from '../shared/payments/test-cards.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { type Command, type Group, type Option, type Options, oneOf, usageError } from './command.ts';
import {
  amountAbout,
  amountOf,
  type Columns,
  fieldsOf,
  listResult,
  pageOptions,
  requireSome,
  resourceResult,
  writeOption,
  writeOptions,
} from './resources.ts';

const columns: Columns<Invoice> = {
  INVOICE: ({ id }) => id,
  STATUS: ({ status }) => status,
  AMOUNT: amountOf,
  DUE: ({ dueDate }) => dueDate.slice(0, 10),
  CUSTOMER: ({ customerId }) => customerId,
  DESCRIPTION: ({ description }) => description,
};

const createOptions: Readonly<Record<string, Option>> = {
  'customer-id': { value: 'ID', about: 'who pays: an e-mail address, or an id of your own', required: true },
  amount: { value: 'AMOUNT', about: amountAbout, required: true, integer: true },
  currency: { value: 'CURRENCY', about: `one of ${currencies.join(', ')}`, required: true },
  description: { value: 'TEXT', about: 'what it is for, as the customer reads it', required: true },
  'due-date': { value: 'ISO', about: 'when it is due, such as 2099-01-31; default in 30 days' },
};

const create: Command = {
  about: 'A new invoice, with the address of the page where the customer pays.',
  options: { ...createOptions, ...writeOption },
  examples: [
    'npx remit invoices create --customer-id dorji@example.bt --amount 250000 --currency BTN --description "Website design"',
    'npx remit invoices create --customer-id c_7 --amount 900 --currency USD --description Tea --due-date 2099-01-31 --json',
  ],
  run: async (options) => {
    const body = fieldsOf<InvoiceCreateParams>(options, createOptions);
    const { remit } = await connectApi();
    return resourceResult(await remit.invoices.create(body, writeOptions(options)));
  },
};

const listOptions: Readonly<Record<string, Option>> = {
  status: { value: 'STATUS', about: 'only pending, paid, overdue or cancelled ones' },
  'customer-id': { value: 'ID', about: "only this customer's" },
  ...pageOptions,
};

const list: Command = {
  about: 'Invoices, newest first.',
  options: listOptions,
  examples: [
    'npx remit invoices list',
    'npx remit invoices list --status pending --customer-id dorji@example.bt --limit 5',
    'npx remit invoices list --all --json',
  ],
  run: async (options) => {
    const query = fieldsOf<InvoiceListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.invoices.list(query), options, columns);
  },
};

const get: Command = {
  about: 'One invoice.',
  operands: ['INVOICE'],
  examples: ['npx remit invoices get inv_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.invoices.retrieve(options.required('INVOICE')));
  },
};

const updateOptions: Readonly<Record<string, Option>> = {
  amount: { value: 'AMOUNT', about: amountAbout, integer: true },
  description: { value: 'TEXT', about: 'what it is for' },
  'due-date': { value: 'ISO', about: 'when it is due' },
};

const update: Command = {
  about: 'Changes a pending invoice.',
  operands: ['INVOICE'],
  options: { ...updateOptions, ...writeOption },
  examples: ['npx remit invoices update inv_… --amount 260000 --due-date 2099-02-28'],
  run: async (options) => {
    const body = fieldsOf<InvoiceUpdateParams>(options, updateOptions);
    requireSome(body, updateOptions);
    const { remit } = await connectApi();
    return resourceResult(
      await remit.invoices.update(options.required('INVOICE'), body, writeOptions(options)),
    );
  },
};

const cancel: Command = {
  about: 'Cancels a pending or overdue invoice, for good.',
  operands: ['INVOICE'],
  options: writeOption,
  examples: ['npx remit invoices cancel inv_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.invoices.cancel(options.required('INVOICE'), writeOptions(options)));
  },
};

const pay: Command = {
  about: 'Pays an invoice: by a test card in test mode, or by recording money that came another way.',
  details: 'A payment that fails is shown, and the exit code is 1.',
  operands: ['INVOICE'],
  options: {
    card: { value: 'NUMBER', about: `a test card; default ${testCards[0]?.number}` },
    offline: { about: 'records money received in cash or by bank transfer, in both modes' },
    reference: { value: 'TEXT', about: 'with --offline: how it is found in your books' },
    ...writeOption,
  },
  examples: [
    'npx remit invoices pay inv_…',
    'npx remit invoices pay inv_… --card 4000000000000002',
    'npx remit invoices pay inv_… --offline --reference "Receipt 17"',
  ],
  run: async (options) => {
    const offline = options.flag('offline');
    const reference = options.optional('reference');
    const card = cardOf(options);
    if (!offline && reference !== undefined) throw usageError('--reference goes with --offline.');
    const { remit, isLive } = await connectApi();
    if (isLive && !offline)
      throw usageError(
        'This is a live key: customers pay by card on the page of the invoice; --offline records.',
      );
    const invoiceId = options.required('INVOICE');
    const payment = await remit.payments.create(
      offline
        ? { invoiceId, method: 'offline', ...(reference && { reference }) }
        : { invoiceId, method: 'card', card },
      writeOptions(options),
    );
    return { ...resourceResult(payment), failed: payment.status === 'failed' };
  },
};

/** Other cards have no business in arguments, and the API would refuse them. */
function cardOf(options: Options) {
  const [first, ...others] = testCards.map(({ number }) => number);
  const given = options.optional('card')?.replaceAll(' ', '');
  if (given !== undefined && options.flag('offline'))
    throw usageError('Use either --card or --offline, not both.');
  return testCard(given === undefined ? String(first) : oneOf('card', given, [String(first), ...others]));
}

/** Card data as the API takes it. */
export function testCard(number: string) {
  return { number, expMonth: 12, expYear: new Date().getUTCFullYear() + 1, cvc: '123' };
}

export const invoices: Group = {
  about: 'Invoices: create, look at, change, cancel and pay them.',
  details: apiHelp,
  commands: { create, list, get, update, cancel, pay },
};
