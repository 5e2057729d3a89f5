/** Answers the requests to the interface of the Stripe double. */
import type { DoubleRequest, DoubleResponse } from '../common/double-messages.ts';
import { requirePermission, type StripeKey } from './access.ts';
import type { StripeAccount } from './account.ts';
import { decodeForm, type Form, textAt, textsAt } from './form.ts';
import { showStripeIntent, showStripeSession } from './objects.ts';
import { showBalanceTransaction, showStripeDispute, showStripeRefund } from './refund-objects.ts';
import { checkMetadata, readSessionParams, requireKnown } from './session-params.ts';
import type { IntentState, SessionState } from './state.ts';
import { invalidRequest, noSuch, StripeDoubleError } from './stripe-error.ts';

export interface StripeCallContext {
  readonly account: StripeAccount;
  readonly key: StripeKey;
  /** The base of the payer's pages. */
  readonly url: string;
}

/** An operation whose parameters are read. `validate` throws before anything is executed. */
export interface StripeCall {
  readonly validate: () => void;
  readonly execute: () => object;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly resource: string;
  readonly plan: (context: StripeCallContext, form: Form, id: string) => StripeCall;
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/checkout\/sessions$/, resource: 'checkout_session', plan: createSession },
  { method: 'GET', path: /^\/v1\/checkout\/sessions$/, resource: 'checkout_session', plan: listSessions },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)$/,
    resource: 'checkout_session',
    plan: getSession,
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
    resource: 'checkout_session',
    plan: expireSession,
  },
  { method: 'GET', path: /^\/v1\/payment_intents$/, resource: 'payment_intent', plan: listIntents },
  { method: 'GET', path: /^\/v1\/payment_intents\/(\w+)$/, resource: 'payment_intent', plan: getIntent },
  { method: 'POST', path: /^\/v1\/refunds$/, resource: 'charge', plan: createRefund },
  { method: 'GET', path: /^\/v1\/refunds$/, resource: 'charge', plan: listRefunds },
  { method: 'GET', path: /^\/v1\/refunds\/(\w+)$/, resource: 'charge', plan: getRefund },
  { method: 'GET', path: /^\/v1\/disputes$/, resource: 'dispute', plan: listDisputes },
  {
    method: 'GET',
    path: /^\/v1\/balance_transactions\/(\w+)$/,
    resource: 'balance_transaction_source',
    plan: getBalanceTransaction,
  },
  { method: 'GET', path: /^\/v1\/account$/, resource: 'accounts_kyc_basic', plan: getAccount },
];

/**
 * Finds the operation of a request and reads its parameters.
 * @throws StripeDoubleError for an unknown path, and for a key that lacks the permission
 */
export function planCall(
  context: StripeCallContext,
  { method, path, query, body }: DoubleRequest,
): StripeCall {
  const route = routes.find((each) => each.method === method && each.path.test(path));
  if (!route) {
    const message = `Unrecognized request URL (${method}: ${path}).`;
    throw new StripeDoubleError(404, { type: 'invalid_request_error', message });
  }
  requirePermission(context.key, route.resource, method);
  const form = decodeForm(method === 'GET' ? query : new URLSearchParams(body));
  return route.plan(context, form, route.path.exec(path)?.[1] ?? '');
}

/** Returns an answer with status 200. */
export function answerOf(object: object): DoubleResponse {
  return { status: 200, body: JSON.stringify(object) };
}

const nothingToValidate = () => {};
const reads = (execute: () => object): StripeCall => ({ validate: nothingToValidate, execute });

/** Returns where the payer of a session pays. */
export function payUrlOf(url: string, { id }: SessionState): string {
  return `${url}/c/pay/${id}`;
}

function expandOf(form: Form, prefix = ''): ReadonlySet<string> {
  const paths = Object.values(textsAt(form, 'expand'));
  return new Set(paths.map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path)));
}

function requireSession({ account, key }: StripeCallContext, id: string): SessionState {
  const session = account.session(id);
  if (session?.livemode !== key.livemode) throw noSuch('checkout.session', id);
  return session;
}

function requireIntent({ account, key }: StripeCallContext, id: string): IntentState {
  const intent = account.intent(id);
  if (intent?.session.livemode !== key.livemode) throw noSuch('payment_intent', id);
  return intent;
}

function createSession({ account, key, url }: StripeCallContext, form: Form): StripeCall {
  const read = () => readSessionParams(form, key.livemode, account.seconds(), account.behavior);
  return {
    validate: read,
    execute: () => {
      const session = read();
      account.sessions.set(session.id, session);
      return showStripeSession(session, payUrlOf(url, session), expandOf(form));
    },
  };
}

function getSession(context: StripeCallContext, form: Form, id: string): StripeCall {
  return reads(() => {
    const session = requireSession(context, id);
    return showStripeSession(session, payUrlOf(context.url, session), expandOf(form));
  });
}

function expireSession(context: StripeCallContext, form: Form, id: string): StripeCall {
  return reads(() => {
    const session = requireSession(context, id);
    context.account.expire(session);
    return showStripeSession(session, payUrlOf(context.url, session), expandOf(form));
  });
}

