/** Names for what the OpenAPI document describes: resources, parameters, pages, errors. Types only, all derived. */
import type { operations } from './api-types.ts';
import type { Answer, Body, Failure, Query } from './operation.ts';

export type Invoice = Answer<operations['getInvoice']>;
export type InvoiceCancellation = Answer<operations['cancelInvoice']>;
export type InvoicePage = Answer<operations['listInvoices']>;
export type InvoiceListParams = Query<operations['listInvoices']>;
export type InvoiceCreateParams = Body<operations['createInvoice']>;
export type InvoiceUpdateParams = Settable<Body<operations['updateInvoice']>>;

export type Payment = Answer<operations['getPayment']>;
export type PaymentPage = Answer<operations['listPayments']>;
export type PaymentListParams = Query<operations['listPayments']>;
export type PaymentCreateParams = Body<operations['createPayment']>;

export type Refund = Answer<operations['getRefund']>;
export type RefundPage = Answer<operations['listRefunds']>;
export type RefundListParams = Query<operations['listRefunds']>;
export type RefundCreateParams = Body<operations['createRefund']>;

export type Webhook = Answer<operations['getWebhook']>;
export type WebhookWithSecret = Answer<operations['createWebhook']>;
export type WebhookDeletion = Answer<operations['deleteWebhook']>;
export type WebhookPage = Answer<operations['listWebhooks']>;
export type WebhookListParams = Query<operations['listWebhooks']>;
export type WebhookCreateParams = Body<operations['createWebhook']>;
export type WebhookUpdateParams = Body<operations['updateWebhook']>;
export type WebhookRotateSecretParams = Body<operations['rotateWebhookSecret']>;
export type WebhookTestResult = Answer<operations['testWebhook']>;
export type WebhookRecoverParams = Body<operations['startRecovery']>;
export type WebhookRecovery = Answer<operations['startRecovery']>;
export type Delivery = Answer<operations['redeliver']>;
export type DeliveryPage = Answer<operations['listDeliveries']>;
export type DeliveryListParams = Query<operations['listDeliveries']>;

export type EventType = Answer<operations['getEvent']>['type'];
/** One of the kinds of events: its `type` says what `data` is. */
export type RemitEvent = EventOf<EventType>;
/** What a webhook endpoint receives: an event, or what `webhooks.test` sends. */
export type WebhookEvent = EventOf<EventType | 'webhook.test'>;
export type EventPage = Omit<Answer<operations['listEvents']>, 'data'> & { data: RemitEvent[] };
export type EventListParams = Query<operations['listEvents']>;

type AnyError = Failure<operations[keyof operations]>['error'];
export type ErrorType = AnyError['type'];
/** The codes that an error of that `type` can have. A newer service may know others. */
export type ErrorCode<Type extends ErrorType = ErrorType> = CodeOf<AnyError, Type> | (string & {});

type CodeOf<Kind, Type> = Kind extends { type: infer Its; code: infer Code }
  ? Type extends Its
    ? Code
    : never
  : never;

/** The fields that have a type: those that can only be sent back as they are have none. */
type Settable<Fields> = {
  [Field in keyof Fields as unknown extends Fields[Field] ? never : Field]: Fields[Field];
};

type EventOf<Type> = Type extends string
  ? Omit<Answer<operations['getEvent']>, 'type' | 'data'> & { type: Type; data: DataOf<Type> }
  : never;

type DataOf<Type> = Type extends `invoice.${string}`
  ? Invoice
  : Type extends `payment.${string}`
    ? Payment
    : Type extends `refund.${string}`
      ? Refund
      : Webhook;
