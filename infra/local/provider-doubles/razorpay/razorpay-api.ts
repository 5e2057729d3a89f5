/** Answers the requests to the interface of the Razorpay double. */
import type { Mode } from '../../../../shared/base/ids.ts';
import { doubleId } from '../common/double-id.ts';
import type { DoubleRequest } from '../common/double-messages.ts';
import type { RazorpayAccount } from './razorpay-account.ts';
import { noSuchId, RazorpayDoubleError } from './razorpay-error.ts';
import {
  showLink,
  showRazorpayDispute,
  showRazorpayPayment,
  showRazorpayRefund,
} from './razorpay-objects.ts';
import type { LinkState, PaymentState } from './razorpay-state.ts';

export interface RazorpayCallContext {
  readonly account: RazorpayAccount;
  readonly mode: Mode;
  /** The base of the payer's pages. */
  readonly url: string;
}

type Answer = (context: RazorpayCallContext, request: DoubleRequest, id: string) => object;

const routes: readonly (readonly [string, RegExp, Answer])[] = [
  ['POST', /^\/v1\/payment_links$/, createLink],
  ['GET', /^\/v1\/payment_links$/, listLinks],
  [
    'GET',
    /^\/v1\/payment_links\/(\w+)$/,
    (context, _, id) => showLink(requireLink(context, id), context.url),
  ],
  ['POST', /^\/v1\/payment_links\/(\w+)\/cancel$/, cancelLink],
  ['GET', /^\/v1\/orders\/(\w+)\/payments$/, listOrderPayments],
  ['GET', /^\/v1\/payments$/, listAllPayments],
  [
    'GET',
    /^\/v1\/payments\/(\w+)$/,
    (context, request, id) => showRazorpayPayment(requirePayment(context, id), expandsCard(request)),
  ],
  ['POST', /^\/v1\/payments\/(\w+)\/capture$/, capturePayment],
  ['POST', /^\/v1\/payments\/(\w+)\/refund$/, createRefund],
  ['GET', /^\/v1\/payments\/(\w+)\/refunds$/, listPaymentRefunds],
  ['GET', /^\/v1\/disputes$/, listAllDisputes],
];

/** @throws RazorpayDoubleError for an unknown path and for bad parameters */
export function answerRazorpay(context: RazorpayCallContext, request: DoubleRequest): object {
  for (const [method, path, answer] of routes) {
    const match = path.exec(request.path);
    if (match && method === request.method) return answer(context, request, match[1] ?? '');
  }
  throw new RazorpayDoubleError('The requested URL was not found on the server.', undefined, 404);
}

const expandsCard = ({ query }: DoubleRequest) => query.getAll('expand[]').includes('card');

function collection<T>({ query }: DoubleRequest, all: readonly T[], show: (each: T) => object): object {
  const [count, skip] = [Number(query.get('count') ?? 10), Number(query.get('skip') ?? 0)];
  if (!(count >= 1 && count <= 100)) throw new RazorpayDoubleError('The count must be between 1 and 100.');
  const items = all
    .toReversed()
    .slice(skip, skip + count)
    .map(show);
  return { entity: 'collection', count: items.length, items };
}

/** Captures an authorized payment, whose whole amount must be sent (razorpay.com/docs/api/payments/capture). */
function capturePayment(context: RazorpayCallContext, request: DoubleRequest, id: string): object {
  const payment = requirePayment(context, id);
  const { amount, currency } = readBody(request, ['amount', 'currency']);
  if (payment.status === 'captured') throw new RazorpayDoubleError('This payment has already been captured');
  if (payment.status !== 'authorized' || !context.account.behavior.takesCaptures)
    throw new RazorpayDoubleError(
      'Only payments which have been authorized and not yet captured can be captured',
    );
  if (amount !== payment.amount || currency !== payment.link.currency)
    throw new RazorpayDoubleError('Capture amount must be equal to the amount authorized', 'amount');
  context.account.capture(payment);
  return showRazorpayPayment(payment);
}

function requireLink({ account, mode }: RazorpayCallContext, id: string): LinkState {
  const link = account.link(id);
  if (link?.mode !== mode) throw noSuchId();
  return link;
}

function requirePayment({ account, mode }: RazorpayCallContext, id: string): PaymentState {
  const payment = account.payments.get(id);
  if (payment?.link.mode !== mode) throw noSuchId();
  return payment;
}

function readBody({ body }: DoubleRequest, known: readonly string[]): Record<string, unknown> {
  const parsed = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
  const unknown = Object.keys(parsed).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new RazorpayDoubleError(`${unknown} is/are not required and should not be sent`);
  return parsed;
}

function readNotes(notes: unknown): Record<string, string> {
  const entries = Object.entries((notes ?? {}) as Record<string, string>);
  if (entries.length > 15 || entries.some(([, value]) => String(value).length > 256)) {
    throw new RazorpayDoubleError('Notes have up to 15 pairs of up to 256 characters.', 'notes');
  }
  return Object.fromEntries(entries);
}

