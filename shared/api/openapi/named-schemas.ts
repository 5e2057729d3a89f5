/** Names the schemas of the document. Generated clients use these names for their types. */
import type * as v from 'valibot';
import { cursorSchema, paginationSchema } from '../../base/pagination.ts';
import { clockSchema, moveClockBody } from '../../base/test-clock.ts';
import { balanceSchema, currencyBalanceSchema } from '../../domain/account-statements/customer-balance.ts';
import { accountSchema, updateAccountBody } from '../../domain/accounts/account-resource.ts';
import {
  createKeyBody,
  keyRevocationSchema,
  keySchema,
  keyWithValueSchema,
  rollOverKeyBody,
  updateKeyBody,
} from '../../domain/accounts/key.ts';
import { logoSchema, newLogoSchema } from '../../domain/accounts/logo.ts';
import { mailSettingsChangeSchema, mailSettingsSchema } from '../../domain/accounts/mail-settings.ts';
import {
  newSellerSeriesSchema,
  newSeriesSchema,
  sellerChangeSchema,
  sellerSchema,
  sellerSeriesSchema,
  sellerTaxIdSchema,
  seriesSchema,
} from '../../domain/accounts/seller.ts';
import { actorSchema, auditEntrySchema, settingChangeSchema } from '../../domain/audit/entry.ts';
import {
  discountSchema,
  lineSchema,
  newDiscountSchema,
  newLineSchema,
  taxRowSchema,
  totalsSchema,
} from '../../domain/charges/line.ts';
import {
  accountTaxSchema,
  newAccountTaxSchema,
  newTaxRateSchema,
  taxRateSchema,
} from '../../domain/charges/own-taxes.ts';
import {
  createCustomerBody,
  customerDeletionSchema,
  customerSchema,
  updateCustomerBody,
} from '../../domain/customers/customer.ts';
import {
  documentBuyerSchema,
  documentContentSchema,
  documentListSchema,
  documentSchema,
  documentSellerSchema,
  documentSummarySchema,
} from '../../domain/documents/document.ts';
import {
  createDraftBody,
  draftDeletionSchema,
  draftGstSchema,
  draftLineSchema,
  draftSchema,
  updateDraftBody,
} from '../../domain/drafts/draft.ts';
import { eventSchema } from '../../domain/events/event.ts';
import {
  createExportBody,
  exportFiltersSchema,
  exportPartSchema,
  exportSchema,
  shownFiltersSchema,
} from '../../domain/exports/export.ts';
import { claimSchema, confirmClaimBody, rejectClaimBody } from '../../domain/invoices/claim.ts';
import { gstSchema, newGstSchema } from '../../domain/invoices/indian-gst.ts';
import {
  cancellationSchema,
  createInvoiceBody,
  invoicePeriodSchema,
  invoiceSchema,
  replaceInvoiceBody,
  updateInvoiceBody,
} from '../../domain/invoices/invoice.ts';
import { journalEntrySchema, journalLineSchema, journalSchema } from '../../domain/journal/journal.ts';
import {
  agesSchema,
  currencySummarySchema,
  periodSchema,
  receivedBySchema,
  summarySchema,
} from '../../domain/journal/summary.ts';
import { mailListSchema, mailSchema, sendInvoiceBody } from '../../domain/mails/mail.ts';
import { buyerSchema, newBuyerSchema } from '../../domain/parties/buyer.ts';
import { addressSchema, newAddressSchema, newTaxIdSchema, taxIdSchema } from '../../domain/parties/party.ts';
import {
  createPaymentBody,
  disputeSchema,
  feesSchema,
  paymentSchema,
  resolvePaymentBody,
  settlementSchema,
  voidPaymentBody,
} from '../../domain/payments/payment.ts';
import { cardSchema, cardSummarySchema } from '../../domain/payments/provider/card.ts';
import { failureCodeSchema } from '../../domain/payments/provider/failures.ts';
import {
  createProductBody,
  newUnitAmountsSchema,
  productDeletionSchema,
  productSchema,
  unitAmountsSchema,
  updateProductBody,
} from '../../domain/products/product.ts';
import { createRefundBody, refundSchema } from '../../domain/refunds/refund.ts';
import {
  createScheduleBody,
  intervalSchema,
  newTemplateSchema,
  occurrenceListSchema,
  occurrenceSchema,
  plannedOccurrenceSchema,
  scheduleFailureSchema,
  schedulePreviewSchema,
  scheduleSchema,
  shownIntervalSchema,
  templateSchema,
  templateUpdateSchema,
  updateScheduleBody,
} from '../../domain/schedules/schedule.ts';
import { searchResultSchema, searchResultsSchema } from '../../domain/search/search.ts';
import { columnMappingSchema, newColumnMappingSchema } from '../../domain/statements/column-mapping.ts';
import { matchRowBody } from '../../domain/statements/row-decision.ts';
import {
  createStatementBody,
  ignoredRowSchema,
  newRowSchema,
  recordedPaymentSchema,
  refundSuggestionSchema,
  rowPaymentSchema,
  statementRowSchema,
  statementSchema,
  suggestionSchema,
} from '../../domain/statements/statement.ts';
import { fileLinkSchema, filePreviewSchema, fileRowSchema } from '../../domain/statements/statement-file.ts';
import { attemptSchema, deliverySchema, testResultSchema } from '../../domain/webhooks/delivery.ts';
import { filterSchema, newFilterSchema } from '../../domain/webhooks/event-filter.ts';
import {
  createWebhookBody,
  disabledReasonSchema,
  recoverBody,
  recoverySchema,
  rotateSecretBody,
  updateWebhookBody,
  webhookDeletionSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../domain/webhooks/webhook.ts';
import {
  listApiKeys,
  listAuditLog,
  listCustomers,
  listDeliveries,
  listDrafts,
  listEvents,
  listExports,
  listInvoices,
  listPayments,
  listProducts,
  listRefunds,
  listSchedules,
  listStatementRows,
  listStatements,
  listWebhooks,
} from '../routes.ts';

export const namedSchemas = {
  Invoice: invoiceSchema,
  InvoiceList: listInvoices.response,
  InvoiceCancellation: cancellationSchema,
  CreateInvoice: createInvoiceBody,
  UpdateInvoice: updateInvoiceBody,
  ReplaceInvoice: replaceInvoiceBody,
  Claim: claimSchema,
  ConfirmClaim: confirmClaimBody,
  RejectClaim: rejectClaimBody,
  InvoiceLine: lineSchema,
  InvoiceLineInput: newLineSchema,
  Discount: discountSchema,
  DiscountInput: newDiscountSchema,
  InvoiceTax: taxRowSchema,
  InvoiceTotals: totalsSchema,
  Payment: paymentSchema,
  PaymentList: listPayments.response,
  CardSummary: cardSummarySchema,
  FailureCode: failureCodeSchema,
  PaymentFees: feesSchema,
  Dispute: disputeSchema,
  Settlement: settlementSchema,
  CreatePayment: createPaymentBody,
  Card: cardSchema,
  ResolvePayment: resolvePaymentBody,
  VoidPayment: voidPaymentBody,
  Refund: refundSchema,
  RefundList: listRefunds.response,
  CreateRefund: createRefundBody,
  Customer: customerSchema,
  CustomerList: listCustomers.response,
  CustomerDeletion: customerDeletionSchema,
  CreateCustomer: createCustomerBody,
  UpdateCustomer: updateCustomerBody,
  Product: productSchema,
  ProductList: listProducts.response,
  ProductDeletion: productDeletionSchema,
  CreateProduct: createProductBody,
  UpdateProduct: updateProductBody,
  UnitAmounts: unitAmountsSchema,
  UnitAmountsInput: newUnitAmountsSchema,
  Draft: draftSchema,
  DraftList: listDrafts.response,
  DraftDeletion: draftDeletionSchema,
  DraftLine: draftLineSchema,
  DraftGst: draftGstSchema,
  CreateDraft: createDraftBody,
  UpdateDraft: updateDraftBody,
  Schedule: scheduleSchema,
  ScheduleList: listSchedules.response,
  ScheduleInterval: shownIntervalSchema,
  ScheduleIntervalInput: intervalSchema,
  ScheduleInvoice: templateSchema,
  ScheduleInvoiceInput: newTemplateSchema,
  ScheduleInvoiceUpdate: templateUpdateSchema,
  ScheduleFailure: scheduleFailureSchema,
  CreateSchedule: createScheduleBody,
  UpdateSchedule: updateScheduleBody,
  ScheduleOccurrence: occurrenceSchema,
  ScheduleOccurrenceList: occurrenceListSchema,
  PlannedOccurrence: plannedOccurrenceSchema,
  SchedulePreview: schedulePreviewSchema,
  InvoicePeriod: invoicePeriodSchema,
  Statement: statementSchema,
  StatementList: listStatements.response,
  CreateStatement: createStatementBody,
  StatementMapping: columnMappingSchema,
  StatementMappingInput: newColumnMappingSchema,
  StatementRow: statementRowSchema,
  StatementRowList: listStatementRows.response,
  StatementRowInput: newRowSchema,
  RowPayment: rowPaymentSchema,
  RowSuggestion: suggestionSchema,
  RowRefund: refundSuggestionSchema,
  RowRecordedPayment: recordedPaymentSchema,
  MatchStatementRow: matchRowBody,
  IgnoredStatementRow: ignoredRowSchema,
  StatementFileLink: fileLinkSchema,
  StatementFilePreview: filePreviewSchema,
  StatementFileRow: fileRowSchema,
  Export: exportSchema,
  ExportList: listExports.response,
  ExportPart: exportPartSchema,
  ExportFilters: shownFiltersSchema,
  CreateExport: createExportBody,
  ExportFiltersInput: exportFiltersSchema,
  Buyer: buyerSchema,
  BuyerInput: newBuyerSchema,
  Gst: gstSchema,
  GstInput: newGstSchema,
  Address: addressSchema,
  AddressInput: newAddressSchema,
  TaxId: taxIdSchema,
  TaxIdInput: newTaxIdSchema,
  DocumentWithContent: documentSchema,
  Document: documentSummarySchema,
  DocumentList: documentListSchema,
  DocumentContent: documentContentSchema,
  DocumentSeller: documentSellerSchema,
  DocumentBuyer: documentBuyerSchema,
  Mail: mailSchema,
  MailList: mailListSchema,
  SendInvoice: sendInvoiceBody,
  Webhook: webhookSchema,
  WebhookList: listWebhooks.response,
  WebhookWithSecret: webhookWithSecretSchema,
  WebhookDeletion: webhookDeletionSchema,
  WebhookDisabledReason: disabledReasonSchema,
  WebhookTestResult: testResultSchema,
  CreateWebhook: createWebhookBody,
  UpdateWebhook: updateWebhookBody,
  EventFilter: filterSchema,
  EventFilterInput: newFilterSchema,
  RotateWebhookSecret: rotateSecretBody,
  StartRecovery: recoverBody,
  Recovery: recoverySchema,
  Delivery: deliverySchema,
  DeliveryAttempt: attemptSchema,
  DeliveryList: listDeliveries.response,
  AuditEntry: auditEntrySchema,
  AuditActor: actorSchema,
  AuditSettingChange: settingChangeSchema,
  AuditLog: listAuditLog.response,
  Journal: journalSchema,
  JournalEntry: journalEntrySchema,
  JournalLine: journalLineSchema,
  Summary: summarySchema,
  CurrencySummary: currencySummarySchema,
  SummaryPeriod: periodSchema,
  ReceivedBy: receivedBySchema,
  OutstandingAges: agesSchema,
  Balance: balanceSchema,
  CurrencyBalance: currencyBalanceSchema,
  SearchResults: searchResultsSchema,
  SearchResult: searchResultSchema,
  ApiKey: keySchema,
  ApiKeyList: listApiKeys.response,
  ApiKeyWithValue: keyWithValueSchema,
  ApiKeyRevocation: keyRevocationSchema,
  CreateApiKey: createKeyBody,
  UpdateApiKey: updateKeyBody,
  RollOverApiKey: rollOverKeyBody,
  Account: accountSchema,
  UpdateAccount: updateAccountBody,
  MailSettings: mailSettingsSchema,
  MailSettingsInput: mailSettingsChangeSchema,
  Seller: sellerSchema,
  SellerInput: sellerChangeSchema,
  Logo: logoSchema,
  LogoInput: newLogoSchema,
  SellerSeries: sellerSeriesSchema,
  SellerSeriesInput: newSellerSeriesSchema,
  NumberSeries: seriesSchema,
  NumberSeriesInput: newSeriesSchema,
  SellerTaxIdInput: sellerTaxIdSchema,
  AccountTax: accountTaxSchema,
  AccountTaxInput: newAccountTaxSchema,
  TaxRate: taxRateSchema,
  TaxRateInput: newTaxRateSchema,
  TestClock: clockSchema,
  MoveTestClock: moveClockBody,
  Event: eventSchema,
  EventList: listEvents.response,
  Pagination: paginationSchema,
  Cursor: cursorSchema,
} as const satisfies Record<string, v.GenericSchema>;

export type SchemaName = keyof typeof namedSchemas;

/** The fields of a schema as they appear in requests or responses. A schema of texts has none. */
export type SchemaField<Name extends SchemaName> = FieldOf<v.InferInput<(typeof namedSchemas)[Name]>>;
type FieldOf<Value> = Value extends string ? never : keyof Value & string;

/** An example of a named schema. */
export type Example<Name extends SchemaName> = v.InferInput<(typeof namedSchemas)[Name]>;

/** Returns the name of `schema`. Throws if it has no name. */
export function schemaNameOf(schema: v.GenericSchema): SchemaName {
  const found = Object.entries<v.GenericSchema>(namedSchemas).find(([, named]) => named === schema);
  if (!found) throw new Error('The schema has no name. Add one to shared/api/openapi/named-schemas.ts.');
  return found[0] as SchemaName;
}
