/** Holds the description and an example of each query and path parameter. A parameter without a description does not compile. */

import type * as v from 'valibot';
import type { ResourceWithId } from '../../base/ids.ts';
import { currencies } from '../../base/money.ts';
import { statuses } from '../../base/statuses.ts';
import type { routes } from '../routes.ts';
import { documentExamples } from './document-field-texts.ts';
import type { SchemaObject } from './document-types.ts';
import { exportExample } from './export-field-texts.ts';
import { dateOrTime } from './keywords.ts';
import { mailExample } from './mail-field-texts.ts';
import type { OperationName } from './operation-errors.ts';
import { scheduleExample } from './schedule-field-texts.ts';
import { statementExample, statementExamples } from './statement-field-texts.ts';

export interface ParameterText {
  readonly description: string;
  readonly example: unknown;
  /** Replaces the schema of the route, if that describes the parameter as a text only. */
  readonly schema?: SchemaObject;
  /** `false` for an array whose members are separated by commas. */
  readonly explode?: false;
}

type Routes = typeof routes;
type QueryOf<Name extends OperationName> = Routes[Name] extends {
  readonly query: infer Query extends v.GenericSchema;
}
  ? Required<v.InferInput<Query>>
  : Record<never, never>;
/** The operations with query parameters. */
type OperationWithQuery = {
  [Name in OperationName]: Routes[Name] extends { readonly query: v.GenericSchema } ? Name : never;
}[OperationName];

const limit = { description: 'The maximum number of items on a page.', example: 50 };
const offset = {
  description: 'The number of items to skip. A high offset is as fast as a low one.',
  example: 100,
};
const customerId = {
  description:
    'Return only items of this customer. Email addresses are compared case-insensitively. In a URL, encode `+` as `%2B`.',
  example: 'dorji@example.bt',
};
const invoiceId = {
  description: 'Return only items of this invoice.',
  example: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
};

const amountOf = (records: string): ParameterText => ({
  description: `Return only ${records} of this amount, in the smallest unit of their currency. If more than 5,000 invoices, payments and refunds have it, \`invalid_amount\` asks for \`createdFrom\` and \`createdTo\`. So it does if more than 1,000 ${records} are to be compared with other filters. One is found some seconds after it is made.`,
  example: 250_000,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
});

const force = {
  description:
    'Go on although an earlier payment on the page of a payment provider has no outcome yet, for example because the provider does not answer. Money of this payment that still arrives pays the invoice if it is open and unchanged. Otherwise it is refunded automatically.',
  example: 'payment_in_progress',
};

const payments = {
  description:
    'What happens to the payments of parts that the invoice has received. `refund` refunds what is left of each. `credit` keeps it as credit of the customer. Required if there are any.',
  example: 'refund',
};

const statusOf = (resource: keyof typeof statuses, example: readonly string[]): ParameterText => ({
  description: `Return only ${resource}s with this status.`,
  example,
  explode: false,
  schema: { type: 'array', items: { type: 'string', enum: statuses[resource] } },
});
const rangeTexts = {
  createdFrom: {
    description:
      'Return only items that were created at this time or later. Send a date and time of RFC 3339, or a date, which begins at midnight in UTC. In a URL, encode `+` as `%2B`.',
    example: '2026-03-01',
    schema: dateOrTime,
  },
  createdTo: {
    description:
      'Return only items that were created at this time or earlier. Send a date and time of RFC 3339, or a date, which includes the whole day in UTC.',
    example: '2026-03-31',
    schema: dateOrTime,
  },
};
/** The filters by what never changes. */
const factTexts = {
  currency: { description: 'Return only items in this currency.', example: currencies[0] },
  ...rangeTexts,
};

const documentQueries = {
  limit,
  kind: { description: 'Return only documents of this kind.', example: 'credit_note' },
  before: {
    description: 'Return only documents older than this one. Use the `next` value of the previous page.',
    example: documentExamples.summary.id,
  },
};

const mailQueries = {
  limit,
  before: {
    description: 'Return only mails older than this one. Use the `next` value of the previous page.',
    example: mailExample.id,
  },
};

