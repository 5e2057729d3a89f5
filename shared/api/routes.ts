/**
 * Lists all endpoints. The local stack, the CDK app, the OpenAPI document and the tests of every endpoint read this
 * list.
 *
 * - The list is data only and imports nothing but schemas, so the CDK app does not load the AWS SDK.
 * - Calls are marked as pure, so the bundle of a function does not contain the routes that it does not serve.
 */
import type * as v from 'valibot';
import type { AuditAction } from '../base/audit-origin.ts';
import type { Resource } from '../base/ids.ts';
import { listOf } from '../base/pagination.ts';
import { clockSchema, moveClockBody } from '../base/test-clock.ts';
import { balanceQuery, balanceSchema } from '../domain/account-statements/customer-balance.ts';
import { accountSchema, updateAccountBody } from '../domain/accounts/account-resource.ts';
import {
  createKeyBody,
  keyRevocationSchema,
  keySchema,
  keyWithValueSchema,
  listKeysQuery,
  rollOverKeyBody,
  updateKeyBody,
} from '../domain/accounts/key.ts';
import { auditLogSchema, listAuditLogQuery } from '../domain/audit/entry.ts';
import type { ConditionalPermission, RequiredPermission } from '../domain/auth/permissions.ts';
import {
  createCustomerBody,
  customerDeletionSchema,
  customerSchema,
  listCustomersQuery,
  updateCustomerBody,
} from '../domain/customers/customer.ts';
import { documentListSchema, documentSchema, listDocumentsQuery } from '../domain/documents/document.ts';
import { documentPdfQuery } from '../domain/documents/document-pdf.ts';
import {
  createDraftBody,
  draftDeletionSchema,
  draftSchema,
  listDraftsQuery,
  updateDraftBody,
} from '../domain/drafts/draft.ts';
import { eventListSchema, eventSchema, listEventsQuery } from '../domain/events/event.ts';
import { createExportBody, exportSchema, listExportsQuery } from '../domain/exports/export.ts';
import { confirmClaimBody, rejectClaimBody } from '../domain/invoices/claim.ts';
import {
  cancellationSchema,
  cancelQuery,
  createInvoiceBody,
  forceQuery,
  invoiceSchema,
  listInvoicesQuery,
  replaceInvoiceBody,
  updateInvoiceBody,
} from '../domain/invoices/invoice.ts';
import { journalSchema, listJournalQuery } from '../domain/journal/journal.ts';
import { summaryQuery, summarySchema } from '../domain/journal/summary.ts';
import { listMailsQuery, mailListSchema, mailSchema, sendInvoiceBody } from '../domain/mails/mail.ts';
import {
  createPaymentBody,
  listPaymentsQuery,
  paymentSchema,
  resolvePaymentBody,
  voidPaymentBody,
} from '../domain/payments/payment.ts';
import {
  createProductBody,
  listProductsQuery,
  productDeletionSchema,
  productSchema,
  updateProductBody,
} from '../domain/products/product.ts';
import { createRefundBody, listRefundsQuery, refundSchema } from '../domain/refunds/refund.ts';
import {
  createScheduleBody,
  listOccurrencesQuery,
  listSchedulesQuery,
  occurrenceListSchema,
  schedulePreviewSchema,
  scheduleSchema,
  updateScheduleBody,
} from '../domain/schedules/schedule.ts';
import { searchPermissions, searchQuery, searchResultsSchema } from '../domain/search/search.ts';
import { matchRowBody } from '../domain/statements/row-decision.ts';
import {
  createStatementBody,
  ignoredRowSchema,
  listRowsQuery,
  listStatementsQuery,
  statementRowSchema,
  statementSchema,
} from '../domain/statements/statement.ts';
import {
  fileLinkSchema,
  filePreviewSchema,
  linkFileQuery,
  previewFileQuery,
} from '../domain/statements/statement-file.ts';
import type { VersionedResource } from '../domain/versions/version-change.ts';
import {
  deliveryListSchema,
  deliverySchema,
  listDeliveriesQuery,
  testResultSchema,
} from '../domain/webhooks/delivery.ts';
import {
  createWebhookBody,
  listWebhooksQuery,
  recoverBody,
  recoverySchema,
  rotateSecretBody,
  updateWebhookBody,
  webhookDeletionSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../domain/webhooks/webhook.ts';

export interface Route {
  /** `ANY` is the catch-all for requests that match no other route. A GET route also serves HEAD. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'ANY';
  /** The path in API Gateway's form: `{name}` is one segment, `{proxy+}` is the rest. */
  readonly path: string;
  /** The file that exports the `handler` of the route. */
  readonly handler: string;
  /** The name of an earlier route with the same handler. Its function also serves this route. */
  readonly functionOf?: string;
  readonly permission?: RequiredPermission;
  /** What the request also requires if it makes money go back. */
  readonly alsoRequires?: ConditionalPermission;
  /** The operation under which the audit log records the requests. Every route that changes something has one. */
  readonly audit?: AuditAction;
  /** The query parameters of a list. Other endpoints ignore their query. */
  readonly query?: v.GenericSchema;
  /** The request body. Without this schema, the endpoint ignores a body. */
  readonly body?: v.GenericSchema;
  /** The maximum size of the request body in bytes. The default is 64 KiB. */
  readonly maxBodyBytes?: number;
  /** The response contains a secret, so an idempotency record stores it encrypted. */
  readonly confidential?: true;
  /** The resource that the request creates. Authorization allocates its sequence number. */
  readonly creates?: Resource;
  /** The path of the list that contains what the request creates. Default: the path of the request. */
  readonly createdIn?: string;
  /** The status of a successful response. */
  readonly status: 200 | 201;
  /** The resource in the body of a successful response, if later versions of the API can add fields to it. */
  readonly resource?: VersionedResource;
  /** The body of a successful response. */
  readonly response?: v.GenericSchema;
  /** The media type of a successful response that is a file, and not JSON. */
  readonly file?: 'application/pdf';
}

export const listInvoices = {
  method: 'GET',
  path: '/api/invoices',
  handler: 'functions/invoices/list.ts',
  permission: 'invoices:read',
  query: listInvoicesQuery,
  status: 200,
  resource: 'invoices',
  response: /* @__PURE__ */ listOf(invoiceSchema),
} as const satisfies Route;

export const createInvoice = {
  method: 'POST',
  path: '/api/invoices',
  handler: 'functions/invoices/create.ts',
  permission: 'invoices:write',
  audit: 'invoice.create',
  body: createInvoiceBody,
  creates: 'invoice',
  status: 201,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const getInvoice = {
  method: 'GET',
  path: '/api/invoices/{id}',
  handler: 'functions/invoices/get.ts',
  permission: 'invoices:read',
  status: 200,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const updateInvoice = {
  method: 'PATCH',
  path: '/api/invoices/{id}',
  handler: 'functions/invoices/update.ts',
  permission: 'invoices:write',
  audit: 'invoice.update',
  query: forceQuery,
  body: updateInvoiceBody,
  status: 200,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const cancelInvoice = {
  method: 'DELETE',
  path: '/api/invoices/{id}',
  handler: 'functions/invoices/cancel.ts',
  permission: 'invoices:write',
  alsoRequires: { permission: 'refunds:write', in: 'query', field: 'payments', value: 'refund' },
  audit: 'invoice.cancel',
  query: cancelQuery,
  status: 200,
  response: cancellationSchema,
} as const satisfies Route;

export const replaceInvoice = {
  method: 'POST',
  path: '/api/invoices/{id}/replace',
  handler: 'functions/invoices/replace.ts',
  permission: 'invoices:write',
  audit: 'invoice.replace',
  query: forceQuery,
  body: replaceInvoiceBody,
  creates: 'invoice',
  status: 200,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const confirmClaim = {
  method: 'POST',
  path: '/api/invoices/{id}/claim/confirm',
  handler: 'functions/invoices/confirm-claim.ts',
  permission: 'payments:write',
  audit: 'invoice.confirm_claim',
  body: confirmClaimBody,
  status: 200,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const rejectClaim = {
  method: 'POST',
  path: '/api/invoices/{id}/claim/reject',
  handler: 'functions/invoices/reject-claim.ts',
  permission: 'payments:write',
  audit: 'invoice.reject_claim',
  body: rejectClaimBody,
  status: 200,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const listPayments = {
  method: 'GET',
  path: '/api/payments',
  handler: 'functions/payments/list.ts',
  permission: 'payments:read',
  query: listPaymentsQuery,
  status: 200,
  resource: 'payments',
  response: /* @__PURE__ */ listOf(paymentSchema),
} as const satisfies Route;

export const createPayment = {
  method: 'POST',
  path: '/api/payments',
  handler: 'functions/payments/create.ts',
  permission: 'payments:write',
  audit: 'payment.create',
  query: forceQuery,
  body: createPaymentBody,
  creates: 'payment',
  status: 201,
  resource: 'payments',
  response: paymentSchema,
} as const satisfies Route;

export const getPayment = {
  method: 'GET',
  path: '/api/payments/{id}',
  handler: 'functions/payments/get.ts',
  permission: 'payments:read',
  status: 200,
  resource: 'payments',
  response: paymentSchema,
} as const satisfies Route;

export const resolvePayment = {
  method: 'POST',
  path: '/api/payments/{id}/resolve',
  handler: 'functions/payments/resolve.ts',
  permission: 'payments:write',
  alsoRequires: { permission: 'refunds:write', in: 'body', field: 'action', value: 'refund' },
  audit: 'payment.resolve',
  body: resolvePaymentBody,
  status: 200,
  resource: 'payments',
  response: paymentSchema,
} as const satisfies Route;

export const voidPayment = {
  method: 'POST',
  path: '/api/payments/{id}/void',
  handler: 'functions/payments/void.ts',
  permission: 'refunds:write',
  audit: 'payment.void',
  body: voidPaymentBody,
  status: 200,
  resource: 'payments',
  response: paymentSchema,
} as const satisfies Route;

export const listRefunds = {
  method: 'GET',
  path: '/api/refunds',
  handler: 'functions/refunds/list.ts',
  permission: 'refunds:read',
  query: listRefundsQuery,
  status: 200,
  resource: 'refunds',
  response: /* @__PURE__ */ listOf(refundSchema),
} as const satisfies Route;

export const createRefund = {
  method: 'POST',
  path: '/api/refunds',
  handler: 'functions/refunds/create.ts',
  permission: 'refunds:write',
  audit: 'refund.create',
  body: createRefundBody,
  creates: 'refund',
  status: 201,
  resource: 'refunds',
  response: refundSchema,
} as const satisfies Route;

export const getRefund = {
  method: 'GET',
  path: '/api/refunds/{id}',
  handler: 'functions/refunds/get.ts',
  permission: 'refunds:read',
  status: 200,
  resource: 'refunds',
  response: refundSchema,
} as const satisfies Route;

export const listCustomers = {
  method: 'GET',
  path: '/api/customers',
  handler: 'functions/customers/list.ts',
  permission: 'customers:read',
  query: listCustomersQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(customerSchema),
} as const satisfies Route;

export const createCustomer = {
  method: 'POST',
  path: '/api/customers',
  handler: 'functions/customers/create.ts',
  permission: 'customers:write',
  audit: 'customer.create',
  body: createCustomerBody,
  creates: 'customer',
  status: 201,
  response: customerSchema,
} as const satisfies Route;

export const getCustomer = {
  method: 'GET',
  path: '/api/customers/{id}',
  handler: 'functions/customers/get.ts',
  permission: 'customers:read',
  status: 200,
  response: customerSchema,
} as const satisfies Route;

export const updateCustomer = {
  method: 'PATCH',
  path: '/api/customers/{id}',
  handler: 'functions/customers/update.ts',
  permission: 'customers:write',
  audit: 'customer.update',
  body: updateCustomerBody,
  status: 200,
  response: customerSchema,
} as const satisfies Route;

export const deleteCustomer = {
  method: 'DELETE',
  path: '/api/customers/{id}',
  handler: 'functions/customers/delete.ts',
  permission: 'customers:write',
  audit: 'customer.delete',
  status: 200,
  response: customerDeletionSchema,
} as const satisfies Route;

export const listProducts = {
  method: 'GET',
  path: '/api/products',
  handler: 'functions/products/list.ts',
  permission: 'products:read',
  query: listProductsQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(productSchema),
} as const satisfies Route;

export const createProduct = {
  method: 'POST',
  path: '/api/products',
  handler: 'functions/products/create.ts',
  permission: 'products:write',
  audit: 'product.create',
  body: createProductBody,
  creates: 'product',
  status: 201,
  response: productSchema,
} as const satisfies Route;

export const getProduct = {
  method: 'GET',
  path: '/api/products/{id}',
  handler: 'functions/products/get.ts',
  permission: 'products:read',
  status: 200,
  response: productSchema,
} as const satisfies Route;

export const updateProduct = {
  method: 'PATCH',
  path: '/api/products/{id}',
  handler: 'functions/products/update.ts',
  permission: 'products:write',
  audit: 'product.update',
  body: updateProductBody,
  status: 200,
  response: productSchema,
} as const satisfies Route;

export const deleteProduct = {
  method: 'DELETE',
  path: '/api/products/{id}',
  handler: 'functions/products/delete.ts',
  permission: 'products:write',
  audit: 'product.delete',
  status: 200,
  response: productDeletionSchema,
} as const satisfies Route;

export const listDrafts = {
  method: 'GET',
  path: '/api/drafts',
  handler: 'functions/drafts/list.ts',
  permission: 'invoices:read',
  query: listDraftsQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(draftSchema),
} as const satisfies Route;

export const createDraft = {
  method: 'POST',
  path: '/api/drafts',
  handler: 'functions/drafts/create.ts',
  permission: 'invoices:write',
  audit: 'draft.create',
  body: createDraftBody,
  creates: 'draft',
  status: 201,
  response: draftSchema,
} as const satisfies Route;

export const getDraft = {
  method: 'GET',
  path: '/api/drafts/{id}',
  handler: 'functions/drafts/get.ts',
  permission: 'invoices:read',
  status: 200,
  response: draftSchema,
} as const satisfies Route;

export const updateDraft = {
  method: 'PATCH',
  path: '/api/drafts/{id}',
  handler: 'functions/drafts/update.ts',
  permission: 'invoices:write',
  audit: 'draft.update',
  body: updateDraftBody,
  status: 200,
  response: draftSchema,
} as const satisfies Route;

export const deleteDraft = {
  method: 'DELETE',
  path: '/api/drafts/{id}',
  handler: 'functions/drafts/delete.ts',
  permission: 'invoices:write',
  audit: 'draft.delete',
  status: 200,
  response: draftDeletionSchema,
} as const satisfies Route;

export const finalizeDraft = {
  method: 'POST',
  path: '/api/drafts/{id}/finalize',
  handler: 'functions/drafts/finalize.ts',
  permission: 'invoices:write',
  audit: 'draft.finalize',
  creates: 'invoice',
  createdIn: '/api/invoices',
  status: 201,
  resource: 'invoices',
  response: invoiceSchema,
} as const satisfies Route;

export const listSchedules = {
  method: 'GET',
  path: '/api/schedules',
  handler: 'functions/schedules/list.ts',
  permission: 'invoices:read',
  query: listSchedulesQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(scheduleSchema),
} as const satisfies Route;

export const createSchedule = {
  method: 'POST',
  path: '/api/schedules',
  handler: 'functions/schedules/create.ts',
  permission: 'invoices:write',
  audit: 'schedule.create',
  body: createScheduleBody,
  creates: 'schedule',
  status: 201,
  response: scheduleSchema,
} as const satisfies Route;

export const getSchedule = {
  method: 'GET',
  path: '/api/schedules/{id}',
  handler: 'functions/schedules/get.ts',
  permission: 'invoices:read',
  status: 200,
  response: scheduleSchema,
} as const satisfies Route;

export const updateSchedule = {
  method: 'PATCH',
  path: '/api/schedules/{id}',
  handler: 'functions/schedules/update.ts',
  permission: 'invoices:write',
  audit: 'schedule.update',
  body: updateScheduleBody,
  status: 200,
  response: scheduleSchema,
} as const satisfies Route;

export const skipSchedule = {
  method: 'POST',
  path: '/api/schedules/{id}/skip',
  handler: 'functions/schedules/skip.ts',
  permission: 'invoices:write',
  audit: 'schedule.skip',
  status: 200,
  response: scheduleSchema,
} as const satisfies Route;

export const runSchedule = {
  method: 'POST',
  path: '/api/schedules/{id}/run',
  handler: 'functions/schedules/run.ts',
  permission: 'invoices:write',
  audit: 'schedule.run',
  status: 200,
  response: scheduleSchema,
} as const satisfies Route;

export const previewSchedule = {
  method: 'GET',
  path: '/api/schedules/{id}/preview',
  handler: 'functions/schedules/preview.ts',
  permission: 'invoices:read',
  status: 200,
  response: schedulePreviewSchema,
} as const satisfies Route;

export const listScheduleOccurrences = {
  method: 'GET',
  path: '/api/schedules/{id}/occurrences',
  handler: 'functions/schedules/list-occurrences.ts',
  permission: 'invoices:read',
  query: listOccurrencesQuery,
  status: 200,
  response: occurrenceListSchema,
} as const satisfies Route;

export const listStatements = {
  method: 'GET',
  path: '/api/statements',
  handler: 'functions/statements/list.ts',
  permission: 'statements:read',
  query: listStatementsQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(statementSchema),
} as const satisfies Route;

export const createStatement = {
  method: 'POST',
  path: '/api/statements',
  handler: 'functions/statements/create.ts',
  permission: 'statements:write',
  audit: 'statement.create',
  body: createStatementBody,
  creates: 'statement',
  status: 201,
  response: statementSchema,
} as const satisfies Route;

export const getStatement = {
  method: 'GET',
  path: '/api/statements/{id}',
  handler: 'functions/statements/get.ts',
  permission: 'statements:read',
  status: 200,
  response: statementSchema,
} as const satisfies Route;

export const listStatementRows = {
  method: 'GET',
  path: '/api/statements/{id}/rows',
  handler: 'functions/statements/list-rows.ts',
  permission: 'statements:read',
  query: listRowsQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(statementRowSchema),
} as const satisfies Route;

export const matchStatementRow = {
  method: 'POST',
  path: '/api/statements/{id}/rows/{rowId}/match',
  handler: 'functions/statements/match-row.ts',
  permission: 'statements:write',
  audit: 'statement.match',
  query: forceQuery,
  body: matchRowBody,
  creates: 'payment',
  createdIn: '/api/payments',
  status: 201,
  resource: 'payments',
  response: paymentSchema,
} as const satisfies Route;

export const ignoreStatementRow = {
  method: 'POST',
  path: '/api/statements/{id}/rows/{rowId}/ignore',
  handler: 'functions/statements/ignore-row.ts',
  permission: 'statements:write',
  audit: 'statement.ignore',
  status: 200,
  response: ignoredRowSchema,
} as const satisfies Route;

export const linkStatementFile = {
  method: 'GET',
  path: '/api/statement-files/link',
  handler: 'functions/statements/link-file.ts',
  permission: 'statements:write',
  query: linkFileQuery,
  status: 200,
  response: fileLinkSchema,
} as const satisfies Route;

export const previewStatementFile = {
  method: 'GET',
  path: '/api/statement-files/preview',
  handler: 'functions/statements/preview-file.ts',
  permission: 'statements:write',
  query: previewFileQuery,
  status: 200,
  response: filePreviewSchema,
} as const satisfies Route;

export const listExports = {
  method: 'GET',
  path: '/api/exports',
  handler: 'functions/exports/list.ts',
  permission: 'exports:read',
  query: listExportsQuery,
  status: 200,
  response: /* @__PURE__ */ listOf(exportSchema),
} as const satisfies Route;

export const createExport = {
  method: 'POST',
  path: '/api/exports',
  handler: 'functions/exports/create.ts',
  permission: 'exports:write',
  audit: 'export.create',
  body: createExportBody,
  creates: 'export',
  status: 201,
  response: exportSchema,
} as const satisfies Route;

export const getExport = {
  method: 'GET',
  path: '/api/exports/{id}',
  handler: 'functions/exports/get.ts',
  permission: 'exports:read',
  status: 200,
  response: exportSchema,
} as const satisfies Route;

export const listDocuments = {
  method: 'GET',
  path: '/api/documents',
  handler: 'functions/documents/list.ts',
  permission: 'invoices:read',
  query: listDocumentsQuery,
  status: 200,
  response: documentListSchema,
} as const satisfies Route;

export const getDocument = {
  method: 'GET',
  path: '/api/documents/{id}',
  handler: 'functions/documents/get.ts',
  permission: 'invoices:read',
  status: 200,
  response: documentSchema,
} as const satisfies Route;

/** The gateway knows no parameter in a part of a segment, so the path does not end with `.pdf`. */
export const getDocumentPdf = {
  method: 'GET',
  path: '/api/documents/{id}/pdf',
  handler: 'functions/documents/pdf.ts',
  permission: 'invoices:read',
  query: documentPdfQuery,
  status: 200,
  file: 'application/pdf',
} as const satisfies Route;

export const listInvoiceDocuments = {
  method: 'GET',
  path: '/api/invoices/{id}/documents',
  handler: 'functions/invoices/list-documents.ts',
  permission: 'invoices:read',
  query: listDocumentsQuery,
  status: 200,
  response: documentListSchema,
} as const satisfies Route;

export const sendInvoice = {
  method: 'POST',
  path: '/api/invoices/{id}/send',
  handler: 'functions/invoices/send.ts',
  permission: 'invoices:write',
  audit: 'invoice.send',
  body: sendInvoiceBody,
  status: 200,
  response: mailSchema,
} as const satisfies Route;

export const listInvoiceMails = {
  method: 'GET',
  path: '/api/invoices/{id}/mails',
  handler: 'functions/invoices/list-mails.ts',
  permission: 'invoices:read',
  query: listMailsQuery,
  status: 200,
  response: mailListSchema,
} as const satisfies Route;

export const listMails = {
  method: 'GET',
  path: '/api/mails',
  handler: 'functions/mails/list.ts',
  permission: 'invoices:read',
  query: listMailsQuery,
  status: 200,
  response: mailListSchema,
} as const satisfies Route;

export const allowMailAddress = {
  method: 'POST',
  path: '/api/mails/{id}/allow-address',
  handler: 'functions/mails/allow-address.ts',
  permission: 'invoices:write',
  audit: 'mail.allow_address',
  status: 200,
  response: mailSchema,
} as const satisfies Route;

export const listEvents = {
  method: 'GET',
  path: '/api/events',
  handler: 'functions/events/list.ts',
  permission: 'events:read',
  query: listEventsQuery,
  status: 200,
  resource: 'events',
  response: eventListSchema,
} as const satisfies Route;

export const getEvent = {
  method: 'GET',
  path: '/api/events/{id}',
  handler: 'functions/events/get.ts',
  permission: 'events:read',
  status: 200,
  resource: 'events',
  response: eventSchema,
} as const satisfies Route;

export const listWebhooks = {
  method: 'GET',
  path: '/api/webhooks',
  handler: 'functions/webhooks/list.ts',
  permission: 'webhooks:read',
  query: listWebhooksQuery,
  status: 200,
  resource: 'webhooks',
  response: /* @__PURE__ */ listOf(webhookSchema),
} as const satisfies Route;

export const createWebhook = {
  method: 'POST',
  path: '/api/webhooks',
  handler: 'functions/webhooks/create.ts',
  permission: 'webhooks:write',
  audit: 'webhook.create',
  body: createWebhookBody,
  confidential: true,
  status: 201,
  resource: 'webhooks',
  response: webhookWithSecretSchema,
} as const satisfies Route;

export const getWebhook = {
  method: 'GET',
  path: '/api/webhooks/{id}',
  handler: 'functions/webhooks/get.ts',
  permission: 'webhooks:read',
  status: 200,
  resource: 'webhooks',
  response: webhookSchema,
} as const satisfies Route;

export const updateWebhook = {
  method: 'PATCH',
  path: '/api/webhooks/{id}',
  handler: 'functions/webhooks/update.ts',
  permission: 'webhooks:write',
  audit: 'webhook.update',
  body: updateWebhookBody,
  status: 200,
  resource: 'webhooks',
  response: webhookSchema,
} as const satisfies Route;

export const deleteWebhook = {
  method: 'DELETE',
  path: '/api/webhooks/{id}',
  handler: 'functions/webhooks/delete.ts',
  permission: 'webhooks:write',
  audit: 'webhook.delete',
  status: 200,
  response: webhookDeletionSchema,
} as const satisfies Route;

export const rotateWebhookSecret = {
  method: 'POST',
  path: '/api/webhooks/{id}/rotate-secret',
  handler: 'functions/webhooks/rotate-secret.ts',
  permission: 'webhooks:write',
  audit: 'webhook.rotate_secret',
  body: rotateSecretBody,
  confidential: true,
  status: 200,
  resource: 'webhooks',
  response: webhookWithSecretSchema,
} as const satisfies Route;

export const testWebhook = {
  method: 'POST',
  path: '/api/webhooks/{id}/test',
  handler: 'functions/webhooks/test.ts',
  permission: 'webhooks:write',
  audit: 'webhook.test',
  status: 200,
  response: testResultSchema,
} as const satisfies Route;

export const listDeliveries = {
  method: 'GET',
  path: '/api/webhooks/{id}/deliveries',
  handler: 'functions/webhooks/list-deliveries.ts',
  permission: 'webhooks:read',
  query: listDeliveriesQuery,
  status: 200,
  response: deliveryListSchema,
} as const satisfies Route;

export const redeliver = {
  method: 'POST',
  path: '/api/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  handler: 'functions/webhooks/redeliver.ts',
  permission: 'webhooks:write',
  audit: 'delivery.redeliver',
  status: 200,
  response: deliverySchema,
} as const satisfies Route;

export const startRecovery = {
  method: 'POST',
  path: '/api/webhooks/{id}/recover',
  handler: 'functions/webhooks/recover.ts',
  permission: 'webhooks:write',
  audit: 'webhook.recover',
  body: recoverBody,
  status: 200,
  response: recoverySchema,
} as const satisfies Route;

export const listAuditLog = {
  method: 'GET',
  path: '/api/audit-log',
  handler: 'functions/audit-log/list.ts',
  permission: 'audit:read',
  query: listAuditLogQuery,
  status: 200,
  response: auditLogSchema,
} as const satisfies Route;

export const listJournal = {
  method: 'GET',
  path: '/api/journal',
  handler: 'functions/journal/list.ts',
  permission: 'payments:read',
  query: listJournalQuery,
  status: 200,
  response: journalSchema,
} as const satisfies Route;

export const getSummary = {
  method: 'GET',
  path: '/api/summary',
  handler: 'functions/summary/get.ts',
  permission: 'payments:read',
  query: summaryQuery,
  status: 200,
  response: summarySchema,
} as const satisfies Route;

export const getBalance = {
  method: 'GET',
  path: '/api/balance',
  handler: 'functions/balance/get.ts',
  permission: 'payments:read',
  query: balanceQuery,
  status: 200,
  response: balanceSchema,
} as const satisfies Route;

export const searchRecords = {
  method: 'GET',
  path: '/api/search',
  handler: 'functions/search/find.ts',
  permission: searchPermissions,
  query: searchQuery,
  status: 200,
  response: searchResultsSchema,
} as const satisfies Route;

export const listApiKeys = {
  method: 'GET',
  path: '/api/keys',
  handler: 'functions/keys/list.ts',
  permission: 'keys:read',
  query: listKeysQuery,
  status: 200,
  resource: 'keys',
  response: /* @__PURE__ */ listOf(keySchema),
} as const satisfies Route;

export const createApiKey = {
  method: 'POST',
  path: '/api/keys',
  handler: 'functions/keys/create.ts',
  permission: 'keys:write',
  audit: 'key.create',
  body: createKeyBody,
  confidential: true,
  status: 201,
  resource: 'keys',
  response: keyWithValueSchema,
} as const satisfies Route;

export const getApiKey = {
  method: 'GET',
  path: '/api/keys/{id}',
  handler: 'functions/keys/get.ts',
  permission: 'keys:read',
  status: 200,
  resource: 'keys',
  response: keySchema,
} as const satisfies Route;

export const updateApiKey = {
  method: 'PATCH',
  path: '/api/keys/{id}',
  handler: 'functions/keys/update.ts',
  permission: 'keys:write',
  audit: 'key.update',
  body: updateKeyBody,
  status: 200,
  resource: 'keys',
  response: keySchema,
} as const satisfies Route;

export const revokeApiKey = {
  method: 'DELETE',
  path: '/api/keys/{id}',
  handler: 'functions/keys/revoke.ts',
  permission: 'keys:write',
  audit: 'key.revoke',
  status: 200,
  response: keyRevocationSchema,
} as const satisfies Route;

export const rollOverApiKey = {
  method: 'POST',
  path: '/api/keys/{id}/roll-over',
  handler: 'functions/keys/roll-over.ts',
  permission: 'keys:write',
  audit: 'key.roll_over',
  body: rollOverKeyBody,
  confidential: true,
  status: 200,
  resource: 'keys',
  response: keyWithValueSchema,
} as const satisfies Route;

export const getAccount = {
  method: 'GET',
  path: '/api/account',
  handler: 'functions/account/get.ts',
  permission: 'account:read',
  status: 200,
  response: accountSchema,
} as const satisfies Route;

export const updateAccount = {
  method: 'PATCH',
  path: '/api/account',
  handler: 'functions/account/update.ts',
  permission: 'account:write',
  audit: 'account.update',
  body: updateAccountBody,
  // A logo of 200 KB in base64, and all other fields of the seller profile.
  maxBodyBytes: 327_680,
  status: 200,
  response: accountSchema,
} as const satisfies Route;

export const getTestClock = {
  method: 'GET',
  path: '/api/test/clock',
  handler: 'functions/clock/test-clock.ts',
  permission: 'clock:read',
  status: 200,
  response: clockSchema,
} as const satisfies Route;

export const moveTestClock = {
  method: 'POST',
  path: '/api/test/clock',
  handler: 'functions/clock/test-clock.ts',
  functionOf: 'getTestClock',
  permission: 'clock:write',
  audit: 'clock.move',
  body: moveClockBody,
  status: 200,
  response: clockSchema,
} as const satisfies Route;

export const resetTestClock = {
  method: 'DELETE',
  path: '/api/test/clock',
  handler: 'functions/clock/test-clock.ts',
  functionOf: 'getTestClock',
  permission: 'clock:write',
  audit: 'clock.reset',
  status: 200,
  response: clockSchema,
} as const satisfies Route;

export const showPaymentPage = {
  method: 'GET',
  path: '/pay/{id}',
  handler: 'functions/pay/show.ts',
  status: 200,
} as const satisfies Route;

export const submitPaymentPage = {
  method: 'POST',
  path: '/pay/{id}',
  handler: 'functions/pay/submit.ts',
  status: 200,
} as const satisfies Route;

/** The last issue of the invoice, or with `?document=` one of its other documents. It is as public as the payment page. */
export const getPaymentPagePdf = {
  method: 'GET',
  path: '/pay/{id}/pdf',
  handler: 'functions/pay/pdf.ts',
  status: 200,
  file: 'application/pdf',
} as const satisfies Route;

/** The logo of the last issue of the invoice, at an address with its hash. The media type is that of the logo. */
export const getPaymentPageLogo = {
  method: 'GET',
  path: '/pay/{id}/logo',
  handler: 'functions/pay/logo.ts',
  status: 200,
} as const satisfies Route;

/** Asks whether the reader of a reminder wants no more. The query has the mail and its token. */
export const showReminders = {
  method: 'GET',
  path: '/pay/{id}/reminders',
  handler: 'functions/pay/show-reminders.ts',
  status: 200,
} as const satisfies Route;

/** Stops the reminders to the address of a mail: from the page, or from a program for mail. */
export const stopReminders = {
  method: 'POST',
  path: '/pay/{id}/reminders',
  handler: 'functions/pay/stop-reminders.ts',
  status: 200,
} as const satisfies Route;

/** Providers send notifications there. `{provider}` is the name of the provider. */
export const receiveNotification = {
  method: 'POST',
  path: '/notifications/{provider}/{account}',
  handler: 'functions/notifications/receive.ts',
  status: 200,
} as const satisfies Route;

export const openApi = {
  method: 'GET',
  path: '/openapi.json',
  handler: 'functions/meta/openapi.ts',
  status: 200,
} as const satisfies Route;

export const docs = {
  method: 'GET',
  path: '/docs',
  handler: 'functions/meta/docs.ts',
  status: 200,
} as const satisfies Route;

/** The other pages of the reference. */
export const docsPages = {
  method: 'GET',
  path: '/docs/{page+}',
  handler: 'functions/meta/docs.ts',
  functionOf: 'docs',
  status: 200,
} as const satisfies Route;

/** What the service offers to language models. */
export const llms = {
  method: 'GET',
  path: '/llms.txt',
  handler: 'functions/meta/docs.ts',
  functionOf: 'docs',
  status: 200,
} as const satisfies Route;

/** How to report a vulnerability (RFC 9116). */
export const securityText = {
  method: 'GET',
  path: '/.well-known/security.txt',
  handler: 'functions/meta/docs.ts',
  functionOf: 'docs',
  status: 200,
} as const satisfies Route;

export const notFound = {
  method: 'ANY',
  path: '/{proxy+}',
  handler: 'functions/meta/not-found.ts',
  status: 200,
} as const satisfies Route;

/** All routes. A function imports only its own route, so its bundle contains no other schemas. */
export const routes = {
  listInvoices,
  createInvoice,
  getInvoice,
  updateInvoice,
  cancelInvoice,
  replaceInvoice,
  confirmClaim,
  rejectClaim,
  listPayments,
  createPayment,
  getPayment,
  resolvePayment,
  voidPayment,
  listRefunds,
  createRefund,
  getRefund,
  listCustomers,
  createCustomer,
  getCustomer,
  updateCustomer,
  deleteCustomer,
  listProducts,
  createProduct,
  getProduct,
  updateProduct,
  deleteProduct,
  listDrafts,
  createDraft,
  getDraft,
  updateDraft,
  deleteDraft,
  finalizeDraft,
  listSchedules,
  createSchedule,
  getSchedule,
  updateSchedule,
  skipSchedule,
  runSchedule,
  previewSchedule,
  listScheduleOccurrences,
  listStatements,
  createStatement,
  getStatement,
  listStatementRows,
  matchStatementRow,
  ignoreStatementRow,
  linkStatementFile,
  previewStatementFile,
  listExports,
  createExport,
  getExport,
  listDocuments,
  getDocument,
  getDocumentPdf,
  listInvoiceDocuments,
  sendInvoice,
  listInvoiceMails,
  listMails,
  allowMailAddress,
  listEvents,
  getEvent,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  redeliver,
  startRecovery,
  listAuditLog,
  listJournal,
  getSummary,
  getBalance,
  searchRecords,
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  rollOverApiKey,
  getAccount,
  updateAccount,
  getTestClock,
  moveTestClock,
  resetTestClock,
  showPaymentPage,
  submitPaymentPage,
  getPaymentPagePdf,
  getPaymentPageLogo,
  showReminders,
  stopReminders,
  receiveNotification,
  openApi,
  docs,
  docsPages,
  llms,
  securityText,
  notFound,
} as const satisfies Record<string, Route>;
