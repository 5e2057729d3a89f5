/** The English texts of the overview. */

export const overviewTexts = {
  invoices: 'Latest invoices',
  payments: 'Latest payments',
  events: 'Latest events',
  all: 'Show all',
  noPayments: 'No payments yet.',
  noEvents: 'No events in the last 30 days.',
  limit: 'API requests in this hour',
  used: (used: string, limit: string) => `${used} of ${limit}`,
  counts: 'Invoices by status',
  failing: (count: number) =>
    count === 1 ? 'A webhook endpoint is failing' : `${count} webhook endpoints are failing`,
  failingHint:
    'Remit repeats each delivery for several days. Open the endpoint to see the responses, and to send missed events again.',
  start: 'What to do next',
  steps: {
    key: 'Make an API key',
    keyHint: 'Open Settings, API keys, and create a key for this mode. Then store it in your shell:',
    invoice: 'Create an invoice',
    invoiceHint: 'The response contains the address of its payment page.',
    pay: 'Pay it, and see what happened',
    payHint: {
      test: 'Open the paymentUrl of the response. Pay with card 4242 4242 4242 4242, any future expiry date and any code. Then list the events:',
      live: 'Send the paymentUrl of the response to your customer. Then list the events:',
    },
  },
  settings: 'Open the settings',
  command: (step: string) => `command: ${step}`,
} as const;
