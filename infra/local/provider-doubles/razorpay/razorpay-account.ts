/** Holds the payment links, payments, refunds and disputes of the Razorpay double, and changes them. */
import type { Mode } from '../../../../shared/base/ids.ts';
import { type Instant, toSeconds } from '../../../../shared/base/time.ts';
import { doubleId } from '../common/double-id.ts';
import { type BookedPayment, newBehavior, type PayerAction } from '../common/provider-double.ts';
import { noSuchId, RazorpayDoubleError } from './razorpay-error.ts';
import type {
  LinkState,
  PaymentState,
  RazorpayDisputeState,
  RazorpayRefundState,
  RazorpaySubject,
} from './razorpay-state.ts';

/**
 * An attempt without an answer of the bank is `created`, and fails after ten minutes. Razorpay asks the bank for up to five
 * days, and a failed attempt becomes authorized then (razorpay.com/docs/payments/payments/late-authorisation).
 */
const failsAfterSeconds = 600;
const approvedWithinSeconds = 5 * 86_400;

type Emit = (event: string, mode: Mode, subject: RazorpaySubject) => void;

export class RazorpayAccount {
  readonly links = new Map<string, LinkState>();
  readonly payments = new Map<string, PaymentState>();
  readonly disputes = new Map<string, RazorpayDisputeState>();
  readonly behavior = newBehavior();
  pendingRefunds = false;
  readonly #now: () => Instant;
  readonly #emit: Emit;

  constructor(now: () => Instant, emit: Emit) {
    this.#now = now;
    this.#emit = emit;
  }

