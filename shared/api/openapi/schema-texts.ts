/** Holds the description of each schema of the document, and of each event type. */
import type { EventType } from '../../domain/events/event.ts';
import { updateInvoiceBody } from '../../domain/invoices/invoice.ts';
import { changeableFields, listed } from '../../domain/versions/read-only-fields.ts';
import type { SchemaName } from './named-schemas.ts';

export const schemaTexts: Readonly<Record<SchemaName, string>> = {
  Invoice: 'An invoice: the amount that a customer owes, what it is for, and when it is due.',
  InvoiceList: 'A page of invoices.',
  InvoiceCancellation: 'The result of cancelling an invoice.',
  CreateInvoice: 'The invoice to create.',
  UpdateInvoice: 'The fields of the invoice to change.',
  ReplaceInvoice: 'What the new invoice changes of the old one.',
  InvoiceLine: 'A line of an invoice, and what it comes to. Amounts are in the smallest currency unit.',
  InvoiceLineInput: 'A line of an invoice.',
  Discount: 'A discount: a share or an amount.',
  DiscountInput: 'A discount: send either `percent` or `amount`.',
  InvoiceTax:
    'A tax on an invoice. It is computed once on the sum of its lines and rounded. A half is rounded up.',
  InvoiceTotals:
    'What the lines of an invoice come to, in the smallest currency unit. The amount of the invoice is `taxable` plus `tax` plus `rounding`.',
  Payment: 'A payment of an invoice, or an attempt to pay it.',
  PaymentList: 'A page of payments.',
  CardSummary: 'The stored details of a card.',
  FailureCode: 'Why a payment or a refund failed. A newer version of the service can return other codes.',
  PaymentFees: 'What the payment provider keeps of a payment, and what you receive.',
  Dispute: 'A dispute: the customer asked their bank to take the money back.',
  CreatePayment: 'The payment to create. `method` determines which other fields you can send.',
  Card: 'A test card.',
  ResolvePayment: 'What you decide about a payment of another amount.',
  Refund: 'A refund of all or part of a payment.',
  RefundList: 'A page of refunds.',
  CreateRefund: 'The refund to create.',
  Customer: 'A customer: the name and the contact details of somebody who pays invoices.',
  CustomerList: 'A page of customers.',
  CustomerDeletion: 'The result of deleting a customer.',
  CreateCustomer: 'The customer to create. Send at least `name` or `email`.',
  UpdateCustomer: 'The fields of the customer to change.',
  Address: 'A postal address. Parts that you did not set are null.',
  Gst: 'The supply of an invoice with a tax of India.',
  GstInput: 'The supply of an invoice with a tax of India.',
  Buyer: 'Who buys, if the invoice itself says so.',
  BuyerInput: 'Who buys.',
  AddressInput: 'A postal address.',
  TaxId: 'A number under which a tax authority knows the customer or the seller.',
  TaxIdInput: 'A number under which a tax authority knows the customer.',
  Document: 'An invoice, a credit note or a receipt with its number. It is frozen when it is issued.',
  DocumentWithContent: 'A document with everything that it says.',
  DocumentList: 'A page of documents.',
  DocumentContent: 'What a document says.',
  DocumentSeller: 'The seller, as the document names it.',
  DocumentBuyer: 'The buyer, as the document names it.',
  Webhook: 'A webhook endpoint: a URL of yours that receives events.',
  WebhookList: 'A page of webhook endpoints.',
  WebhookWithSecret: 'A webhook endpoint with its new secret. Only this response contains the secret.',
  WebhookDeletion: 'The result of deleting a webhook endpoint.',
  WebhookDisabledReason: 'Why a webhook endpoint is disabled.',
  WebhookTestResult: 'The response of a webhook endpoint to a test event.',
  CreateWebhook: 'The webhook endpoint to create.',
  UpdateWebhook: 'The fields of the webhook endpoint to change.',
  RotateWebhookSecret: 'How long the current secret remains valid.',
  StartRecovery: 'Which deliveries to recover.',
  Recovery: 'A recovery that has started.',
  Delivery: 'The delivery of an event to a webhook endpoint.',
  DeliveryAttempt: 'One attempt to deliver an event.',
  DeliveryList: 'A page of deliveries.',
  AuditEntry: 'An operation that changed your account: who did what, when and from where.',
  AuditActor: 'Who did an operation.',
  AuditSettingChange: 'A setting before and after an operation.',
  AuditLog: 'A page of the audit log.',
  ApiKey: 'An API key, without its value.',
  ApiKeyList: 'A page of API keys.',
  ApiKeyWithValue: 'An API key with its value. Only this response contains the value.',
  ApiKeyRevocation: 'The result of revoking an API key.',
  Account: 'Your account.',
  UpdateAccount: 'The fields of the account to change.',
  Seller: 'A seller profile: who issues your invoices, and how they are numbered.',
  SellerInput: 'The fields of the seller profile to change. Fields that you do not send keep their values.',
  SellerSeries: 'The series of numbers, one for each kind of document.',
  SellerSeriesInput: 'The series of numbers to change.',
  NumberSeries: 'How the documents of a kind are numbered.',
  NumberSeriesInput: 'How the documents of a kind are numbered.',
  SellerTaxIdInput: 'A number under which a tax authority knows you.',
  TestClock: 'The clock of test mode.',
  MoveTestClock: 'Where to move the clock of test mode. Send exactly one of the fields.',
  CreateApiKey: 'The API key to create.',
  UpdateApiKey: 'The fields of the API key to change.',
  RollOverApiKey: 'How long the old key still works, and when the new key expires.',
  Event: 'A change of a resource. `type` tells you what happened and what kind of resource `data` is.',
  EventList: 'A page of events.',
  Pagination: 'The position of a page in its list.',
  Cursor: 'The position of a page in its list, and how to get the next page.',
};

const words = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const changeable = listed(changeableFields(updateInvoiceBody).map(words), 'or');

/** The description of each event type. */
export const eventTexts: Readonly<Record<EventType | 'webhook.test', string>> = {
  'invoice.created': 'An invoice was created.',
  'invoice.paid': 'An invoice was paid in full.',
  'invoice.updated': `The ${changeable} of an invoice was changed. Sent only to endpoints that list this event type, or \`all\`.`,
  'invoice.cancelled':
    'An invoice was cancelled. Sent only to endpoints that list this event type, or `all`.',
  'invoice.overdue':
    'The due date of a pending invoice has passed. Sent only to endpoints that list this event type, or `all`.',
  'payment.completed': 'A payment was completed.',
  'payment.failed': 'A payment failed. The invoice can still be paid.',
  'payment.disputed':
    'The customer disputed a payment, or its dispute changed. Sent only to endpoints that list this event type, or `all`.',
  'payment.held':
    'The provider took another amount than that of the invoice. The payment stays pending until you accept or refund it. Sent only to endpoints that list this event type, or `all`.',
  'refund.processed': 'A refund was processed.',
  'refund.failed':
    'A refund failed. Its amount can be refunded again. It can follow `refund.processed` by up to 30 days, if the bank of the payer returns the money. Sent only to endpoints that list this event type, or `all`.',
  'document.issued':
    'A document was issued, and has its number. Sent only to endpoints that list this event type, or `all`.',
  'webhook.test':
    'A test event that you requested. `data` is the webhook endpoint. Only messages contain it, and lists do not.',
};
