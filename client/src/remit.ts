/** Exports the client and everything else that is public. */
import { type AccountMethods, createAccountMethods } from './account.ts';
import { type AuditLog, createAuditLogMethods } from './audit-log.ts';
import { createApiCall, type RemitOptions } from './call.ts';
import { type Customers, createCustomerMethods } from './customers.ts';
import { createDocumentMethods, type Documents } from './documents.ts';
import { createDraftMethods, type Drafts } from './drafts.ts';
import { createEventMethods, type Events } from './events.ts';
import { createExportMethods, type Exports } from './exports.ts';
import { createInvoiceMethods, type Invoices } from './invoices.ts';
import { createJournalMethods, type Journal } from './journal.ts';
import { createKeyMethods, type Keys } from './keys.ts';
import { createMailMethods, type Mails } from './mails.ts';
import { createPaymentMethods, type Payments } from './payments.ts';
import { createProductMethods, type Products } from './products.ts';
import { createRefundMethods, type Refunds } from './refunds.ts';
import { createScheduleMethods, type Schedules } from './schedules.ts';
import { createSearchMethod, type SearchMethod } from './search.ts';
import { createStatementMethods, type Statements } from './statements.ts';
import { createSummaryMethods, type SummaryMethods } from './summary.ts';
import { createTestClockMethods, type TestClockMethods } from './test-clock.ts';
import { createWebhookMethods, type Webhooks } from './webhooks.ts';

/** A client of the API for one API key. */
export class Remit {
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly customers: Customers;
  readonly products: Products;
  readonly drafts: Drafts;
  readonly schedules: Schedules;
  readonly statements: Statements;
  readonly exports: Exports;
  readonly documents: Documents;
  readonly mails: Mails;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly auditLog: AuditLog;
  readonly journal: Journal;
  readonly summary: SummaryMethods;
  /** Finds records by what people know of them. */
  readonly search: SearchMethod;
  readonly keys: Keys;
  readonly account: AccountMethods;
  readonly testClock: TestClockMethods;

  /** Sends no request. Throws a `RemitError` if an option is invalid. */
  constructor(options: RemitOptions) {
    const call = createApiCall(options);
    this.invoices = createInvoiceMethods(call);
    this.payments = createPaymentMethods(call);
    this.refunds = createRefundMethods(call);
    this.customers = createCustomerMethods(call);
    this.products = createProductMethods(call);
    this.drafts = createDraftMethods(call);
    this.schedules = createScheduleMethods(call);
    this.statements = createStatementMethods(call);
    this.exports = createExportMethods(call);
    this.documents = createDocumentMethods(call);
    this.mails = createMailMethods(call);
    this.events = createEventMethods(call);
    this.webhooks = createWebhookMethods(call);
    this.auditLog = createAuditLogMethods(call);
    this.journal = createJournalMethods(call);
    this.summary = createSummaryMethods(call);
    this.search = createSearchMethod(call);
    this.keys = createKeyMethods(call);
    this.account = createAccountMethods(call);
    this.testClock = createTestClockMethods(call);
  }
}

export type { AccountMethods } from './account.ts';
export type { AuditLog } from './audit-log.ts';
export type { RemitOptions, RequestOptions, WaitOptions, WriteOptions } from './call.ts';
export type { Customers } from './customers.ts';
export type { Documents } from './documents.ts';
export type { Drafts } from './drafts.ts';
export {
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RemitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
export type { Events } from './events.ts';
export type { Exports } from './exports.ts';
export type { Invoices } from './invoices.ts';
export type { Journal } from './journal.ts';
export type { Keys } from './keys.ts';
export type { List } from './list.ts';
export type { Mails } from './mails.ts';
export type { Payments } from './payments.ts';
export type { Products } from './products.ts';
export type { Refunds } from './refunds.ts';
export type { Schedules } from './schedules.ts';
export type * from './schemas.ts';
export type { SearchMethod } from './search.ts';
export type { Statements } from './statements.ts';
export type { SummaryMethods } from './summary.ts';
export type { TestClockMethods } from './test-clock.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookFailure,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts';
export type { Webhooks } from './webhooks.ts';