  seconds(): number {
    return toSeconds(this.#now());
  }

  /** Returns a link, after its expiry took effect. */
  link(id: string): LinkState | undefined {
    const link = this.links.get(id);
    if (link?.status === 'created' && link.expireBy <= this.seconds()) {
      link.status = 'expired';
      this.#emit('payment_link.expired', link.mode, { link });
    }
    return link;
  }

  /** @throws RazorpayDoubleError if the link is paid, expired or cancelled */
  cancel(link: LinkState): void {
    if (link.status !== 'created') {
      throw new RazorpayDoubleError(`Payment link cannot be cancelled as it is already ${link.status}`);
    }
    link.status = 'cancelled';
    this.#emit('payment_link.cancelled', link.mode, { link });
  }

  /** Does what the payer does. @returns false if the link cannot be paid any more */
  act(id: string, action: PayerAction): boolean {
    const link = this.link(id);
    if (link?.status !== 'created') return false;
    const status = {
      pay: 'captured',
      decline: 'failed',
      later: 'authorized',
      unanswered: 'created',
    } as const;
    const payment: PaymentState = {
      id: doubleId('pay_', 14),
      createdAt: this.seconds(),
      link,
      card:
        action === 'later' || action === 'unanswered'
          ? undefined
          : { network: 'Visa', last4: action === 'pay' ? '4242' : '0002' },
      status: status[action],
      hasNotes: this.behavior.copiesNotes,
      amount: link.amount + this.behavior.customerFeeMinor + this.behavior.differenceMinor,
      customerFee: this.behavior.customerFeeMinor,
      isUnanswered: action === 'unanswered',
      refunds: [],
    };
    link.payments.push(payment);
    this.payments.set(payment.id, payment);
    if (action === 'pay') this.capture(payment);
    else if (action !== 'unanswered') this.#emit(`payment.${payment.status}`, link.mode, { payment });
    return true;
  }

  /** Takes the money of a payment. */
  capture(payment: PaymentState): void {
    const { link } = payment;
    payment.status = 'captured';
    this.#emit('payment.captured', link.mode, { payment });
    this.#emit('order.paid', link.mode, { payment, order: link });
    // Razorpay documents the event for links that can be paid. It documents nothing for a link that has ended before.
    if (link.status !== 'created') return;
    link.status = 'paid';
    this.#emit('payment_link.paid', link.mode, { link, payment });
  }

  /** Returns the attempts of a link, after those failed that a bank has not answered for ten minutes. */
  attempts({ payments, mode }: LinkState): PaymentState[] {
    for (const payment of payments) {
      if (payment.status !== 'created' || payment.createdAt + failsAfterSeconds > this.seconds()) continue;
      payment.status = 'failed';
      this.#emit('payment.failed', mode, { payment });
    }
    return payments;
  }

  /** Decides the outcome of a payment that was made with `later` or `unanswered`. */
  settle(id: string, outcome: 'succeeded' | 'failed'): void {
    const link = this.link(id);
    const payment =
      link && this.attempts(link).find(({ status, isUnanswered }) => status === 'authorized' || isUnanswered);
    if (!payment) throw new Error(`${id} has no payment without an outcome.`);
    if (payment.isUnanswered && this.seconds() > payment.createdAt + approvedWithinSeconds)
      throw new Error(`Razorpay no longer asks about ${payment.id}.`);
    payment.isUnanswered = false;
    // An order is paid once. Razorpay returns what a bank approves after that.
    const isPaid = link.payments.some(({ status }) => status === 'captured');
    if (outcome === 'succeeded' && !isPaid) {
      if (payment.status !== 'authorized') {
        payment.status = 'authorized';
        this.#emit('payment.authorized', link.mode, { payment });
      }
      this.capture(payment);
    } else if (payment.status !== 'failed') {
      payment.status = 'failed';
      this.#emit('payment.failed', payment.link.mode, { payment });
    }
  }

  /** Returns the amount of a payment that is not refunded. Failed refunds do not count. */
  left({ amount: paid, refunds }: PaymentState): number {
    const active = refunds.filter(({ status }) => status !== 'failed');
    return paid - active.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** @throws RazorpayDoubleError if the payment does not have that much left */
  refund(
    payment: PaymentState,
    change: Pick<RazorpayRefundState, 'amount' | 'notes' | 'receipt'>,
  ): RazorpayRefundState {
    if (payment.status !== 'captured') throw new RazorpayDoubleError('The payment status should be captured');
    const left = this.left(payment);
    if (left === 0) throw new RazorpayDoubleError('The payment has been fully refunded already');
    if (change.amount > left) {
      throw new RazorpayDoubleError('The total refund amount is greater than the refund payment amount');
    }
    const { balanceMinor } = this.behavior;
    if (balanceMinor !== undefined && change.amount > balanceMinor) {
      // razorpay.com/docs/errors/payments/refunds
      throw new RazorpayDoubleError(
        'Your account does not have enough balance to carry out the refund operation.',
      );
    }
    const refund: RazorpayRefundState = {
      id: doubleId('rfnd_', 14),
      createdAt: this.seconds(),
      payment,
      ...change,
      status: this.pendingRefunds ? 'pending' : 'processed',
    };
    payment.refunds.push(refund);
    this.#emit('refund.created', payment.link.mode, { refund, payment });
    if (refund.status === 'processed') this.#emit('refund.processed', payment.link.mode, { refund, payment });
    return refund;
  }

  refundInDashboard(paymentId: string, amount: number): string {
    const payment = this.payments.get(paymentId);
    if (!payment) throw noSuchId();
    return this.refund(payment, { amount, notes: {}, receipt: null }).id;
  }

  settleRefund(id: string, outcome: 'succeeded' | 'failed'): void {
    const refund = [...this.payments.values()]
      .flatMap(({ refunds }) => refunds)
      .find((each) => each.id === id);
    if (!refund) throw noSuchId();
    refund.status = outcome === 'succeeded' ? 'processed' : 'failed';
    this.#emit(`refund.${refund.status}`, refund.payment.link.mode, { refund, payment: refund.payment });
  }

  openDispute(paymentId: string, kind: 'dispute' | 'inquiry' = 'dispute'): string {
    const payment = this.payments.get(paymentId);
    if (!payment) throw noSuchId();
    const dispute: RazorpayDisputeState = {
      id: doubleId('disp_', 14),
      createdAt: this.seconds(),
      payment,
      phase: kind === 'inquiry' ? 'retrieval' : 'chargeback',
      status: 'open',
    };
    this.disputes.set(dispute.id, dispute);
    this.#emit('payment.dispute.created', payment.link.mode, { payment, dispute });
    return dispute.id;
  }

  closeDispute(id: string, outcome: 'won' | 'lost' | 'closed'): void {
    const dispute = this.disputes.get(id);
    if (!dispute) throw noSuchId();
    dispute.status = outcome;
    this.#emit(`payment.dispute.${outcome}`, dispute.payment.link.mode, {
      payment: dispute.payment,
      dispute,
    });
  }

  books(): BookedPayment[] {
    return [...this.payments.values()]
      .filter(({ status }) => status === 'captured')
      .map(({ id, link, amount, customerFee, refunds }) => ({
        reference: id,
        key: link.referenceId,
        mode: link.mode,
        // The fee that the payer bears is never the merchant's.
        amountMinor: amount - customerFee,
        currency: link.currency,
        refunds: refunds
          .filter(({ status }) => status !== 'failed')
          .map(({ id: reference, amount, notes }) => ({
            reference,
            key: Object.values(notes)[0],
            amountMinor: amount,
          })),
      }));
  }
}
