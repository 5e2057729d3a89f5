/** Holds the sessions, payments, refunds and disputes of the Stripe double, and changes them. */
import type { Instant } from '../../../../shared/base/time.ts';
import { toSeconds } from '../../../../shared/base/time.ts';
import { doubleId } from '../common/double-id.ts';
import { type BookedPayment, newBehavior, type PayerAction } from '../common/provider-double.ts';
import {
  amountLeft,
  type ChargeState,
  type DisputeState,
  type IntentState,
  isRefundable,
  type RefundState,
  type SessionState,
} from './state.ts';
import { invalidRequest } from './stripe-error.ts';

/** What an event is about. */
export type EventSubject =
  | { readonly session: SessionState }
  | { readonly refund: RefundState }
  /** The payment intent of a charge. */
  | { readonly charge: IntentState }
  | { readonly dispute: DisputeState };

type Emit = (type: string, livemode: boolean, subject: EventSubject) => void;

const chargeStatuses = { pay: 'succeeded', decline: 'failed', later: 'pending' } as const;

const declined = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
} as const;

export class StripeAccount {
  readonly sessions = new Map<string, SessionState>();
  readonly intents = new Map<string, IntentState>();
  readonly refunds = new Map<string, RefundState>();
  readonly disputes = new Map<string, DisputeState>();
  readonly behavior = newBehavior();
  pendingRefunds = false;
  readonly #now: () => Instant;
  readonly #emit: Emit;

  constructor(now: () => Instant, emit: Emit) {
    this.#now = now;
    this.#emit = emit;
  }

  /** Returns the time in seconds since 1970. */
  seconds(): number {
    return toSeconds(this.#now());
  }

  /** Returns a payment intent, after its balance transaction was made. */
  intent(id: string): IntentState | undefined {
    const intent = this.intents.get(id);
    const charge = intent?.charge;
    if (charge?.status === 'succeeded' && charge.created + this.behavior.feesAfterSeconds <= this.seconds())
      charge.balanceTransaction ??= doubleId('txn_', 24);
    return intent;
  }

  /** Returns a session, after its expiry took effect. */
  session(id: string): SessionState | undefined {
    const session = this.sessions.get(id);
    if (session?.status === 'open' && session.expiresAt <= this.seconds()) this.#expire(session);
    return session;
  }

  /** @throws StripeDoubleError if the session is not open */
  expire(session: SessionState): void {
    if (session.status !== 'open') {
      throw invalidRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
      );
    }
    this.#expire(session);
  }

