/** Defines the request by which a person decides about a row of a bank statement. */
import * as v from 'valibot';
import { amountSchema } from '../../base/money.ts';
import { settlementSchema } from '../payments/payment.ts';

const invoiceMessage =
  'invoiceId must be the ID of one of your invoices, in the form inv_…. Leave it out only if you send paymentId.';
const paymentMessage =
  'paymentId must be the ID of one of your payments, in the form pay_…. Send it in place of invoiceId.';
const ofPaymentMessage = (field: string) =>
  `${field} is not allowed with paymentId, because the payment has been recorded already. Leave it out.`;
const acceptOverMessage = 'acceptOver must be true or false.';
const allowMessage = 'allowDuplicateReference must be true or false.';

/** Says which invoice a row pays, or of which payment it is the money. */
export const matchRowBody = v.pipe(
  v.strictObject({
    invoiceId: v.nullish(v.pipe(v.string(invoiceMessage), v.nonEmpty(invoiceMessage))),
    paymentId: v.nullish(v.pipe(v.string(paymentMessage), v.nonEmpty(paymentMessage))),
    amount: v.nullish(amountSchema),
    allowDuplicateReference: v.nullish(v.boolean(allowMessage)),
    settle: v.nullish(settlementSchema),
    acceptOver: v.nullish(v.boolean(acceptOverMessage)),
  }),
  v.forward(
    v.check(({ invoiceId, paymentId }) => (invoiceId ?? paymentId) != null, invoiceMessage),
    ['invoiceId'],
  ),
  v.forward(
    v.check(({ invoiceId, paymentId }) => invoiceId == null || paymentId == null, paymentMessage),
    ['paymentId'],
  ),
  v.forward(
    v.check(({ paymentId, amount }) => paymentId == null || amount == null, ofPaymentMessage('amount')),
    ['amount'],
  ),
  v.forward(
    v.check(({ paymentId, settle }) => paymentId == null || settle == null, ofPaymentMessage('settle')),
    ['settle'],
  ),
  v.forward(
    v.check(
      ({ paymentId, acceptOver }) => paymentId == null || acceptOver == null,
      ofPaymentMessage('acceptOver'),
    ),
    ['acceptOver'],
  ),
);

export type MatchRow = v.InferOutput<typeof matchRowBody>;
