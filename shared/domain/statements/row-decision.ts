/** Defines the request by which a person decides about a row of a bank statement. */
import * as v from 'valibot';
import { amountSchema } from '../../base/money.ts';
import { settlementSchema } from '../payments/payment.ts';

const invoiceMessage =
  'invoiceId must be the ID of one of your invoices, in the form inv_…. Leave it out only if you send paymentId or refundId.';
const paymentMessage =
  'paymentId must be the ID of one of your payments, in the form pay_…. Send it in place of invoiceId.';
const refundMessage =
  'refundId must be the ID of one of your refunds, in the form ref_…. Send it in place of invoiceId and paymentId.';
const ofPaymentMessage = (field: string) =>
  `${field} is not allowed with paymentId or refundId, because the money has been recorded already. Leave it out.`;
const acceptOverMessage = 'acceptOver must be true or false.';
const allowMessage = 'allowDuplicateReference must be true or false.';

type Target = Readonly<Record<'invoiceId' | 'paymentId' | 'refundId', string | null | undefined>>;

const targetsOf = ({ invoiceId, paymentId, refundId }: Target) =>
  [invoiceId, paymentId, refundId].filter((id) => id != null);
const isRecordedMoney = ({ paymentId, refundId }: Omit<Target, 'invoiceId'>) =>
  (paymentId ?? refundId) != null;

/** Says which invoice a row pays, or of which payment or refund it is the money. */
export const matchRowBody = v.pipe(
  v.strictObject({
    invoiceId: v.nullish(v.pipe(v.string(invoiceMessage), v.nonEmpty(invoiceMessage))),
    paymentId: v.nullish(v.pipe(v.string(paymentMessage), v.nonEmpty(paymentMessage))),
    refundId: v.nullish(v.pipe(v.string(refundMessage), v.nonEmpty(refundMessage))),
    amount: v.nullish(amountSchema),
    allowDuplicateReference: v.nullish(v.boolean(allowMessage)),
    settle: v.nullish(settlementSchema),
    acceptOver: v.nullish(v.boolean(acceptOverMessage)),
  }),
  v.forward(
    v.check((sent) => targetsOf(sent as Target).length > 0, invoiceMessage),
    ['invoiceId'],
  ),
  v.forward(
    v.check(
      ({ refundId, ...others }) =>
        refundId == null || targetsOf({ refundId, ...others } as Target).length === 1,
      refundMessage,
    ),
    ['refundId'],
  ),
  v.forward(
    v.check((sent) => targetsOf(sent as Target).length < 2, paymentMessage),
    ['paymentId'],
  ),
  v.forward(
    v.check(
      ({ amount, ...target }) => amount == null || !isRecordedMoney(target as Target),
      ofPaymentMessage('amount'),
    ),
    ['amount'],
  ),
  v.forward(
    v.check(
      ({ settle, ...target }) => settle == null || !isRecordedMoney(target as Target),
      ofPaymentMessage('settle'),
    ),
    ['settle'],
  ),
  v.forward(
    v.check(
      ({ acceptOver, ...target }) => acceptOver == null || !isRecordedMoney(target as Target),
      ofPaymentMessage('acceptOver'),
    ),
    ['acceptOver'],
  ),
);

export type MatchRow = v.InferOutput<typeof matchRowBody>;
