/** Names for what the OpenAPI document describes: resources, parameters, pages, errors. Types only, all derived. */
import type { components, operations } from './api-types.ts';
import type { Query } from './operation.ts';

type Schemas = components['schemas'];

export type Invoice = Schemas['Invoice'];
export type InvoiceCancellation = Schemas['InvoiceCancellation'];
export type InvoicePage = Schemas['InvoiceList'];
export type InvoiceListParams = Query<operations['listInvoices']>;
export type InvoiceCreateParams = Schemas['CreateInvoice'];
export type InvoiceUpdateParams = Settable<Schemas['UpdateInvoice']>;

export type Payment = Schemas['Payment'];
export type PaymentPage = Schemas['PaymentList'];
export type PaymentListParams = Query<operations['listPayments']>;
/** `method` says how it is paid, and so what goes with it. */
export type PaymentCreateParams = Schemas['CreatePayment'];
export type OfflinePaymentCreateParams = Schemas['CreateOfflinePayment'];
export type CardPaymentCreateParams = Schemas['CreateCardPayment'];

export type Refund = Schemas['Refund'];
export type RefundPage = Schemas['RefundList'];
export type RefundListParams = Query<operations['listRefunds']>;
export type RefundCreateParams = Schemas['CreateRefund'];

export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookDeletion = Schemas['WebhookDeletion'];
export type WebhookPage = Schemas['WebhookList'];
export type WebhookListParams = Query<operations['listWebhooks']>;
export type WebhookCreateParams = Schemas['CreateWebhook'];
export type WebhookUpdateParams = Schemas['UpdateWebhook'];
export type WebhookRotateSecretParams = Schemas['RotateWebhookSecret'];
export type WebhookTestResult = Schemas['WebhookTestResult'];
export type WebhookRecoverParams = Schemas['StartRecovery'];
export type WebhookRecovery = Schemas['Recovery'];
export type Delivery = Schemas['Delivery'];
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
export type DeliveryPage = Schemas['DeliveryList'];
export type DeliveryListParams = Query<operations['listDeliveries']>;

/** One of the kinds of events: its `type` says what `data` is. */
export type RemitEvent = Schemas['Event'];
export type EventType = RemitEvent['type'];
/** What a webhook endpoint receives: an event, or what `webhooks.test` sends. */
export type WebhookEvent = RemitEvent | Schemas['WebhookTestEvent'];
export type EventPage = Schemas['EventList'];
export type EventListParams = Query<operations['listEvents']>;

type AnyError = Schemas['Error']['error'];
export type ErrorType = AnyError['type'];
/** The codes that an error of that `type` can have. A newer service may know others. */
export type ErrorCode<Type extends ErrorType = ErrorType> =
  | Extract<AnyError, { type: Type }>['code']
  | (string & {});

/** The fields that have a type: those that can only be sent back as they are have none. */
type Settable<Fields> = {
  [Field in keyof Fields as unknown extends Fields[Field] ? never : Field]: Fields[Field];
};
