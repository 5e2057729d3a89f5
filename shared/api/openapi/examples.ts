/** Holds an example of each schema. Request bodies leave out optional fields. */
import { newestApiVersion } from '../../domain/versions/versions.ts';
import { documentExamples } from './document-field-texts.ts';
import type { Examples } from './document-types.ts';
import { draft } from './draft-field-texts.ts';
import { eventExamples } from './event-examples.ts';
import {
  account,
  apiKey,
  apiKeyValue,
  attempt,
  auditEntry,
  changedInvoice,
  customer,
  declinedPaymentExample,
  delivery,
  disputedPayment,
  eventFilter,
  offlinePayment,
  payment,
  product,
  refund,
  webhook,
} from './example-records.ts';
import { completedExport, exportExample } from './export-field-texts.ts';
import { invoice } from './invoice-field-texts.ts';
import {
  currencySummaryExample,
  journalEntryExample,
  journalLineExample,
  periodExample,
  receivedByExample,
  summaryExample,
} from './journal-field-texts.ts';
import { mailExample } from './mail-field-texts.ts';
import type { Example, SchemaName } from './named-schemas.ts';
import type { OperationName } from './operation-errors.ts';
import { scheduleExample, scheduleExamples } from './schedule-field-texts.ts';
import { searchResultExample } from './search-field-texts.ts';
import { statementExample, statementExamples } from './statement-field-texts.ts';

const pageOf = <Row>(...data: Row[]) => ({
  data,
  pagination: { total: data.length, limit: 20, offset: 0, hasMore: false },
});
const cursor: Example<'Cursor'> = { hasMore: true, next: delivery.id };
const event = eventExamples['invoice.paid'];
/** A picture of one pixel. */
const smallestLogo =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mOQBwAAIQAg6j48egAAAABJRU5ErkJggg==';