export const queryTexts: {
  readonly [Name in OperationWithQuery]: Readonly<Record<keyof QueryOf<Name>, ParameterText>>;
} = {
  updateInvoice: { force },
  cancelInvoice: { force, payments },
  replaceInvoice: { force },
  createPayment: { force },
  listInvoices: {
    limit,
    offset,
    status: statusOf('invoice', ['pending', 'overdue']),
    customerId,
    reference: {
      description:
        'Return only the invoice that you created with this `reference`. It is compared exactly. In a URL, encode it, for example `+` as `%2B`.',
      example: 'INV-2026-0042',
    },
    amount: amountOf('invoices'),
    paymentReference: {
      description:
        'Return only the invoice with this payment reference: the short text on its payment page, which payers give with a bank transfer. Case, hyphens and spaces do not matter. A reference with a wrong or swapped character is refused.',
      example: 'R7K2-M9QX',
    },
    ...factTexts,
  },
  listPayments: {
    limit,
    offset,
    status: statusOf('payment', ['completed']),
    invoiceId,
    customerId,
    amount: amountOf('payments'),
    reference: {
      description:
        'Return only payments with this `reference`, such as the journal number of a bank. Case, hyphens and spaces do not matter. A payment is found some seconds after it is made.',
      example: 'FT26031598',
    },
    method: {
      description: 'Return only payments with this method. Needs `amount`, `reference` or `receivedOn`.',
      example: 'offline',
    },
    receivedOn: {
      description:
        'Return only payments with this `receivedOn`: a day, or the first and the last of at most 92 days. Those of the last day come first. If more than 5,000 payments have it, or more than 1,000 are to be compared with other filters, `invalid_received_on` asks for fewer days. A payment is found some seconds after it is made.',
      example: '2026-03-01/2026-03-31',
      schema: { type: 'string' },
    },
    ...factTexts,
  },
  listRefunds: {
    limit,
    offset,
    status: statusOf('refund', ['processed']),
    paymentId: {
      description: 'Return only refunds of this payment.',
      example: 'pay_4c8r1ynd6t9x2m0gwqk7zhve3b',
    },
    invoiceId,
    ...factTexts,
  },
  listCustomers: {
    limit,
    offset,
    email: {
      description:
        'Return only customers with this email address. Case does not matter. In a URL, encode `+` as `%2B`.',
      example: 'dorji@example.bt',
    },
    reference: {
      description:
        'Return only customers with this `reference`. It is compared exactly. In a URL, encode it, for example `+` as `%2B`.',
      example: 'C-0042',
    },
    name: {
      description:
        'Return only customers whose name has a word that begins with each of these words. Case and accents do not matter. A word of two letters must be whole. Of the newest 10,000 customers with such a beginning.',
      example: 'wangmo',
    },
    ...rangeTexts,
  },
  listProducts: { limit, offset },
  listDrafts: { limit, offset },
  listSchedules: { limit, offset },
  listScheduleOccurrences: {
    limit,
    before: {
      description: 'Return only times before this number. Use the `next` value of the previous page.',
      example: '3',
    },
  },
  listStatements: { limit, offset },
  listExports: { limit, offset },
  listStatementRows: {
    limit,
    offset,
    status: { description: 'Return only rows with this status.', example: 'unmatched' },
  },
  matchStatementRow: { force },
  linkStatementFile: {
    size: {
      description:
        'How many bytes the file has, at most 10,485,760. Another length is refused at the upload.',
      example: 81_920,
      schema: { type: 'integer', minimum: 1, maximum: 10_485_760 },
    },
  },
  previewStatementFile: {
    file: { description: 'The ID of the uploaded file.', example: statementExamples.fileLink.file },
    currency: { description: 'The currency of the account at the bank.', example: 'BTN' },
    mapping: {
      description:
        'The names of the columns of a CSV file as JSON, as in `mapping` of a statement. A field that you leave out is recognized, and one that is null has no column.',
      example: '{"day":"Txn Date"}',
      schema: { type: 'string' },
    },
  },
  listWebhooks: { limit, offset },
  listDeliveries: {
    limit,
    status: { description: 'Return only deliveries with this status.', example: 'failed' },
    before: {
      description: 'Return only deliveries older than this one. Use the `next` value of the previous page.',
      example: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d',
    },
  },
  listDocuments: documentQueries,
  getDocumentPdf: {
    paper: { description: 'The size of the paper.', example: 'a4' },
    locale: {
      description: 'The language: English, Dzongkha or Hindi. Only the English document counts.',
      example: 'en',
    },
  },
  listInvoiceDocuments: documentQueries,
  listInvoiceMails: mailQueries,
  listMails: mailQueries,
  listEvents: {
    limit,
    type: { description: 'Return only events of this type.', example: 'invoice.paid' },
    before: {
      description:
        'Return only events older than this one. Use the `next` value of the previous page. You cannot combine it with `after`.',
      example: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
    },
    after: {
      description:
        'Return only events after this one, oldest first. Use the `next` value of the previous page, or `start` to begin with the oldest event. You cannot combine it with `before`.',
      example: 'start',
    },
  },
  listApiKeys: {
    limit,
    offset,
    status: { description: 'Return only keys with this status.', example: 'active' },
  },
  listJournal: {
    limit,
    after: {
      description: 'Return only entries after this position. Use the `next` value of the previous page.',
      example: '1027',
    },
  },
  searchRecords: {
    q: {
      description: 'The text. An amount has the form `1250`, `1,250.00` or `Nu. 1250`.',
      example: '1,250.00',
    },
  },
  getSummary: {
    from: {
      description: 'The first day. By default, the first of the eleventh month before `to`.',
      example: '2026-01-01',
    },
    to: { description: 'The last day. By default, today.', example: '2026-12-31' },
    by: { description: 'The length of a period. Weeks begin on Monday.', example: 'month' },
    currency: { description: 'Return only the figures of this currency.', example: 'BTN' },
  },
  getBalance: {
    customerId: {
      description:
        'The customer. Email addresses are compared case-insensitively. In a URL, encode `+` as `%2B`.',
      example: 'dorji@example.bt',
    },
  },
  listAuditLog: {
    limit,
    before: {
      description: 'Return only entries older than this one. Use the `next` value of the previous page.',
      example: 'aud_1jc2x0nkfcq2z4v9c1xt6nbm3r',
    },
    actor: {
      description: 'Return only operations of the actor with this ID.',
      example: 'key_4c8r1ynd6t9x2m0g',
    },
    action: { description: 'Return only operations of this kind.', example: 'webhook.update' },
    resource: {
      description: 'Return only operations on the resource with this ID.',
      example: 'wh_3n7x0tq9e4hb6w2kvz8m5cjd1r',
    },
  },
};

