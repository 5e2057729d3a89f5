/** Describes the fields of the journal and of the summary, and shows examples. */
import { cursor, type FieldTexts } from './common-field-texts.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const journalLineExample: Example<'JournalLine'> = {
  account: 'receivable',
  currency: 'BTN',
  amount: 105_000,
};

export const journalEntryExample: Example<'JournalEntry'> = {
  position: 1027,
  timestamp: '2026-11-21T09:45:00.000Z',
  event: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  resource: invoice.id,
  invoiceId: invoice.id,
  lines: [
    journalLineExample,
    { account: 'sales', currency: 'BTN', amount: -100_000 },
    { account: 'tax:bt_gst_5', currency: 'BTN', amount: -5_000 },
  ],
};

export const receivedByExample: Example<'ReceivedBy'> = { method: 'offline', amount: 250_000 };

export const periodExample: Example<'SummaryPeriod'> = {
  from: '2026-11-01',
  to: '2026-11-21',
  invoiced: 355_000,
  tax: 5_000,
  cancelled: 0,
  writtenOff: 0,
  received: 250_000,
  receivedBy: [receivedByExample],
  refunded: 0,
  withdrawn: 0,
  fees: 0,
  invoices: 2,
  cancellations: 0,
  payments: 1,
  refunds: 0,
};

export const currencySummaryExample: Example<'CurrencySummary'> = {
  currency: 'BTN',
  outstanding: 105_000,
  overdue: 0,
  ages: { notDue: 105_000, days1To30: 0, days31To60: 0, days61To90: 0, older: 0 },
  periods: [periodExample],
};

export const summaryExample: Example<'Summary'> = {
  from: '2026-11-01',
  to: '2026-11-21',
  by: 'month',
  timeZone: 'Asia/Thimphu',
  today: '2026-11-21',
  asOf: 1027,
  currencies: [currencySummaryExample],
};

export const currencyBalanceExample: Example<'CurrencyBalance'> = {
  currency: 'BTN',
  outstanding: 105_000,
  overdue: 0,
  ages: currencySummaryExample.ages,
  credit: 20_000,
};

export const balanceExample: Example<'Balance'> = {
  customerId: invoice.customerId,
  timeZone: 'Asia/Thimphu',
  today: '2026-11-21',
  asOf: '2026-11-21T09:45:00.000Z',
  hasMore: false,
  currencies: [currencyBalanceExample],
};

export const journalFieldTexts: Pick<
  FieldTexts,
  | 'Journal'
  | 'JournalEntry'
  | 'JournalLine'
  | 'Summary'
  | 'CurrencySummary'
  | 'SummaryPeriod'
  | 'ReceivedBy'
  | 'OutstandingAges'
  | 'Balance'
  | 'CurrencyBalance'
> = {
  Journal: { data: 'The entries.', cursor },
  JournalEntry: {
    position: 'The position of the entry. Later entries have higher ones. Positions have gaps.',
    timestamp: 'When the change happened.',
    event: 'The ID of the event of the change. Events are kept for 30 days.',
    resource: 'The ID of the resource that changed.',
    invoiceId: 'The ID of the invoice. Null if the change belongs to none.',
    lines: 'What the change adds to each account.',
  },
  JournalLine: {
    account: 'The account. What follows a colon is the tax code or the payment method.',
    currency: 'The currency of the amount.',
    amount: 'In the smallest unit of the currency. Above 0 is a debit, below 0 a credit.',
  },
  Summary: {
    from: 'The first day.',
    to: 'The last day.',
    by: 'The length of the periods.',
    timeZone: 'The time zone of all days. A new time zone of the account holds from the next daily check on.',
    today: 'The day from which ages are counted.',
    asOf: 'The position in the journal up to which the figures contain all changes.',
    currencies: 'The figures of each currency that your account has used.',
  },
  CurrencySummary: {
    currency: 'The currency of the amounts.',
    outstanding: 'What customers owe you now.',
    overdue: 'The part of it that was due before today.',
    ages: 'What is outstanding, by age.',
    periods: 'The figures of each period, oldest first.',
  },
  SummaryPeriod: {
    from: 'The first day of the period.',
    to: 'The last day of the period.',
    invoiced: 'The amounts of new invoices, with the changes of their amounts, with taxes.',
    tax: 'The taxes of invoices, less those of cancelled and refunded amounts.',
    cancelled: 'The amounts of the invoices that were cancelled, or credited because a payment was voided.',
    writtenOff: 'The amounts that were written off.',
    received: 'The money that was received.',
    receivedBy: 'The same by payment method.',
    refunded: 'The money that was returned.',
    withdrawn: 'What payment providers took back because of disputes. Below 0 if they returned more.',
    fees: 'The fees of payment providers, with their taxes. They count when the provider tells them, in the currency in which it settles.',
    invoices: 'The number of new invoices.',
    cancellations: 'The number of cancelled invoices.',
    payments: 'The number of completed payments, without those with credit.',
    refunds: 'The number of processed refunds.',
  },
  ReceivedBy: {
    method: 'The payment method, or the name of the payment provider.',
    amount: 'The money that was received in this way.',
  },
  OutstandingAges: {
    notDue: 'Due today or later.',
    days1To30: 'Due 1 to 30 days ago.',
    days31To60: 'Due 31 to 60 days ago.',
    days61To90: 'Due 61 to 90 days ago.',
    older: 'Due more than 90 days ago.',
  },
  Balance: {
    customerId: 'The customer, as you sent it.',
    timeZone: 'The time zone of your account, in which days are counted.',
    today: 'The day from which ages are counted.',
    asOf: 'When the balance was read.',
    hasMore:
      'True if the customer has more than 5,000 open invoices, or more than 5,000 payments with credit. Then the balance lacks older open invoices or newer credit, and an export of open invoices has all of them.',
    currencies: 'The currencies in which the customer owes something or has credit.',
  },
  CurrencyBalance: {
    currency: 'The currency of the amounts.',
    outstanding: 'What the customer owes you now.',
    overdue: 'The part of it that was due before today.',
    ages: 'What is outstanding, by age.',
    credit: 'What the customer has paid above what its invoices needed, and can use for the next ones.',
  },
};