const linkFields = [
  'accept_partial',
  'amount',
  'callback_method',
  'callback_url',
  'currency',
  'customer',
  'description',
  'expire_by',
  'notes',
  'notify',
  'reference_id',
  'reminder_enable',
];
const minExpirySeconds = 15 * 60;

function createLink({ account, mode, url }: RazorpayCallContext, request: DoubleRequest): object {
  const body = readBody(request, linkFields);
  const { amount, currency, description, expire_by: expireBy, reference_id: referenceId } = body;
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 100) {
    throw new RazorpayDoubleError('amount should be minimum 100 for INR', 'amount');
  }
  const { maxAmountMinor, takesEmails } = account.behavior;
  // razorpay/razorpay-node#431: the error names no field.
  if (maxAmountMinor !== undefined && amount > maxAmountMinor)
    throw new RazorpayDoubleError('amount exceeds maximum amount allowed.');
  const { email } = (body.customer ?? {}) as { readonly email?: string };
  if (email !== undefined && !takesEmails)
    throw new RazorpayDoubleError('The email must be a valid email address.', 'customer.email');
  if (currency !== 'INR') throw new RazorpayDoubleError('Currency is not supported', 'currency');
  if (typeof description !== 'string' || description.length > 2_048) {
    throw new RazorpayDoubleError('The description may not be greater than 2048 characters.', 'description');
  }
  if (typeof referenceId !== 'string' || referenceId.length > 40) {
    throw new RazorpayDoubleError('The reference id may not be greater than 40 characters.', 'reference_id');
  }
  if ([...account.links.values()].some((link) => link.mode === mode && link.referenceId === referenceId)) {
    throw new RazorpayDoubleError(
      `payment link with given reference_id (${referenceId}) already exists`,
      'reference_id',
    );
  }
  if (typeof expireBy !== 'number' || expireBy < account.seconds() + minExpirySeconds) {
    throw new RazorpayDoubleError('expire_by should be at least 15 minutes after current time', 'expire_by');
  }
  const { callback_url: callbackUrl, callback_method: callbackMethod } = body;
  if (typeof callbackUrl !== 'string' || !URL.canParse(callbackUrl) || callbackMethod !== 'get') {
    throw new RazorpayDoubleError('The callback url or method is invalid.', 'callback_url');
  }
  const link: LinkState = {
    id: doubleId('plink_', 14),
    mode,
    createdAt: account.seconds(),
    amount,
    currency,
    description,
    expireBy,
    referenceId,
    orderId: doubleId('order_', 14),
    callbackUrl,
    customerEmail: email,
    notes: readNotes(body.notes),
    status: 'created',
    payments: [],
  };
  account.links.set(link.id, link);
  return showLink(link, url);
}

function listLinks({ account, mode, url }: RazorpayCallContext, { query }: DoubleRequest): object {
  const [reference, payment] = [query.get('reference_id'), query.get('payment_id')];
  const found = [...account.links.keys()]
    .flatMap((id) => account.link(id) ?? [])
    .filter((link) => link.mode === mode)
    .filter(({ referenceId }) => reference === null || referenceId === reference)
    .filter(({ payments }) => payment === null || payments.some(({ id }) => id === payment));
  return { payment_links: found.map((link) => showLink(link, url)) };
}

function cancelLink(context: RazorpayCallContext, _: DoubleRequest, id: string): object {
  const link = requireLink(context, id);
  context.account.cancel(link);
  return showLink(link, context.url);
}

function listOrderPayments({ account, mode }: RazorpayCallContext, _: DoubleRequest, id: string): object {
  const link = [...account.links.values()].find((each) => each.orderId === id && each.mode === mode);
  if (!link) throw noSuchId();
  const items = account.attempts(link).map((payment) => showRazorpayPayment(payment));
  return { entity: 'collection', count: items.length, items };
}

function listAllPayments({ account, mode }: RazorpayCallContext, request: DoubleRequest): object {
  const from = Number(request.query.get('from') ?? 0);
  const own = [...account.payments.values()].filter(({ link }) => link.mode === mode);
  for (const { link } of own) account.attempts(link);
  return collection(
    request,
    own.filter(({ createdAt }) => createdAt >= from),
    (payment) => showRazorpayPayment(payment, expandsCard(request)),
  );
}

function createRefund(context: RazorpayCallContext, request: DoubleRequest, id: string): object {
  const payment = requirePayment(context, id);
  const { amount, notes, receipt } = readBody(request, ['amount', 'notes', 'receipt', 'speed']);
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 100) {
    throw new RazorpayDoubleError('The amount must be atleast INR 1.00', 'amount');
  }
  const refund = { amount, notes: readNotes(notes), receipt: typeof receipt === 'string' ? receipt : null };
  return showRazorpayRefund(context.account.refund(payment, refund));
}

function listPaymentRefunds(context: RazorpayCallContext, request: DoubleRequest, id: string): object {
  return collection(request, requirePayment(context, id).refunds, showRazorpayRefund);
}

function listAllDisputes({ account, mode }: RazorpayCallContext, request: DoubleRequest): object {
  const own = [...account.disputes.values()].filter(({ payment }) => payment.link.mode === mode);
  return collection(request, own, showRazorpayDispute);
}
