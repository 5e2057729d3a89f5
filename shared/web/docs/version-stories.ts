/**
 * Tells for each version of the API what changed and why, and how to move to it. The page of changes shows these texts. The
 * tables in `shared/domain/versions/` say the same to the service: every function contains them, so they have no prose.
 */
import type { apiVersions, firstApiVersion } from '../../domain/versions/versions.ts';

interface ChangeStory {
  readonly title: string;
  /** In one line, with code in backticks, as all texts here. */
  readonly what: string;
  readonly why: string;
  readonly how: string;
  /** What a request, a response or an event was, as text. */
  readonly before: string;
  readonly after: string;
}

export interface VersionStory {
  readonly summary: string;
  /** The steps that take a client from the version before to this one. */
  readonly steps: readonly string[];
  readonly changes: readonly ChangeStory[];
}

const json = (value: object): string => JSON.stringify(value, null, 2);

const newInvoice = { customerId: 'dorji@example.bt', amount: 250_000, currency: 'BTN' };
const updated = { type: 'invoice.updated', data: { id: 'inv_…', amount: 260_000, currency: 'BTN' } };
const endpoint = { id: 'wh_…', url: 'https://shop.example/webhooks', status: 'enabled' };

const story20261123: VersionStory = {
  summary:
    'This version adds your own data to resources, and filters to lists. It removes and renames nothing: every request of the version before means the same here. Clients that stay with the version before notice nothing.',
  steps: [
    'Check that your code accepts fields that it does not know, in responses and in events. The examples below show all of them.',
    'In test mode, send the header `X-API-Version: 2026-11-23` with your requests, and run your tests.',
    'Send the header in live mode, too. Or set `apiVersion` of your key to `2026-11-23` in the dashboard or with `PATCH /api/keys/{id}`, and leave the header out.',
    'Set `apiVersion` of your webhook endpoints with `PATCH /api/webhooks/{id}`. Until then, they get events in their version. Both versions have the same signature.',
  ],
  changes: [
    {
      title: 'Metadata',
      what: 'Invoices, payments, refunds and webhook endpoints have `metadata`: up to 20 texts of your own, by key. An update merges them, and null removes a key. Events contain the metadata of their resource.',
      why: 'Many clients stored the ID of an order in the description, where customers see it, or in a table of their own.',
      how: 'Send `metadata` when you create or update a resource. Resources that exist have `{}`.',
      before: json({ ...newInvoice, description: 'Website design (order 1047)' }),
      after: json({ ...newInvoice, description: 'Website design', metadata: { orderId: '1047' } }),
    },
    {
      title: 'Your own number for an invoice',
      what: 'An invoice has `reference`: your own number, which no other invoice of your account and mode can ever have. A second request with it gets `reference_taken`, which names the first invoice.',
      why: 'An idempotency key protects from duplicates for 24 hours. A reference protects for ever, also if your process lost the key.',
      how: 'Send `reference` when you create an invoice, and find the invoice with `GET /api/invoices?reference=2026-0815`. It cannot be changed. Invoices that exist have `null`.',
      before: json({ ...newInvoice, description: 'Website design, our number 2026-0815' }),
      after: json({ ...newInvoice, description: 'Website design', reference: '2026-0815' }),
    },
    {
      title: 'Former values in events',
      what: 'An `invoice.updated` event has `previous`: the former values of the fields that changed.',
      why: 'Without it, a receiver has to store every invoice to find out what changed.',
      how: 'Read `previous` beside `data`. Other events do not have it. The examples show a part of the event.',
      before: json(updated),
      after: json({ ...updated, previous: { amount: 250_000 } }),
    },
    {
      title: 'Filters of lists',
      what: 'The lists of invoices, payments and refunds have `currency`, `createdFrom` and `createdTo`, and `status` accepts several statuses. A date without a time is a day in UTC. Totals stay exact.',
      why: 'To find the unpaid invoices of a month, a client had to read two whole lists.',
      how: 'Replace several requests by one, and remove your own filter.',
      before: 'GET /api/invoices?status=pending\nGET /api/invoices?status=overdue',
      after:
        'GET /api/invoices?status=pending,overdue&currency=BTN&createdFrom=2026-03-01&createdTo=2026-03-31',
    },
    {
      title: 'The version of keys and endpoints',
      what: 'API keys and webhook endpoints show their `apiVersion`. `POST /api/keys`, `PATCH /api/keys/{id}` and `PATCH /api/webhooks/{id}` set it. Events have the `apiVersion` of their form.',
      why: 'Each part of a system can then move to a version when it is ready.',
      how: 'Keys and endpoints keep their version until you change it. An endpoint that a request creates gets the version of the request.',
      before: json(endpoint),
      after: json({ ...endpoint, apiVersion: '2026-11-23', metadata: {} }),
    },
  ],
};

/** The story of each version but the first. */
export const versionStories: Readonly<
  Record<Exclude<(typeof apiVersions)[number], typeof firstApiVersion>, VersionStory>
> = { '2026-11-23': story20261123 };
