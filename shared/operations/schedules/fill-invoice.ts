/** Fills the lines of the invoice of a schedule, as the endpoints of drafts fill those of a draft. */
import { ApiError } from '../../base/errors.ts';
import type { Currency } from '../../base/money.ts';
import type { AccountTime } from '../../base/time.ts';
import { withOwnTaxes } from '../../domain/accounts/own-taxes-store.ts';
import type { Filled, LinesBody } from '../../domain/charges/line.ts';
import { requireCurrency } from '../../domain/drafts/draft-store.ts';
import { fillLines } from '../../domain/products/fill-lines.ts';
import type { Product } from '../../domain/products/product.ts';
import type { Principal } from '../../store/account-state.ts';

/**
 * Returns the invoice with what its lines take from their products and from the taxes of the account.
 * @param currency of the invoice. Null: none
 * @throws ApiError `invalid_invoice` as `fillLines` and `withOwnTaxes`
 */
export async function fillInvoice<Body extends LinesBody>(
  { owner, seller }: Pick<Principal, 'owner' | 'seller'>,
  invoice: Body,
  currency: Currency | null | undefined,
  which: 'all' | 'incomplete',
  products: ReadonlyMap<string, Product>,
  now: AccountTime,
): Promise<Filled<Body>> {
  return asInvoiceError(async () => {
    const filled = fillLines(invoice, which, products, () => requireCurrency(currency), seller?.defaultTax);
    return withOwnTaxes(owner.account, filled, now);
  });
}

/** Runs a function whose errors are about the invoice of a schedule. @throws ApiError `invalid_invoice`, which names the nested field */
export async function asInvoiceError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const field = error.field === undefined ? 'invoice' : `invoice.${error.field}`;
    throw new ApiError('invalid_invoice', { field, message: error.message });
  }
}
