/** Defines what the Razorpay double stores: payment links, payments, refunds and disputes. */
import type { Mode } from '../../../../shared/base/ids.ts';

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
  readonly customerEmail: string | undefined;
  readonly notes: Readonly<Record<string, string>>;
  status: 'created' | 'paid' | 'expired' | 'cancelled';
  readonly payments: PaymentState[];
}

export interface PaymentState {
  readonly id: string;
  readonly createdAt: number;
  readonly link: LinkState;
  readonly card: { readonly network: string; readonly last4: string } | undefined;
  /** With the fee, if the payer bears it. */
  readonly amount: number;
  /** The fee that the payer bears. */
  readonly customerFee: number;
  status: 'created' | 'authorized' | 'captured' | 'failed';
  /** Whether Razorpay has copied the notes of the link. Its events of 2024 have them, those of 2020 do not. */
  readonly hasNotes: boolean;
  /** The bank has not said yet whether it approves the payment. */
  isUnanswered: boolean;
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
  readonly phase: 'retrieval' | 'chargeback';
  status: 'open' | 'won' | 'lost' | 'closed';
}

/** What an event is about. */
export interface RazorpaySubject {
  readonly link?: LinkState;
  readonly payment?: PaymentState;
  /** The link whose order the event is about. */
  readonly order?: LinkState;
  readonly refund?: RazorpayRefundState;
  readonly dispute?: RazorpayDisputeState;
}
