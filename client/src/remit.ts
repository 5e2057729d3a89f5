/** The package's entry: the client itself, and everything else that is public. */
import { callWith, type RemitOptions } from './call.ts';
import { type Events, eventsOf } from './events.ts';
import { type Invoices, invoicesOf } from './invoices.ts';
import { type Payments, paymentsOf } from './payments.ts';
import { type Refunds, refundsOf } from './refunds.ts';
import { type Webhooks, webhooksOf } from './webhooks.ts';

/** The API, as one key sees it. */
export class Remit {
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly events: Events;
  readonly webhooks: Webhooks;

  /** Connects to nothing yet. Throws a `RemitError` if the options cannot work. */
  constructor(options: RemitOptions) {
    const call = callWith(options);
    this.invoices = invoicesOf(call);
    this.payments = paymentsOf(call);
    this.refunds = refundsOf(call);
    this.events = eventsOf(call);
    this.webhooks = webhooksOf(call);
  }
}

export type { RemitOptions, RequestOptions, WriteOptions } from './call.ts';
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
export type { Invoices } from './invoices.ts';
export type { List } from './list.ts';
export type { Payments } from './payments.ts';
export type { Refunds } from './refunds.ts';
export type * from './schemas.ts';
export {
  verifyWebhook,
  type WebhookFailure,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts';
export type { Webhooks } from './webhooks.ts';
