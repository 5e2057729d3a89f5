/** Names the types of the OpenAPI document: resources, parameters, pages and errors. Contains derived types only. */
import type { addedFields, components, operations } from './api-types.ts';
import type { Query } from './operation.ts';

type Schemas = components['schemas'];

export type Invoice = Schemas['Invoice'];
export type InvoiceCancellation = Schemas['InvoiceCancellation'];
export type InvoicePage = Schemas['InvoiceList'];
export type InvoiceListParams = ListParams<Query<operations['listInvoices']>>;
export type InvoiceCreateParams = Schemas['CreateInvoice'];
export type InvoiceUpdateParams = Settable<Schemas['UpdateInvoice']>;
export type InvoiceClaimConfirmParams = Settable<Schemas['ConfirmClaim']>;
export type InvoiceClaimRejectParams = Settable<Schemas['RejectClaim']>;
export type InvoiceReplaceParams = Settable<Schemas['ReplaceInvoice']>;

export type Payment = Schemas['Payment'];
export type PaymentPage = Schemas['PaymentList'];
export type PaymentListParams = ListParams<Query<operations['listPayments']>>;
/** `method` determines which other fields are allowed. */
export type PaymentCreateParams = Schemas['CreatePayment'];
export type PaymentResolveParams = Schemas['ResolvePayment'];
export type PaymentVoidParams = Schemas['VoidPayment'];
export type OfflinePaymentCreateParams = Schemas['CreateOfflinePayment'];
export type CardPaymentCreateParams = Schemas['CreateCardPayment'];

export type Refund = Schemas['Refund'];
export type RefundPage = Schemas['RefundList'];
export type RefundListParams = ListParams<Query<operations['listRefunds']>>;
export type RefundCreateParams = Schemas['CreateRefund'];

export type Customer = Schemas['Customer'];
export type CustomerDeletion = Schemas['CustomerDeletion'];
export type Product = Schemas['Product'];
export type ProductDeletion = Schemas['ProductDeletion'];
export type ProductPage = Schemas['ProductList'];
export type ProductListParams = Query<operations['listProducts']>;
export type ProductCreateParams = Schemas['CreateProduct'];
export type ProductUpdateParams = Settable<Schemas['UpdateProduct']>;
export type CustomerPage = Schemas['CustomerList'];
export type CustomerListParams = Query<operations['listCustomers']>;
export type CustomerCreateParams = Schemas['CreateCustomer'];
export type CustomerUpdateParams = Settable<Schemas['UpdateCustomer']>;

export type Draft = Schemas['Draft'];
export type DraftDeletion = Schemas['DraftDeletion'];
export type DraftPage = Schemas['DraftList'];
export type DraftListParams = Query<operations['listDrafts']>;
export type DraftCreateParams = Schemas['CreateDraft'];
export type DraftUpdateParams = Settable<Schemas['UpdateDraft']>;

export type Schedule = Schemas['Schedule'];
export type SchedulePage = Schemas['ScheduleList'];
export type ScheduleListParams = Query<operations['listSchedules']>;
export type ScheduleCreateParams = Schemas['CreateSchedule'];
export type ScheduleUpdateParams = Settable<Schemas['UpdateSchedule']>;
export type ScheduleOccurrence = Schemas['ScheduleOccurrence'];
export type ScheduleOccurrencePage = Schemas['ScheduleOccurrenceList'];
export type ScheduleOccurrenceListParams = Query<operations['listScheduleOccurrences']>;
export type SchedulePreview = Schemas['SchedulePreview'];

export type Export = Schemas['Export'];
export type ExportPage = Schemas['ExportList'];
export type ExportListParams = Query<operations['listExports']>;
export type ExportCreateParams = Schemas['CreateExport'];
export type Statement = Schemas['Statement'];
export type StatementPage = Schemas['StatementList'];
export type StatementListParams = Query<operations['listStatements']>;
export type StatementCreateParams = Schemas['CreateStatement'];
export type StatementRow = Schemas['StatementRow'];
export type StatementRowPage = Schemas['StatementRowList'];
export type StatementRowListParams = Query<operations['listStatementRows']>;
export type StatementRowMatchParams = Schemas['MatchStatementRow'];
export type IgnoredStatementRow = Schemas['IgnoredStatementRow'];
export type StatementFileLink = Schemas['StatementFileLink'];
export type StatementFileLinkParams = Query<operations['linkStatementFile']>;
export type StatementFilePreview = Schemas['StatementFilePreview'];
export type StatementFilePreviewParams = Query<operations['previewStatementFile']>;

export type RemitDocument = Schemas['Document'];
export type DocumentWithContent = Schemas['DocumentWithContent'];
export type DocumentPage = Schemas['DocumentList'];
export type DocumentListParams = Query<operations['listDocuments']>;
export type DocumentPdfParams = Query<operations['getDocumentPdf']>;

