/** Shows the state of the Razorpay double as the entities of Razorpay's interface. */
import type { LinkState, PaymentState, RazorpayDisputeState, RazorpayRefundState } from './razorpay-state.ts';

/** @param url the base of the short addresses, see `shortUrlOf` */
export function showLink(link: LinkState, url: string): object {
  const paid = link.payments.filter(({ status }) => status === 'captured');
  return {
    accept_partial: false,
    amount: link.amount,
    amount_paid: paid.length > 0 ? link.amount : 0,
    callback_method: 'get',
    callback_url: link.callbackUrl,
    cancelled_at: 0,
    created_at: link.createdAt,
    currency: link.currency,
    customer: link.customerEmail === undefined ? {} : { email: link.customerEmail },
    description: link.description,
    expire_by: link.expireBy,
    expired_at: link.status === 'expired' ? link.expireBy : 0,
    first_min_partial_amount: 0,
    id: link.id,
    notes: notesOf(link.notes),
    notify: { email: false, sms: false, whatsapp: false },
    order_id: link.orderId,
    payments:
      paid.length > 0
        ? paid.map((payment) => ({
            amount: link.amount,
            created_at: payment.createdAt,
            method: payment.card ? 'card' : 'upi',
            payment_id: payment.id,
            status: payment.status,
          }))
        : null,
    reference_id: link.referenceId,
    reminder_enable: false,
    reminders: [],
    short_url: `${url}/i/${link.id}`,
    status: link.status,
    updated_at: link.createdAt,
    upi_link: false,
    user_id: '',
    whatsapp_link: false,
  };
}

/** Razorpay shows empty notes as an empty list. */
function notesOf(notes: Readonly<Record<string, string>>): object {
  return Object.keys(notes).length > 0 ? { ...notes } : [];
}

/** @param withCard whether the request expands the card */
export function showRazorpayPayment(payment: PaymentState, withCard = false): object {
  const { link, card, refunds, customerFee } = payment;
  const refunded = refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
  const isTaken = payment.status === 'captured';
  return {
    id: payment.id,
    entity: 'payment',
    amount: payment.amount,
    currency: link.currency,
    status: isTaken && refunded === payment.amount ? 'refunded' : payment.status,
    order_id: link.orderId,
    invoice_id: null,
    international: false,
    method: card ? 'card' : 'upi',
    amount_refunded: refunded,
    refund_status: refunded === 0 ? null : refunded === payment.amount ? 'full' : 'partial',
    captured: isTaken,
    description: `#${link.id.slice(6)}`,
    card_id: card ? 'card_double00000001' : null,
    ...(withCard && card && { card: { id: 'card_double00000001', entity: 'card', ...card } }),
    bank: null,
    wallet: null,
    vpa: card ? null : 'payer@upi',
    email: 'void@razorpay.com',
    contact: '+919000090000',
    notes: notesOf(payment.hasNotes ? link.notes : {}),
    // With the customer fee bearer model, the payer pays the fee and its tax beside the amount of the order
    // (razorpay.com/docs/payments/payment-gateway/customer-fee-bearer).
    fee: isTaken ? customerFee || Math.round(link.amount * 0.0236) : null,
    tax: isTaken ? Math.round((customerFee || link.amount * 0.0236) * 0.153) : null,
    fee_bearer: customerFee > 0 ? 'customer' : 'platform',
    error_code: payment.status === 'failed' ? 'BAD_REQUEST_ERROR' : null,
    error_description: payment.status === 'failed' ? 'Payment failed' : null,
    error_source: null,
    error_step: null,
    error_reason: payment.status === 'failed' ? 'payment_failed' : null,
    acquirer_data: {},
    created_at: payment.createdAt,
  };
}

/** Shows the order of a link. It has the reference and the notes of the link (…/docs/webhooks/payloads/payment-links). */
export function showOrder(link: LinkState): object {
  const isPaid = link.payments.some(({ status }) => status === 'captured');
  return {
    id: link.orderId,
    entity: 'order',
    amount: link.amount,
    amount_due: isPaid ? 0 : link.amount,
    amount_paid: isPaid ? link.amount : 0,
    attempts: link.payments.length,
    created_at: link.createdAt,
    currency: link.currency,
    notes: notesOf(link.notes),
    offer_id: null,
    receipt: link.referenceId,
    status: isPaid ? 'paid' : 'attempted',
  };
}

export function showRazorpayRefund(refund: RazorpayRefundState): object {
  return {
    id: refund.id,
    entity: 'refund',
    amount: refund.amount,
    currency: refund.payment.link.currency,
    payment_id: refund.payment.id,
    notes: notesOf(refund.notes),
    receipt: refund.receipt,
    acquirer_data: { arn: null },
    created_at: refund.createdAt,
    batch_id: null,
    status: refund.status,
    speed_processed: 'normal',
    speed_requested: 'normal',
  };
}

export function showRazorpayDispute(dispute: RazorpayDisputeState): object {
  const { link, id } = dispute.payment;
  return {
    id: dispute.id,
    entity: 'dispute',
    payment_id: id,
    amount: link.amount,
    currency: link.currency,
    amount_deducted: dispute.status === 'lost' ? link.amount : 0,
    gateway_dispute_id: null,
    reason_code: 'goods_or_services_not_received',
    respond_by: dispute.createdAt + 604_800,
    status: dispute.status,
    phase: dispute.phase,
    created_at: dispute.createdAt,
    evidence: null,
  };
}
