/** The English texts of the overview. */

export const decisionTexts = {
  title: (count: number) =>
    count === 1 ? 'One thing needs your decision' : `${count} things need your decision`,
  table: 'What needs your decision',
  what: 'Decision',
  when: 'When',
  claim: 'A payer says that they have paid',
  held: 'Payment of another amount',
  dispute: 'Disputed payment',
  rows: (count: number, isMore: boolean) =>
    count === 1 && !isMore
      ? 'One row of a bank statement'
      : `${count}${isMore ? ' or more' : ''} rows of a bank statement`,
  answerBy: 'Answer by',
  noDate: 'the date that the provider names',
} as const;

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
  people: [
    {
      title: 'Say who you are',
      hint: 'Invoices and pages show the name, the address and the tax number of your business.',
      path: '/settings/invoices',
      link: 'Your business',
      ability: 'settings:write',
    },
    {
      title: 'Say how you are paid',
      hint: 'Enter the bank account that payers see, or connect a payment provider for cards and UPI.',
      path: '/settings/account',
      link: 'Bank account and page',
      ability: 'settings:write',
    },
    {
      title: 'Add your first customer',
      hint: 'You can also enter the buyer on the invoice itself.',
      path: '/customers/new',
      link: 'New customer',
      ability: 'customers:write',
    },
    {
      title: 'Create your first invoice',
      hint: 'Then send it, or copy the address of its payment page.',
      path: '/invoices/new',
      link: 'New invoice',
      ability: 'invoices:write',
    },
  ],
  notYours: 'Your role cannot do this. Ask an owner of the account.',
  providers: 'Payment providers',
  api: 'Do it with the API',
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