export type Mail = Schemas['Mail'];
export type MailPage = Schemas['MailList'];
export type MailListParams = Query<operations['listMails']>;
export type InvoiceSendParams = Schemas['SendInvoice'];

export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookDeletion = Schemas['WebhookDeletion'];
export type WebhookPage = Schemas['WebhookList'];
export type WebhookListParams = Query<operations['listWebhooks']>;
export type WebhookCreateParams = Schemas['CreateWebhook'];
export type WebhookUpdateParams = Settable<Schemas['UpdateWebhook']>;
export type WebhookRotateSecretParams = Schemas['RotateWebhookSecret'];
export type WebhookTestResult = Schemas['WebhookTestResult'];
export type WebhookRecoverParams = Schemas['StartRecovery'];
export type WebhookRecovery = Schemas['Recovery'];

export type Account = Schemas['Account'];
export type AccountUpdateParams = Settable<Schemas['UpdateAccount']>;
export type Seller = Schemas['Seller'];

export type TestClock = Schemas['TestClock'];
export type TestClockMoveParams = Schemas['MoveTestClock'];
export type Delivery = Schemas['Delivery'];
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
export type DeliveryPage = Schemas['DeliveryList'];
export type DeliveryListParams = Query<operations['listDeliveries']>;

/** An event of any type. `type` determines the type of `data`. */
export type RemitEvent = Schemas['Event'];
export type EventType = RemitEvent['type'];
/** An event that a webhook endpoint receives, including the test event of `webhooks.test`. */
export type WebhookEvent = RemitEvent | Schemas['WebhookTestEvent'];
/** A version of the API in which a webhook endpoint gets its events. */
export type WebhookApiVersion = Schemas['Webhook']['apiVersion'];
/** The events that an endpoint of a version receives. `data` has the fields of that version only. */
export type WebhookEventIn<Version extends WebhookApiVersion> = Version extends WebhookEvent['apiVersion']
  ? WebhookEvent
  : InFirstVersion<WebhookEvent>;
export type EventPage = Schemas['EventList'];
export type EventListParams = Query<operations['listEvents']>;

export type AuditEntry = Schemas['AuditEntry'];
export type AuditPage = Schemas['AuditLog'];
export type AuditListParams = Query<operations['listAuditLog']>;

export type JournalEntry = Schemas['JournalEntry'];
export type JournalPage = Schemas['Journal'];
export type JournalListParams = Query<operations['listJournal']>;
export type Summary = Schemas['Summary'];
export type SummaryParams = Query<operations['getSummary']>;
export type Balance = Schemas['Balance'];
export type BalanceParams = Query<operations['getBalance']>;
export type SearchResults = Schemas['SearchResults'];
export type SearchResult = Schemas['SearchResult'];
export type SearchParams = Query<operations['searchRecords']>;

export type ApiKey = Schemas['ApiKey'];
export type ApiKeyWithValue = Schemas['ApiKeyWithValue'];
export type ApiKeyRevocation = Schemas['ApiKeyRevocation'];
export type ApiKeyPage = Schemas['ApiKeyList'];
export type ApiKeyListParams = Query<operations['listApiKeys']>;
export type ApiKeyCreateParams = Schemas['CreateApiKey'];
export type ApiKeyUpdateParams = Schemas['UpdateApiKey'];
export type ApiKeyRollOverParams = Schemas['RollOverApiKey'];

export type ErrorType = Schemas['ErrorDetail']['type'];
/** A parameter that is missing, unknown or invalid. */
export type FieldError = Schemas['FieldError'];
/** The codes of an error type. A newer version of the service can return other codes. */
export type ErrorCode<Type extends ErrorType = ErrorType> = Schemas['ErrorCodes'][Type] | (string & {});

/** The parameters of a list, where an array can also be a single value. */
type ListParams<Params> = {
  [Name in keyof Params]: Params[Name] extends readonly (infer One)[] | undefined
    ? One | readonly One[] | undefined
    : Params[Name];
};

/** The fields that can be changed. Read-only fields have the type `unknown` in the document. */
type Settable<Fields> = {
  [Field in keyof Fields as unknown extends Fields[Field] ? never : Field]: Fields[Field];
};

/** What version 2026-11-23 adds. */
type Added = addedFields['2026-11-23'];

/** Each event without it. */
type InFirstVersion<Event> = Event extends { data: infer Data }
  ? Omit<Event, Added['events'] | 'data'> & {
      /** Events of the first version do not name it. */
      apiVersion?: undefined;
      data: ResourceInFirstVersion<Data>;
    }
  : never;

type ResourceInFirstVersion<Data> = Data extends Invoice
  ? Omit<Data, Added['invoices']>
  : Data extends Payment
    ? Omit<Data, Added['payments'] | 'dispute'> & {
        dispute: Omit<NonNullable<Data['dispute']>, 'respondBy'> | null;
      }
    : Data extends Refund
      ? Omit<Data, Added['refunds']>
      : Omit<Data, Added['webhooks']>;
