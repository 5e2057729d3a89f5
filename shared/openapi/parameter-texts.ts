/** The parameters of queries and paths: what each means, and an example. A parameter without a text does not compile. */
import type * as v from 'valibot';
import type { routes } from '../routes.ts';
import type { OperationName } from './operation-errors.ts';

export interface ParameterText {
  readonly description: string;
  readonly example: unknown;
}

type Routes = typeof routes;
type QueryOf<Name extends OperationName> = Routes[Name] extends {
  readonly query: infer Query extends v.GenericSchema;
}
  ? Required<v.InferInput<Query>>
  : Record<never, never>;
type Listing = {
  [Name in OperationName]: Routes[Name] extends { readonly query: v.GenericSchema } ? Name : never;
}[OperationName];

const limit = { description: 'How many items a page has at most.', example: 50 };
const offset = {
  description: 'How many items to skip. Deep offsets cost no more than shallow ones.',
  example: 100,
};
const customerId = {
  description:
    'Only those of this customer. E-mail addresses compare without regard to case. In a URL, `+` is spelled `%2B`.',
  example: 'dorji@example.bt',
};
const invoiceId = { description: 'Only those of this invoice.', example: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a' };

export const queryTexts: {
  readonly [Name in Listing]: Readonly<Record<keyof QueryOf<Name>, ParameterText>>;
} = {
  listInvoices: {
    limit,
    offset,
    status: { description: 'Only those with this status.', example: 'pending' },
    customerId,
  },
  listPayments: {
    limit,
    offset,
    status: { description: 'Only those with this status.', example: 'completed' },
    invoiceId,
    customerId,
  },
  listRefunds: {
    limit,
    offset,
    status: { description: 'Only those with this status.', example: 'processed' },
    paymentId: { description: 'Only those of this payment.', example: 'pay_4c8r1ynd6t9x2m0gwqk7zhve3b' },
    invoiceId,
  },
  listWebhooks: { limit, offset },
  listDeliveries: {
    limit,
    status: { description: 'Only those with this status.', example: 'failed' },
    before: {
      description: 'Only those older than this delivery: the `next` of the page before.',
      example: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d',
    },
  },
  listEvents: {
    limit,
    type: { description: 'Only those of this kind.', example: 'invoice.paid' },
    before: {
      description:
        'Only those older than this event: the `next` of the page before. Not together with `after`.',
      example: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
    },
    after: {
      description:
        'Only those after this event, oldest first: the `next` of the page before, or `start` for the oldest there is. Not together with `before`.',
      example: 'start',
    },
  },
};

/** Of `{id}`, by what stands before it in the path; of others, by their name. */
export const pathTexts: Readonly<Record<string, ParameterText>> = {
  invoices: { description: 'The id of the invoice.', example: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a' },
  payments: { description: 'The id of the payment.', example: 'pay_4c8r1ynd6t9x2m0gwqk7zhve3b' },
  refunds: { description: 'The id of the refund.', example: 'ref_8w5d2kj7h0qz4v9c1xt6nbm3re' },
  webhooks: { description: 'The id of the webhook endpoint.', example: 'wh_3n7x0tq9e4hb6w2kvz8m5cjd1r' },
  deliveries: { description: 'The id of the delivery.', example: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d' },
  events: { description: 'The id of the event.', example: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e' },
};
