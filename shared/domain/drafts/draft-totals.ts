/** Computes what the invoice of a draft would charge. Pure. */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { plainTotals } from '../charges/plain-charges.ts';
import { newCharges } from '../invoices/invoice-charges.ts';
import { toBuyer } from '../parties/buyer.ts';
import { type Draft, type DraftTotals, noTotals } from './draft.ts';

/**
 * Returns the amount and the totals of a draft, or nulls if they cannot be computed yet.
 * @param sellerState the GST code of the seller's state. Undefined: the seller is not in India, or has no profile
 * @param at the time whose day decides the tax rates
 */
export function totalsOf({ content }: Draft, sellerState: string | undefined, at: AccountTime): DraftTotals {
  if (!content) return noTotals;
  const { lines, prices, discount, roundTo, gst, amount, currency, buyer } = content;
  const customerId = content.customerId ?? buyer?.email ?? '';
  try {
    const charged = newCharges(
      {
        ...{ lines, prices, discount, roundTo, gst },
        ...(amount !== null && { amount }),
        ...(currency !== null && { currency }),
      },
      at,
      { sellerState, customerId, buyer: buyer ? toBuyer(copyOf(buyer), customerId) : undefined },
    );
    return {
      computedAmount: charged.amount,
      totals: charged.charges?.totals ?? plainTotals(charged.amount),
    };
  } catch (error) {
    if (error instanceof ApiError) return noTotals;
    throw error;
  }
}

const copyOf = <T extends { readonly taxIds: readonly { readonly type: string; readonly value: string }[] }>(
  buyer: T,
) => ({ ...buyer, taxIds: [...buyer.taxIds] });