const listNames = [
  'limit',
  'starting_after',
  'created.gt',
  'created.gte',
  'created.lt',
  'created.lte',
  'expand.*',
];

/** Lists objects, newest first, with the cursor and the limits that all lists have. */
function list<T extends { readonly id: string; readonly created: number }>(
  form: Form,
  url: string,
  filters: readonly string[],
  all: Iterable<T>,
  show: (each: T) => object,
): object {
  requireKnown(form, new Set([...listNames, ...filters]));
  const limit = Number(textAt(form, 'limit') ?? '10');
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidRequest('limit must be from 1 to 100.', 'limit');
  }
  const bound = (name: string, fallback: number) => Number(textAt(form, `created.${name}`) ?? fallback);
  const matching = [...all]
    .reverse()
    .filter(({ created }) => created >= bound('gte', 0) && created > bound('gt', -1))
    .filter(({ created }) => created <= bound('lte', Infinity) && created < bound('lt', Infinity));
  const after = textAt(form, 'starting_after');
  const start = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
  const data = matching.slice(start, start + limit).map(show);
  return { object: 'list', url, has_more: start + limit < matching.length, data };
}

function listSessions({ account, key, url }: StripeCallContext, form: Form): StripeCall {
  return reads(() => {
    const intent = textAt(form, 'payment_intent');
    const all = [...account.sessions.keys()].flatMap((id) => account.session(id) ?? []);
    const own = all.filter(
      (session) => session.livemode === key.livemode && (!intent || session.intent?.id === intent),
    );
    const expand = expandOf(form, 'data.');
    return list(form, '/v1/checkout/sessions', ['payment_intent'], own, (session) =>
      showStripeSession(session, payUrlOf(url, session), expand),
    );
  });
}

function listIntents({ account, key }: StripeCallContext, form: Form): StripeCall {
  return reads(() => {
    const own = [...account.intents.values()].filter(({ session }) => session.livemode === key.livemode);
    const expand = expandOf(form, 'data.');
    return list(form, '/v1/payment_intents', [], own, (intent) => showStripeIntent(intent, expand));
  });
}

function getIntent(context: StripeCallContext, form: Form, id: string): StripeCall {
  return reads(() => showStripeIntent(requireIntent(context, id), expandOf(form)));
}

const refundNames = new Set(['payment_intent', 'amount', 'metadata', 'expand.*']);

function createRefund(context: StripeCallContext, form: Form): StripeCall {
  const id = textAt(form, 'payment_intent') ?? '';
  const amount = textAt(form, 'amount');
  const metadata = textsAt(form, 'metadata');
  return {
    validate: () => {
      requireKnown(form, refundNames);
      checkMetadata(metadata, 'metadata');
      if (amount !== undefined && !/^[1-9]\d*$/.test(amount)) {
        throw invalidRequest(`Invalid positive integer: ${amount}`, 'amount', 'parameter_invalid_integer');
      }
    },
    execute: () => {
      const intent = requireIntent(context, id);
      return showStripeRefund(
        context.account.refund(intent, Number(amount ?? intent.session.amount), metadata),
      );
    },
  };
}

function listRefunds({ account, key }: StripeCallContext, form: Form): StripeCall {
  return reads(() => {
    const id = textAt(form, 'payment_intent');
    const own = [...account.refunds.values()].filter(
      ({ intent }) => intent.session.livemode === key.livemode && (!id || intent.id === id),
    );
    return list(form, '/v1/refunds', ['payment_intent', 'charge'], own, showStripeRefund);
  });
}

function getRefund({ account, key }: StripeCallContext, _: Form, id: string): StripeCall {
  return reads(() => {
    const refund = account.refunds.get(id);
    if (refund?.intent.session.livemode !== key.livemode) throw noSuch('refund', id);
    return showStripeRefund(refund);
  });
}

function listDisputes({ account, key }: StripeCallContext, form: Form): StripeCall {
  return reads(() => {
    const id = textAt(form, 'payment_intent');
    const own = [...account.disputes.values()].filter(
      ({ intent }) => intent.session.livemode === key.livemode && (!id || intent.id === id),
    );
    return list(form, '/v1/disputes', ['payment_intent', 'charge'], own, showStripeDispute);
  });
}

function getBalanceTransaction({ account, key }: StripeCallContext, _: Form, id: string): StripeCall {
  return reads(() => {
    const intent = [...account.intents.values()].find(({ charge }) => charge?.balanceTransaction === id);
    if (intent?.session.livemode !== key.livemode) throw noSuch('balance_transaction', id);
    return showBalanceTransaction(intent, account.behavior.country);
  });
}

function getAccount({ account }: StripeCallContext): StripeCall {
  return reads(() => ({
    id: 'acct_double0000000001',
    object: 'account',
    business_profile: { name: 'Double of Stripe' },
    charges_enabled: true,
    country: account.behavior.country,
    default_currency: 'usd',
    email: null,
    settings: { dashboard: { display_name: 'Double of Stripe' } },
    type: 'standard',
  }));
}
