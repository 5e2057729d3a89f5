/** The groups in which operations are read, in order. */
import type { Route } from '../routes.ts';

export const tags = [
  {
    name: 'Invoices',
    description:
      'An invoice says what a customer is to pay, by when and for what. It is `pending` until it is paid, cancelled or overdue. Its `paymentUrl` is a web page at which the customer views and pays it.',
  },
  {
    name: 'Payments',
    description:
      'A payment is money received, or tried to be received, for an invoice; always for all of it. Customers pay at the `paymentUrl` of the invoice; what you receive outside you record here.',
  },
  {
    name: 'Refunds',
    description: 'A refund gives back a completed payment, all or part of it.',
  },
  {
    name: 'Webhooks',
    description:
      'A webhook endpoint is an address of yours to which events are posted as they happen. Here you register endpoints, test them, and see what was delivered.\n\n' +
      'A message is delivered once your endpoint has answered with a 2xx status within 15 seconds. If it does not, further attempts follow after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours, each sooner or later by up to a fifth. A 410 disables the endpoint at once; so do five days without a success.',
  },
  {
    name: 'Events',
    description:
      'An event says what has happened to an invoice, a payment or a refund. Events are posted to your webhook endpoints, and are kept here for 30 days.\n\n' +
      'A message can arrive more than once and in any order: recognise it by its `id`, and take the higher `objectVersion` for the newer state.',
  },
] as const;

/** The tag of a route: what stands behind `/api/`. */
export function tagOf({ path }: Route): string {
  const noun = path.split('/')[2];
  const tag = tags.find(({ name }) => name.toLowerCase() === noun);
  if (!tag) throw new Error(`${path} belongs to no tag; add one to shared/openapi/tags.ts.`);
  return tag.name;
}
