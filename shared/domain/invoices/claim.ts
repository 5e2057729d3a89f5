/**
 * Defines what a payer claims on the payment page: to have paid the invoice by a transfer that the service does not see. The merchant
 * compares it with the bank account, and confirms it, which records the payment, or rejects it.
 *
 * - An invoice has one claim, the last one. It is `open` first, and then `confirmed` or `rejected`, for good. A payer can claim again
 *   after a rejection.
 * - Money that arrives in another way can pay the invoice while its claim is open. Then nobody decides about the claim, which is shown
 *   as `closed`.
 * - The texts of a claim are those of a stranger: data that pages show escaped, on one line, and never as a link.
 */
import * as v from 'valibot';
import { isDay } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import { idPatternOf } from '../../base/ids.ts';
import { amountSchema } from '../../base/money.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';

/** A claim as the invoice stores it. */
export interface Claim {
  readonly id: string;
  readonly status: 'open' | 'confirmed' | 'rejected';
  /** In the smallest unit of the currency of the invoice. */
  readonly amount: number;
  /** The day on which the payer has paid, as `YYYY-MM-DD`. */
  readonly paidOn: string;
  /** Undefined: an erasure has removed it. */
  readonly bank?: string | undefined;
  /** The number that the bank gave to the transfer. Undefined: an erasure has removed it. */
  readonly reference?: string | undefined;
  /** Why the merchant rejected it, for the payer. */
  readonly reason?: string | undefined;
  readonly claimedAt: AccountTime;
}

/** What a payer says. */
export type NewClaim = Required<Pick<Claim, 'id' | 'amount' | 'paidOn' | 'bank' | 'reference'>>;

const dayMessage = 'paidOn must be the day on which you paid, such as 2026-03-31.';

const claimMessage = 'claim must be the ID of the open claim of the invoice, in the form clm_….';

/** The id of a claim in the requests of payments. */
export const claimIdSchema = v.pipe(v.string(claimMessage), v.nonEmpty(claimMessage));

/** The fields of the form. Its amount is in the smallest unit of the currency. */
export const claimFields = /* @__PURE__ */ createClaimFields();

/** What the merchant sends to confirm a claim whose money is that of a payment that is recorded already. */
export const confirmClaimBody = /* @__PURE__ */ createConfirmBody();

export type ConfirmClaim = v.InferOutput<typeof confirmClaimBody>;

/** What the merchant sends to reject a claim. */
export const rejectClaimBody = /* @__PURE__ */ createRejectBody();

export type RejectClaim = v.InferOutput<typeof rejectClaimBody>;

/** The claim in responses. */
export const claimSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('claim'))),
  status: v.picklist(['open', 'confirmed', 'rejected', 'closed']),
  amount: amountSchema,
  paidOn: v.string(),
  bank: v.nullable(v.string()),
  reference: v.nullable(v.string()),
  reason: v.nullable(v.string()),
  claimedAt: timestampSchema,
});

interface Claimed {
  readonly status: string;
  readonly claim?: Claim | undefined;
}

/** Returns the claim about which the merchant must decide. Undefined: none. */
export const openClaimOf = ({ status, claim }: Claimed): Claim | undefined =>
  claim?.status === 'open' && (status === 'pending' || status === 'overdue') ? claim : undefined;

/**
 * Returns the open claim with this id.
 * @param field the field of the request that names it
 * @throws ApiError `invalid_claim` if the invoice does not have it, or if somebody has decided about it
 */
export function requireOpenClaim(invoice: Claimed, id: string, field: 'claim' | 'claimId'): Claim {
  const claim = openClaimOf(invoice);
  if (claim?.id === id) return claim;
  const message = `${field} must be the ID of the open claim of the invoice. Retrieve the invoice, whose claim says what became of it.`;
  throw new ApiError('invalid_claim', { field, message });
}

/** Returns a claim as the API shows it. */
export function showClaim(invoice: Claimed, claim: Claim): v.InferOutput<typeof claimSchema> {
  const { id, status, amount, paidOn, bank, reference, reason, claimedAt } = claim;
  return {
    id,
    status: status === 'open' && !openClaimOf(invoice) ? 'closed' : status,
    amount,
    paidOn,
    bank: bank ?? null,
    reference: reference ?? null,
    reason: reason ?? null,
    claimedAt: toTimestamp(claimedAt),
  };
}

function createClaimFields() {
  const lineOf = (name: string, max: number) =>
    v.pipe(typedText(name, max), refuseHiddenCharacters(name, 'line'));
  return v.strictObject({
    bank: lineOf('bank', 100),
    reference: lineOf('reference', 100),
    paidOn: v.pipe(
      v.string(dayMessage),
      v.check((text) => isDay(text), dayMessage),
    ),
    amount: amountSchema,
  });
}

/** Not `claim`, which earlier versions do not have: they can decide about the claim that a notice names. */
function createClaimId() {
  const message = 'claimId must be the ID of the open claim of the invoice, in the form clm_….';
  return v.pipe(v.string(message), v.nonEmpty(message));
}

function createConfirmBody() {
  const message =
    'paymentId must be the ID of the payment that is the money of the claim, in the form pay_…. To record a payment for the claim, create one.';
  return v.strictObject({
    claimId: createClaimId(),
    paymentId: v.pipe(v.string(message), v.nonEmpty(message)),
  });
}

function createRejectBody() {
  return v.strictObject({ claimId: createClaimId(), reason: typedText('reason', 500) });
}