export const schemaExamples: { readonly [Name in SchemaName]: Example<Name> } = {
  Invoice: invoice,
  InvoiceList: pageOf(invoice),
  InvoiceCancellation: { id: invoice.id, status: 'cancelled', deletedAt: changedInvoice.updatedAt },
  CreateInvoice: {
    customerId: invoice.customerId,
    amount: invoice.amount,
    currency: invoice.currency,
    description: invoice.description,
  },
  UpdateInvoice: { amount: 260_000, dueDate: '2027-01-15' },
  ReplaceInvoice: { customerId: 'pema@example.bt', dueDate: '2027-01-15' },
  InvoiceLine: invoice.lines[0] as Example<'InvoiceLine'>,
  InvoiceLineInput: { description: 'Website design', quantity: '20', unitAmount: 11_000, tax: 'bt_gst_5' },
  Discount: { percent: '5', amount: null },
  DiscountInput: { percent: '5' },
  InvoiceTax: invoice.taxes[0] as Example<'InvoiceTax'>,
  InvoiceTotals: invoice.totals,
  Gst: { placeOfSupply: 'Karnataka (29)', supply: 'domestic', reverseCharge: false },
  GstInput: { placeOfSupply: 'Karnataka' },
  Buyer: {
    name: 'Dorji Wangmo',
    email: invoice.customerId,
    address: null,
    deliveryAddress: null,
    taxIds: [],
  },
  BuyerInput: { name: 'Dorji Wangmo', email: invoice.customerId },
  Payment: payment,
  PaymentList: pageOf(payment),
  CardSummary: { brand: 'visa', last4: '4242' },
  FailureCode: 'card_declined',
  WebhookDisabledReason: 'gone',
  PaymentFees: disputedPayment.fees as Example<'PaymentFees'>,
  Dispute: disputedPayment.dispute as Example<'Dispute'>,
  Settlement: { writeOff: 25_000, reason: 'tds' },
  CreatePayment: { invoiceId: invoice.id, method: 'offline', reference: 'Receipt 1047' },
  Card: { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' },
  ResolvePayment: { action: 'accept' },
  VoidPayment: { reason: 'The bank took the transfer back' },
  Refund: refund,
  RefundList: pageOf(refund),
  CreateRefund: { paymentId: payment.id, amount: refund.amount, reason: refund.reason },
  Customer: customer,
  CustomerList: pageOf(customer),
  CustomerDeletion: { id: customer.id, deletedAt: changedInvoice.updatedAt },
  CreateCustomer: {
    name: customer.name,
    email: customer.email,
    address: { line1: 'Norzin Lam 12', city: 'Thimphu', country: 'BT' },
    taxIds: customer.taxIds,
    reference: customer.reference,
  },
  UpdateCustomer: { phone: customer.phone, metadata: customer.metadata },
  Product: product,
  ProductList: pageOf(product),
  ProductDeletion: { id: product.id, deletedAt: changedInvoice.updatedAt },
  CreateProduct: {
    name: product.name,
    unit: product.unit,
    unitAmounts: product.unitAmounts,
    tax: product.tax,
  },
  UpdateProduct: { unitAmounts: { BTN: 12_000 }, status: 'archived' },
  UnitAmounts: product.unitAmounts,
  UnitAmountsInput: product.unitAmounts,
  Draft: draft,
  DraftList: pageOf(draft),
  DraftDeletion: { id: draft.id, deletedAt: changedInvoice.updatedAt },
  DraftLine: draft.lines?.[0] as Example<'DraftLine'>,
  DraftGst: { placeOfSupply: 'Karnataka', supply: null, reverseCharge: null },
  CreateDraft: { customerId: invoice.customerId, description: invoice.description },
  UpdateDraft: { currency: 'BTN', amount: 260_000 },
  Schedule: scheduleExample,
  ScheduleList: pageOf(scheduleExample),
  ScheduleInterval: scheduleExample.every,
  ScheduleIntervalInput: scheduleExample.every,
  ScheduleInvoice: scheduleExamples.template,
  ScheduleInvoiceInput: scheduleExamples.create.invoice,
  ScheduleInvoiceUpdate: { amount: 260_000 },
  ScheduleFailure: scheduleExamples.failure,
  CreateSchedule: scheduleExamples.create,
  UpdateSchedule: { status: 'paused' },
  ScheduleOccurrence: scheduleExamples.occurrence,
  ScheduleOccurrenceList: { data: [scheduleExamples.occurrence], cursor: { hasMore: true, next: '3' } },
  PlannedOccurrence: scheduleExamples.planned,
  SchedulePreview: { data: [scheduleExamples.planned] },
  InvoicePeriod: scheduleExamples.period,
  Statement: statementExample,
  StatementList: pageOf(statementExample),
  CreateStatement: { bank: statementExample.bank, currency: 'BTN', rows: [statementExamples.newRow] },
  StatementRow: statementExamples.row,
  StatementRowList: pageOf(statementExamples.row),
  StatementRowInput: statementExamples.newRow,
  RowPayment: statementExamples.payment,
  RowSuggestion: statementExamples.row.suggestions[0] as Example<'RowSuggestion'>,
  MatchStatementRow: { invoiceId: invoice.id },
  IgnoredStatementRow: { id: statementExamples.row.id, statementId: statementExample.id, status: 'ignored' },
  Export: exportExample,
  ExportList: pageOf(completedExport),
  ExportPart: exportExample.parts[0] as Example<'ExportPart'>,
  ExportFilters: exportExample.filters,
  CreateExport: { kind: 'invoices', from: '2026-01-01', to: '2026-12-31', filters: { status: 'paid' } },
  ExportFiltersInput: { status: 'paid', currency: 'BTN' },
  Address: customer.address as Example<'Address'>,
  AddressInput: { line1: 'Norzin Lam 12', city: 'Thimphu', country: 'BT' },
  TaxId: { type: 'bt_tpn', value: 'TAB12345' },
  TaxIdInput: { type: 'bt_tpn', value: 'TAB12345' },
  Document: documentExamples.summary,
  DocumentWithContent: documentExamples.document,
  DocumentList: {
    data: [documentExamples.summary],
    cursor: { hasMore: true, next: documentExamples.summary.id },
  },
  Mail: mailExample,
  MailList: { data: [mailExample], cursor: { hasMore: true, next: mailExample.id } },
  SendInvoice: { to: 'dorji@example.bt', message: 'Thank you for your order.' },
  DocumentContent: documentExamples.document.content,
  DocumentSeller: documentExamples.document.content.seller,
  DocumentBuyer: documentExamples.document.content.buyer,
  Webhook: webhook,
  WebhookList: pageOf(webhook),
  WebhookWithSecret: { ...webhook, secret: 'whsec_ZXhhbXBsZSBzZWNyZXQsIG9mIG5vIGVuZHBvaW50ISE=' },
  WebhookDeletion: { id: webhook.id, deletedAt: changedInvoice.updatedAt },
  WebhookTestResult: { eventId: 'evt_4h7q2zk9c0v6tx3n8wr1dbj5me', succeeded: true, ...attempt },
  CreateWebhook: {
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
  },
  EventFilter: eventFilter,
  EventFilterInput: eventFilter,
  UpdateWebhook: { events: ['invoice.paid', 'invoice.overdue'] },
  RotateWebhookSecret: { overlapHours: 48 },
  StartRecovery: { since: '2026-11-01T00:00:00Z' },
  Recovery: { id: webhook.id, since: '2026-11-01T00:00:00.000Z' },
  Delivery: delivery,
  DeliveryAttempt: attempt,
  DeliveryList: { data: [delivery], cursor },
  AuditEntry: auditEntry,
  AuditActor: auditEntry.actor,
  AuditSettingChange: { field: 'status', before: 'enabled', after: 'disabled' },
  Journal: {
    data: [journalEntryExample],
    cursor: { hasMore: true, next: String(journalEntryExample.position) },
  },
  JournalEntry: journalEntryExample,
  JournalLine: journalLineExample,
  Summary: summaryExample,
  SearchResults: { data: [searchResultExample], hasMore: false },
  SearchResult: searchResultExample,
  CurrencySummary: currencySummaryExample,
  SummaryPeriod: periodExample,
  ReceivedBy: receivedByExample,
  OutstandingAges: currencySummaryExample.ages,
  AuditLog: { data: [auditEntry], cursor: { hasMore: true, next: auditEntry.id } },
  ApiKey: apiKey,
  ApiKeyList: pageOf(apiKey),
  ApiKeyWithValue: { ...apiKey, value: apiKeyValue },
  Account: account,
  UpdateAccount: {
    seller: {
      legalName: account.seller.legalName,
      address: { line1: 'Norzin Lam 12', city: 'Thimphu', country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    },
  },
  Seller: account.seller,
  Logo: account.seller.logo,
  LogoInput: { data: smallestLogo },
  MailSettings: account.mail,
  MailSettingsInput: { invoice: true },
  SellerInput: { legalName: account.seller.legalName, address: { country: 'BT' } },
  SellerSeries: account.seller.series,
  SellerSeriesInput: { invoice: { prefix: 'INV/{year}/', restart: 'yearly' } },
  NumberSeries: account.seller.series.invoice,
  NumberSeriesInput: { prefix: 'INV/{year}/', restart: 'yearly' },
  SellerTaxIdInput: { type: 'bt_tpn', value: 'TAB12345' },
  AccountTax: { code: 'own_hotel', name: 'Hotel levy', rates: [{ from: '2026-01-01', percent: '3' }] },
  AccountTaxInput: { code: 'own_hotel', name: 'Hotel levy', rates: [{ from: '2026-01-01', percent: '3' }] },
  TaxRate: { from: '2026-01-01', percent: '3' },
  TaxRateInput: { from: '2026-01-01', percent: '3' },
  TestClock: { now: '2027-01-31T12:00:00.000Z', offsetSeconds: 2_592_000, status: 'ready' },
  MoveTestClock: { advanceSeconds: 2_592_000 },
  ApiKeyRevocation: { id: apiKey.id, revokedAt: '2026-11-26T08:00:00.000Z' },
  CreateApiKey: { name: apiKey.name, note: apiKey.note, permissions: ['invoices:read'] },
  UpdateApiKey: { note: 'Runs in Paro.' },
  RollOverApiKey: { overlapHours: 72 },
  Event: event,
  EventList: { data: [event], cursor: { hasMore: true, next: event.id } },
  Pagination: { total: 1, limit: 20, offset: 0, hasMore: false },
  Cursor: cursor,
};

/** The request examples of operations that show more than the example of their schema. */
export const requestExamples: Partial<Record<OperationName, Examples>> = {
  createPayment: {
    offline: { summary: 'An offline payment', value: schemaExamples.CreatePayment },
    card: {
      summary: 'A payment with a test card',
      value: { invoiceId: invoice.id, method: 'card', card: schemaExamples.Card },
    },
    declined: {
      summary: 'A payment with a test card that is declined',
      value: {
        invoiceId: invoice.id,
        method: 'card',
        card: { ...schemaExamples.Card, number: '4000000000000002' },
      },
    },
  },
};

/** The response examples of operations that show more than the example of their schema. */
export const responseExamples: Partial<Record<OperationName, Examples>> = {
  createPayment: {
    offline: { summary: 'An offline payment', value: offlinePayment },
    card: { summary: 'A completed card payment', value: payment },
    declined: { summary: 'A declined card payment', value: declinedPaymentExample },
  },
  updateInvoice: {
    updated: {
      summary: 'The amount and the due date were changed',
      value: { ...changedInvoice, amount: 260_000, dueDate: '2027-01-15T23:59:59.999Z' },
    },
  },
};

/** An example of a `webhook.test` event. */
export const testEventExample = {
  id: schemaExamples.WebhookTestResult.eventId,
  type: 'webhook.test',
  timestamp: '2026-11-20T11:05:02.440Z',
  mode: 'test',
  objectVersion: 1,
  data: webhook,
  apiVersion: newestApiVersion,
};
