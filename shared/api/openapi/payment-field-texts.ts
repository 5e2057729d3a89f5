/** Describes the fields of payments and refunds. */
import {
  createdAt,
  currency,
  type FieldTexts,
  metadata,
  newMetadata,
  pagination,
  updatedAt,
} from './common-field-texts.ts';

export const paymentFieldTexts: Pick<
  FieldTexts,
  | 'Payment'
  | 'PaymentList'
  | 'CardSummary'
  | 'PaymentFees'
  | 'Dispute'
  | 'CreatePayment'
  | 'Settlement'
  | 'Card'
  | 'ResolvePayment'
  | 'VoidPayment'
  | 'Refund'
  | 'RefundList'
  | 'CreateRefund'
> = {
  Payment: {
    id: 'The ID of the payment.',
    invoiceId: 'The ID of the invoice that this payment pays.',
    customerId: 'The customer of the invoice.',
    amount:
      'The amount paid, in the smallest currency unit. It is what was due, a part of it, or what the payment provider took.',
    currency,
    status:
      'The status of the payment: `pending` until the outcome is known, then `completed` or `failed`. Both are final. Refunds do not change the status.',
    method:
      'The payment method: `card` for a card, `offline` for money received outside Remit, `provider` for a payment on the page of a payment provider, `credit` for credit of the customer.',
    card: 'The card used for the payment. Null if no card was used, or if it is not known.',
    reference:
      'Your reference for an offline payment, such as a receipt number, or the ID of the payment at the payment provider. Null if it is not set.',
    amountRefunded: 'The total of all processed refunds of this payment, in the smallest currency unit.',
    failureCode: 'The reason for the failure, as a code. Null unless the payment failed.',
    failureMessage:
      'The reason for the failure, as a message that you can show to the customer. Null unless the payment failed.',
    dispute: 'The last dispute of the payment. Null if the customer did not dispute it.',
    pendingReason:
      'Why the payment is pending: `processing` if the bank or the provider has not decided yet, which can take days. To go on without it, change the invoice with `force=payment_in_progress`. `not_captured` if the bank has approved it and nobody has captured it yet. `amount_differs` if the provider took another amount, and you must accept or refund it. Null unless the payment is pending.',
    amountOver:
      'What is more than was due, if you recorded it with `acceptOver`, also for a paid invoice, or accepted a payment of another amount, with what the payment provider had returned by then. All of it, if you cancelled the invoice with `payments=credit`. It is credit of the customer, as far as it is not refunded. In the smallest currency unit.',
    fees: 'What the payment provider keeps of the payment. Null for a payment that no provider received, until the provider knows it, and if the provider does not tell it. Payers never see it. It can be added minutes after the payment is completed: `payment.updated` announces it.',
    createdAt,
    updatedAt,
    metadata,
    receivedOn: 'The day on which you received an offline payment. Null if it is not set.',
    bank: 'The bank or the way by which an offline payment arrived. Null if it is not set.',
    note: 'Your note about an offline payment. Payers never see it. Null if it is not set.',
    settle: 'What was written off with the payment. Null if nothing was.',
    voidedAt: 'When you voided the payment. Then it does not count. Null otherwise.',
    voidReason: 'Why you voided the payment. Payers never see it. Null if it is not voided.',
    statementRow: 'The row of a bank statement that shows the money. Null if no row shows it.',
    claim: 'The claim of the payer that the payment confirms. Null if it confirms none.',
    amountCredited:
      'The part of `amountOver` that pays other invoices, in the smallest currency unit. It cannot be refunded.',
    creditFrom: 'The payment whose credit this one uses. Null unless the `method` is `credit`.',
  },
  ResolvePayment: {
    action:
      '`accept` completes the payment and pays the invoice with it. `refund` fails the payment and returns all of its money.',
  },
  VoidPayment: { reason: 'Why the payment does not count, for your own records.' },
  PaymentList: { data: 'The payments, newest first.', pagination },
  CardSummary: { brand: 'The card network.', last4: 'The last four digits of the card number.' },
  PaymentFees: {
    amount: 'The fee with its tax, in the smallest unit of the currency of the fees.',
    tax: 'The tax on the fee. It is a part of the amount.',
    net: 'What you receive of the payment, in the smallest unit of the currency of the fees. Refunds are not subtracted.',
    currency:
      'The currency in which the provider settles with you. It can differ from the currency of the payment.',
  },
  Dispute: {
    status:
      'The status of the dispute: `inquiry` if the bank has only asked and no money has moved, `open`, `won` if you keep the money, `lost` if the customer gets it back, or `closed` after an inquiry. A refund can settle an inquiry. While a dispute is open, the payment cannot be refunded.',
    reason: 'The reason, in the words of the payment provider, for example `fraudulent`.',
    amount: 'The disputed amount, in the smallest currency unit.',
    openedAt: 'When Remit learned of the dispute.',
    respondBy:
      'Until when you must answer the dispute at the payment provider. Left out if the provider does not say.',
  },
  CreatePayment: {
    invoiceId: 'The ID of the invoice to pay.',
    method: 'The payment method.',
    reference:
      'Your reference for the payment, such as the number of a receipt or of a bank transfer. It must not contain a card number.',
    card: 'The test card to charge.',
    amount:
      'What is paid, in the smallest currency unit: all that is due, which is the default, or less if the invoice has `acceptPartial`, or more with `acceptOver`. With credit, it is at most what is left of it, and the default is as much as possible. Any other amount gets `invalid_amount`.',
    metadata: newMetadata,
    receivedOn:
      'The day on which you received the money, if it is not today. In the form `2026-03-31`, and not in the future.',
    bank: 'The bank or the way by which the money arrived, such as `Bank of Bhutan` or `cash`. A `reference` pays only once for each bank, and once without a bank: then another request gets `reference_already_used`. Zeros, `NA`, `cash` and `cheque` alone are no references.',
    note: 'A note for the people of your account. Payers never see it.',
    claim:
      'The open claim of the invoice that the payment confirms. `amount`, `bank`, `reference` and `receivedOn` are those of the claim if you leave them out. If a payment of the invoice has its amount or reference, you get `reference_already_used`. Only with the method `offline`.',
    settle:
      'Closes the invoice although less than what is due was paid. The rest is written off, up to `seller.writeOffPercent` of the account. Only with the method `offline`.',
    creditFrom:
      'The payment whose credit is used: one with `amountOver`, of the same customer and currency. The default is the oldest one with credit. Only with the method `credit`.',
    currency: 'The currency that you expect. Another one than that of the invoice gets `invalid_currency`.',
    allowDuplicateReference:
      'True if this is other money, although another payment has this `reference` of this `bank`, or without a bank.',
    acceptOver:
      'True if you received more than what is due. The rest is kept as `amountOver`: you can refund it, or use it as credit. Of a paid invoice, that is all of the `amount`, which you must send. Without it, such an amount gets `invalid_amount` or `invoice_already_paid`. Not together with `settle`. Only with the method `offline`.',
  },
  Settlement: {
    writeOff: 'What is written off, in the smallest currency unit. With the amount, it comes to what is due.',
    reason: 'Why: `tds` if the buyer withholds tax at the source, `bank_charge`, `discount` or `other`.',
  },
  Card: {
    number:
      'The card number. Spaces and hyphens between digits are allowed. Only test card numbers are accepted.',
    expMonth: 'The expiry month, from 1 to 12. The card is valid until the end of this month.',
    expYear: 'The expiry year, in four digits.',
    cvc: 'The security code, 3 or 4 digits.',
  },
  Refund: {
    id: 'The ID of the refund.',
    paymentId: 'The ID of the refunded payment.',
    invoiceId: 'The ID of the invoice that the payment paid.',
    amount: 'The amount refunded, in the smallest currency unit.',
    currency,
    status:
      'The status of the refund: `pending` until it is carried out, then `processed` or `failed`. In rare cases a processed refund fails up to 30 days later, because the bank of the payer returns the money.',
    reason: 'Your reason for the refund. Null if you did not set one.',
    failureCode: 'The reason for the failure, as a code. Null unless the refund failed.',
    createdAt,
    updatedAt,
    metadata,
    source:
      'Who made the refund: `remit`, through the API or the dashboard of Remit, or `provider`, in the dashboard of the payment provider.',
    method:
      'How the money goes back: `provider`, the way it was paid, or `offline`, if you return money outside Remit that you received there. Then the refund only records that you have returned it.',
    amountOver:
      'The part of a `processed` refund that no invoice needed, so that no credit note has it: money above the amount due, too late, or of a cancelled invoice. In the smallest currency unit.',
    statementRow:
      'The row of a bank statement that shows the money, if it went out of your account. Null if no row shows it.',
  },
  RefundList: { data: 'The refunds, newest first.', pagination },
  CreateRefund: {
    paymentId: 'The ID of the payment to refund.',
    amount:
      'The amount to refund, in the smallest currency unit. The default is the amount that has not been refunded yet.',
    reason: 'The reason for the refund, for your own records.',
    metadata: newMetadata,
  },
};
