/**
 * Checks messages against Stripe's published interface: the parameters that the adapter sends, and what the double answers. The
 * parameters come from where the objects come from (`stripe-objects.ts`).
 */
import * as v from 'valibot';
import { decodeForm } from '../../infra/local/provider-doubles/stripe/form.ts';
import {
  balanceTransaction,
  dispute,
  intent,
  session,
  stripeAccount,
  stripeListOf,
  stripeRefund,
  stripeText,
} from './stripe-objects.ts';

/** In a form, all values are texts. */
const whole = v.pipe(v.string(), v.regex(/^-?\d+$/));
const formFlag = v.picklist(['true', 'false']);

/** The parameters and the answer of each operation that the adapter calls. */
const operations = {
  'GET /v1/account': { params: v.strictObject({}), answer: stripeAccount },
  'GET /v1/balance_transactions/*': { params: v.strictObject({}), answer: balanceTransaction },
  'GET /v1/checkout/sessions': {
    params: v.strictObject({
      created: v.optional(v.strictObject({ gte: v.optional(whole), lte: v.optional(whole) })),
      limit: v.optional(whole),
    }),
    answer: stripeListOf(session),
  },
  'GET /v1/checkout/sessions/*': {
    params: v.strictObject({ expand: v.optional(v.record(v.string(), stripeText)) }),
    answer: session,
  },
  'GET /v1/disputes': {
    params: v.strictObject({ payment_intent: v.optional(stripeText), limit: v.optional(whole) }),
    answer: stripeListOf(dispute),
  },
  'GET /v1/payment_intents': {
    params: v.strictObject({
      created: v.optional(v.strictObject({ gte: v.optional(whole) })),
      expand: v.optional(v.record(v.string(), stripeText)),
      limit: v.optional(whole),
      starting_after: v.optional(stripeText),
    }),
    answer: stripeListOf(intent),
  },
  'GET /v1/payment_intents/*': {
    params: v.strictObject({ expand: v.optional(v.record(v.string(), stripeText)) }),
    answer: intent,
  },
  'GET /v1/refunds': {
    params: v.strictObject({ payment_intent: v.optional(stripeText), limit: v.optional(whole) }),
    answer: stripeListOf(stripeRefund),
  },
  'POST /v1/checkout/sessions': {
    params: v.strictObject({
      mode: v.optional(v.picklist(['payment', 'setup', 'subscription'])),
      client_reference_id: v.optional(stripeText),
      metadata: v.optional(v.record(v.string(), stripeText)),
      line_items: v.optional(
        v.record(
          v.string(),
          v.strictObject({
            quantity: v.optional(whole),
            price_data: v.optional(
              v.strictObject({
                currency: stripeText,
                unit_amount: v.optional(whole),
                product_data: v.optional(v.strictObject({ name: stripeText })),
              }),
            ),
          }),
        ),
      ),
      customer_email: v.optional(stripeText),
      payment_intent_data: v.optional(
        v.strictObject({
          metadata: v.optional(v.record(v.string(), stripeText)),
          description: v.optional(stripeText),
        }),
      ),
      adaptive_pricing: v.optional(v.strictObject({ enabled: v.optional(formFlag) })),
      expires_at: v.optional(whole),
      success_url: v.optional(stripeText),
      cancel_url: v.optional(stripeText),
      billing_address_collection: v.optional(v.picklist(['auto', 'required'])),
    }),
    answer: session,
  },
  'POST /v1/checkout/sessions/*/expire': { params: v.strictObject({}), answer: session },
  'POST /v1/refunds': {
    params: v.strictObject({
      payment_intent: v.optional(stripeText),
      amount: v.optional(whole),
      metadata: v.optional(v.record(v.string(), stripeText)),
    }),
    answer: stripeRefund,
  },
} as const;

/** Whether the adapter calls an operation, so that it is described here. */
export const isDescribed = (operation: string): boolean => Object.hasOwn(operations, operation);

/** Returns what is wrong with the parameters of a request: unknown and missing names, and wrong values. */
export function checkStripeRequest(operation: string, params: URLSearchParams): string[] {
  return problemsOf(operation, descriptionOf(operation).params, decodeForm(params));
}

/** Returns what is wrong with an answer: unknown and missing names, and wrong values. */
export function checkStripeAnswer(operation: string, answer: unknown): string[] {
  return problemsOf(operation, descriptionOf(operation).answer, answer);
}

function descriptionOf(operation: string): {
  readonly params: v.GenericSchema;
  readonly answer: v.GenericSchema;
} {
  if (!isDescribed(operation)) throw new Error(`The description does not have ${operation}.`);
  return operations[operation as keyof typeof operations];
}

function problemsOf(operation: string, schema: v.GenericSchema, value: unknown): string[] {
  const { issues = [] } = v.safeParse(schema, value);
  return issues.map((issue) => `${operation} ${v.getDotPath(issue)}: ${issue.message}`);
}
