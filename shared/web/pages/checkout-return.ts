/** Reads what the address of the page says about a payment without an outcome, and refreshes the page without a script. */
import { isRecordId } from '../../base/ids.ts';
import type { CheckoutReturn } from './payment-page-state.ts';
import type { PaymentPageView } from './payment-page-view.ts';

type PageQuery = Readonly<Record<string, string | string[]>>;

/**
 * Returns undefined if the address is not one to which a provider sends payers back. Razorpay adds parameters of its own to
 * the address. Some forms begin them with a second `?`, so the value ends there.
 */
export function checkoutReturnOf(query: PageQuery): CheckoutReturn | undefined {
  const [checkoutId = ''] = String(query.checkout ?? '').split('?');
  return isRecordId('checkout', checkoutId)
    ? { checkoutId, cancelled: query.cancelled !== undefined }
    : undefined;
}

/** The seconds between two refreshes, and how many of them have this length. Then the payer refreshes the page. */
const intervals = [
  { afterSeconds: 2, count: 10 },
  { afterSeconds: 5, count: 10 },
  { afterSeconds: 20, count: 15 },
] as const;

/**
 * Returns the query of a page that waits for the outcome of a payment: it names the payment, so that the page also says
 * that the payment failed. Returns undefined for other pages.
 */
export function waitingQueryOf(view: PaymentPageView): string | undefined {
  if (view.kind === 'confirming') return `?checkout=${view.checkoutId}`;
  if (view.kind === 'in_progress') return view.paymentId === undefined ? '?' : `?payment=${view.paymentId}`;
  return view.kind === 'cancelled' && view.money.kind === 'unsettled' ? '?' : undefined;
}

/** Returns when a page that waits for an outcome opens itself again. The address counts the refreshes. */
export function refreshOf(view: PaymentPageView, query: PageQuery) {
  const waiting = waitingQueryOf(view);
  if (waiting === undefined) return undefined;
  const seen = /^\d{1,3}$/.test(String(query.seen ?? '')) ? Number(query.seen) : 0;
  let before = 0;
  for (const { afterSeconds, count } of intervals) {
    before += count;
    if (seen < before) return { afterSeconds, to: `${waiting}${waiting === '?' ? '' : '&'}seen=${seen + 1}` };
  }
  return undefined;
}