  #expire(session: SessionState): void {
    session.status = 'expired';
    if (session.intent) session.intent.status = 'canceled';
    this.#emit('checkout.session.expired', session.livemode, { session });
  }

  /** Does what the payer does. @returns false if the session is not open */
  act(id: string, action: PayerAction): boolean {
    const session = this.session(id);
    if (session?.status !== 'open') return false;
    // Stripe has no attempt that a bank approves after its session has expired: the expiry cancels the payment intent.
    if (action === 'unanswered') return true;
    session.intent ??= this.#newIntent(session);
    const { intent } = session;
    const card =
      action === 'later' ? undefined : { brand: 'visa', last4: action === 'pay' ? '4242' : '0002' };
    intent.charge = this.#newCharge(card, action);
    if (action === 'decline') {
      intent.lastError = declined;
      return true;
    }
    session.status = 'complete';
    intent.lastError = undefined;
    intent.status = action === 'pay' ? 'succeeded' : 'processing';
    session.paymentStatus = action === 'pay' ? 'paid' : 'unpaid';
    this.#emit('checkout.session.completed', session.livemode, { session });
    return true;
  }

  #newIntent(session: SessionState): IntentState {
    const intent: IntentState = {
      id: doubleId('pi_', 24),
      created: this.seconds(),
      session,
      status: 'requires_payment_method',
      lastError: undefined,
      charge: undefined,
    };
    this.intents.set(intent.id, intent);
    return intent;
  }

  #newCharge(card: ChargeState['card'], action: keyof typeof chargeStatuses): ChargeState {
    const [id, created] = [doubleId('ch_', 24), this.seconds()];
    const status = chargeStatuses[action];
    return { id, created, card, status, refunds: [], balanceTransaction: null, dispute: undefined };
  }

  /** Decides the outcome of a payment that was made with `later`. */
  settle(id: string, outcome: 'succeeded' | 'failed'): void {
    const session = this.sessions.get(id);
    const { intent } = session ?? {};
    if (!session || intent?.status !== 'processing' || !intent.charge)
      throw new Error(`${id} is not processing.`);
    intent.charge.status = outcome;
    intent.status = outcome === 'succeeded' ? 'succeeded' : 'requires_payment_method';
    if (outcome === 'succeeded') session.paymentStatus = 'paid';
    else intent.lastError = { ...declined, code: 'payment_intent_payment_attempt_failed', declineCode: null };
    this.#emit(`checkout.session.async_payment_${outcome}`, session.livemode, { session });
  }

  /** @throws StripeDoubleError if the payment does not have that much left */
  refund(intent: IntentState, amount: number, metadata: RefundState['metadata']): RefundState {
    const { charge } = intent;
    if (charge?.status !== 'succeeded') {
      throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
    }
    if (charge.dispute && !isRefundable(charge.dispute)) {
      throw invalidRequest(`Charge ${charge.id} has been charged back.`, undefined, 'charge_disputed');
    }
    const left = amountLeft(intent);
    if (left === 0) {
      throw invalidRequest(
        `Charge ${charge.id} has already been refunded.`,
        undefined,
        'charge_already_refunded',
      );
    }
    if (amount > left) {
      throw invalidRequest(
        `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
        'amount',
      );
    }
    const { balanceMinor } = this.behavior;
    if (balanceMinor !== undefined && amount > balanceMinor) {
      // docs.stripe.com/error-codes: balance_insufficient
      throw invalidRequest('Insufficient funds in Stripe account.', undefined, 'balance_insufficient');
    }
    const status = this.pendingRefunds ? 'pending' : 'succeeded';
    const refund: RefundState = {
      id: doubleId('re_', 24),
      created: this.seconds(),
      intent,
      amount,
      metadata,
      status,
    };
    charge.refunds.push(refund);
    this.refunds.set(refund.id, refund);
    this.#emit('refund.created', intent.session.livemode, { refund });
    // "Occurs whenever a charge is refunded, including partial refunds" (docs.stripe.com/api/events/types).
    this.#emit('charge.refunded', intent.session.livemode, { charge: intent });
    return refund;
  }

  refundInDashboard(intentId: string, amount: number): string {
    const intent = this.intents.get(intentId);
    if (!intent) throw new Error(`${intentId} does not exist.`);
    return this.refund(intent, amount, {}).id;
  }

  settleRefund(id: string, outcome: 'succeeded' | 'failed'): void {
    const refund = this.refunds.get(id);
    if (!refund) throw new Error(`${id} does not exist.`);
    refund.status = outcome;
    const { livemode } = refund.intent.session;
    this.#emit(outcome === 'failed' ? 'refund.failed' : 'refund.updated', livemode, { refund });
    this.#emit('charge.refund.updated', livemode, { refund });
  }

  openDispute(intentId: string, kind: 'dispute' | 'inquiry' = 'dispute'): string {
    const intent = this.intents.get(intentId);
    if (!intent?.charge) throw new Error(`${intentId} does not exist.`);
    const dispute: DisputeState = {
      id: doubleId('du_', 24),
      created: this.seconds(),
      intent,
      amount: intent.session.amount,
      status: kind === 'inquiry' ? 'warning_needs_response' : 'needs_response',
    };
    intent.charge.dispute = dispute;
    this.disputes.set(dispute.id, dispute);
    this.#emit('charge.dispute.created', intent.session.livemode, { dispute });
    return dispute.id;
  }

  closeDispute(id: string, outcome: 'won' | 'lost' | 'closed'): void {
    const dispute = this.disputes.get(id);
    if (!dispute) throw new Error(`${id} does not exist.`);
    dispute.status = outcome === 'closed' ? 'warning_closed' : outcome;
    this.#emit('charge.dispute.closed', dispute.intent.session.livemode, { dispute });
  }

  books(): BookedPayment[] {
    return [...this.intents.values()]
      .filter(({ status }) => status === 'succeeded')
      .map(({ id, session, charge }) => ({
        reference: id,
        key: session.clientReferenceId ?? undefined,
        mode: session.livemode ? 'live' : 'test',
        amountMinor: session.amount,
        currency: session.currency.toUpperCase(),
        refunds: (charge?.refunds ?? [])
          .filter(({ status }) => status !== 'failed' && status !== 'canceled')
          .map(({ id: reference, amount, metadata }) => ({
            reference,
            key: Object.values(metadata)[0],
            amountMinor: amount,
          })),
      }));
  }
}