/** The texts of path parameters, by the path segment before the parameter, and the resource whose ID they contain. */
export const pathTexts: Readonly<Record<string, ParameterText & { readonly resource: ResourceWithId }>> = {
  invoices: {
    resource: 'invoice',
    description: 'The ID of the invoice.',
    example: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  },
  payments: {
    resource: 'payment',
    description: 'The ID of the payment.',
    example: 'pay_4c8r1ynd6t9x2m0gwqk7zhve3b',
  },
  refunds: {
    resource: 'refund',
    description: 'The ID of the refund.',
    example: 'ref_8w5d2kj7h0qz4v9c1xt6nbm3re',
  },
  customers: {
    resource: 'customer',
    description: 'The ID of the customer.',
    example: 'cust_5h0m3rz8v1k6xq2nwd9tj4c7be',
  },
  products: {
    resource: 'product',
    description: 'The ID of the product.',
    example: 'prod_3k9w1xh6q0mz4tv8c2jr5nbd7e',
  },
  mails: {
    resource: 'mail',
    description: 'The ID of the mail.',
    example: mailExample.id,
  },
  drafts: {
    resource: 'draft',
    description: 'The ID of the draft.',
    example: 'drft_2w7c0kz5h9m4xq8nvd3tj6r1be',
  },
  schedules: {
    resource: 'schedule',
    description: 'The ID of the schedule.',
    example: scheduleExample.id,
  },
  statements: {
    resource: 'statement',
    description: 'The ID of the statement.',
    example: statementExample.id,
  },
  exports: {
    resource: 'export',
    description: 'The ID of the export.',
    example: exportExample.id,
  },
  rows: {
    resource: 'statementRow',
    description: 'The ID of the row.',
    example: statementExamples.row.id,
  },
  documents: {
    resource: 'document',
    description: 'The ID of the document.',
    example: documentExamples.summary.id,
  },
  webhooks: {
    resource: 'webhook',
    description: 'The ID of the webhook endpoint.',
    example: 'wh_3n7x0tq9e4hb6w2kvz8m5cjd1r',
  },
  deliveries: {
    resource: 'delivery',
    description: 'The ID of the delivery.',
    example: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d',
  },
  keys: {
    resource: 'key',
    description: 'The ID of the API key.',
    example: 'key_4c8r1ynd6t9x2m0g',
  },
  events: {
    resource: 'event',
    description: 'The ID of the event.',
    example: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  },
};
