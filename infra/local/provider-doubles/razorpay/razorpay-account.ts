/** Holds the payment links, payments, refunds and disputes of the Razorpay double, and changes them. */
import type { Mode } from '../../../../shared/ids.ts';
import { type Instant, toSeconds } from '../../../../shared/time.ts';
import { doubleId } from '../common/double-id.ts';
import { type BookedPayment, newBehavior, type PayerAction } from '../common/provider-double.ts';
import { noSuchId, RazorpayDoubleError } from './razorpay-error.ts';

/** Times are in seconds since 1970. */
export interface LinkState {
  readonly id: string;
  readonly mode: Mode;
  readonly createdAt: number;
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly expireBy: number;
  readonly referenceId: string;
  readonly orderId: string;
  readonly callbackUrl: string;
  readonly notes: Readonly<Record<string, string>>;
  status: 'created' | 'paid' | 'expired' | 'cancelled';
  readonly payments: PaymentState[];
}

export interface PaymentState {
  readonly id: string;
  readonly createdAt: number;
  readonly link: LinkState;
  readonly card: { readonly network: string; readonly last4: string } | undefined;
  status: 'authorized' | 'captured' | 'failed';
  readonly refunds: RazorpayRefundState[];
}

export interface RazorpayRefundState {
  readonly id: string;
  readonly createdAt: number;
  readonly payment: PaymentState;
  readonly amount: number;
  readonly notes: Readonly<Record<string, string>>;
  readonly receipt: string | null;
  status: 'pending' | 'processed' | 'failed';
}

export interface RazorpayDisputeState {
  readonly id: string;
  readonly createdAt: number;
  readonly payment: PaymentState;
  status: 'open' | 'won' | 'lost';
}

/** What an event is about. */
export interface RazorpaySubject {
  readonly link?: LinkState;
  readonly payment?: PaymentState;
  readonly refund?: RazorpayRefundState;
  readonly dispute?: RazorpayDisputeState;
}

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
    const status = { pay: 'captured', decline: 'failed', later: 'authorized' } as const;
    const payment: PaymentState = {
      id: doubleId('pay_', 14),
      createdAt: this.seconds(),
      link,
      card: action === 'later' ? undefined : { network: 'Visa', last4: action === 'pay' ? '4242' : '0002' },
      status: status[action],
      refunds: [],
    };
    link.payments.push(payment);
    this.payments.set(payment.id, payment);
    if (action === 'pay') this.#capture(payment);
    else this.#emit(`payment.${payment.status}`, link.mode, { payment });
    return true;
  }

  #capture(payment: PaymentState): void {
    const { link } = payment;
    payment.status = 'captured';
    link.status = 'paid';
    this.#emit('payment.captured', link.mode, { payment });
    this.#emit('payment_link.paid', link.mode, { link, payment });
  }

  /** Decides the outcome of a payment that was made with `later`. */
  settle(id: string, outcome: 'succeeded' | 'failed'): void {
    const payment = this.links.get(id)?.payments.find(({ status }) => status === 'authorized');
    if (!payment) throw new Error(`${id} has no authorized payment.`);
    if (outcome === 'succeeded') {
      this.#capture(payment);
    } else {
      payment.status = 'failed';
      this.#emit('payment.failed', payment.link.mode, { payment });
    }
  }

  /** Returns the amount of a payment that is not refunded. Failed refunds do not count. */
  left({ link, refunds }: PaymentState): number {
    const active = refunds.filter(({ status }) => status !== 'failed');
    return link.amount - active.reduce((sum, { amount }) => sum + amount, 0);
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
    const refund: RazorpayRefundState = {
      id: doubleId('rfnd_', 14),
      createdAt: this.seconds(),
      payment,
      ...change,
      status: this.pendingRefunds ? 'pending' : 'processed',
    };
    payment.refunds.push(refund);
    this.#emit('refund.created', payment.link.mode, { refund, payment });
    return refund;
  }

  settleRefund(id: string, outcome: 'succeeded' | 'failed'): void {
    const refund = [...this.payments.values()]
      .flatMap(({ refunds }) => refunds)
      .find((each) => each.id === id);
    if (!refund) throw noSuchId();
    refund.status = outcome === 'succeeded' ? 'processed' : 'failed';
    this.#emit(`refund.${refund.status}`, refund.payment.link.mode, { refund, payment: refund.payment });
  }

  openDispute(paymentId: string): string {
    const payment = this.payments.get(paymentId);
    if (!payment) throw noSuchId();
    const dispute: RazorpayDisputeState = {
      id: doubleId('disp_', 14),
      createdAt: this.seconds(),
      payment,
      status: 'open',
    };
    this.disputes.set(dispute.id, dispute);
    this.#emit('payment.dispute.created', payment.link.mode, { payment, dispute });
    return dispute.id;
  }

  closeDispute(id: string, outcome: 'won' | 'lost'): void {
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
      .map(({ id, link, refunds }) => ({
        reference: id,
        key: link.referenceId,
        mode: link.mode,
        amountMinor: link.amount,
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
