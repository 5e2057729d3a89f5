/** Decides what an invoice charges: from its lines, or from an amount alone. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/errors.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { computeCharges } from '../charges/compute.ts';
import { type ChargeInput, toDiscount, toLineInput } from '../charges/line.ts';
import type { Buyer } from '../parties/buyer.ts';
import { type Gst, gstOf, type NewGst, requireAddress, type TaxParties } from './indian-gst.ts';
import { type CreateInvoice, chargesOf, type Invoice, type UpdateInvoice } from './invoice.ts';

/** The amount of an invoice, and its charges if it has lines. */
type Charged = Pick<Invoice, 'amount' | 'charges' | 'gst'>;

type NewCharges = Pick<CreateInvoice, 'lines' | 'prices' | 'discount' | 'roundTo' | 'amount' | 'gst'> &
  Partial<Pick<CreateInvoice, 'currency'>>;

type SentCharges = Pick<
  UpdateInvoice,
  'lines' | 'prices' | 'discount' | 'roundTo' | 'amount' | 'description' | 'gst'
>;

/**
 * Returns what a new invoice charges.
 * @param at the time of the invoice, whose day decides the tax rates
 * @param parties who sells and who buys, which decides the parts of some taxes
 * @throws ApiError `invalid_amount` if the lines come to another amount than the one that is sent; `invalid_prices`, `invalid_discount` or `invalid_round_to` if one is sent without lines; or as `computeCharges`
 */
export function newCharges(body: NewCharges, at: Instant, parties: TaxParties): Charged {
  const { lines, prices, discount, roundTo, amount, gst, currency } = body;
  if (lines) {
    const input = {
      lines: lines.map(toLineInput),
      prices: prices ?? 'exclusive',
      discount: toDiscount(discount),
      roundTo: roundTo ?? null,
    };
    return compute(input, amount, { at, parties, asked: gst, currency });
  }
  requireLines({ prices, discount, roundTo, gst });
  if (amount !== undefined) return { amount };
  const message =
    'amount is required if the invoice has no lines. Add it, such as "amount": 250000, or add lines.';
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/**
 * Returns what a changed invoice charges. An amount alone does not change lines, and lines decide the amount.
 * @param invoice has the buyer of the changed invoice, who can decide the place of supply
 * @param customer the customer of the customers API that the changed invoice names. Undefined: there is none, or the place stays
 * @throws ApiError as `newCharges`
 */
export function changedCharges(invoice: Invoice, sent: SentCharges, customer?: Buyer): Charged {
  const { amount, ...others } = sent;
  const { charges } = invoice;
  const current = chargesOf(invoice);
  if (!charges && isDeepStrictEqual(others.lines?.map(toLineInput), current.lines.map(toLineInput)))
    delete others.lines;
  if (!charges && !others.lines) {
    const { prices, discount, roundTo, gst } = others;
    requireLines({ prices: prices === current.prices ? undefined : prices, discount, roundTo, gst });
    return { amount: amount ?? invoice.amount };
  }
  const input = {
    lines: (others.lines ?? current.lines).map(toLineInput),
    prices: others.prices ?? current.prices,
    discount: others.discount === undefined ? current.discount : toDiscount(others.discount),
    roundTo: others.roundTo === undefined ? current.roundTo : others.roundTo,
  };
  const { createdAt: at, currency, sellerState, customerId, buyer } = invoice;
  const parties = { sellerState, customerId, buyer, customer };
  return compute(input, amount, { at, parties, asked: others.gst, currency, current: invoice.gst });
}

interface TaxContext {
  readonly at: Instant;
  readonly parties: TaxParties;
  readonly asked: NewGst | null | undefined;
  readonly currency: string | undefined;
  readonly current?: Gst | undefined;
}

function compute(
  input: ChargeInput,
  sentAmount: number | undefined,
  { at, parties, asked, currency, current }: TaxContext,
): Charged {
  const indian = gstOf(input.lines, asked, parties, current);
  const { amount, ...charges } = computeCharges(input, toTimestamp(at).slice(0, 10), indian?.supply);
  if (indian && currency === 'INR') requireAddress(charges.lines, indian.gst, parties);
  requireAmount(amount, sentAmount);
  return { amount, charges, ...(indian && { gst: indian.gst }) };
}

function requireAmount(amount: number, sent: number | undefined): void {
  if (sent === undefined || sent === amount) return;
  const message = `The lines come to ${amount}, and amount is ${sent}. Leave amount out, or correct the lines.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/** Refuses what only lines can have. */
function requireLines(sent: Partial<Record<'prices' | 'discount' | 'roundTo' | 'gst', unknown>>): void {
  const codes = {
    prices: 'invalid_prices',
    discount: 'invalid_discount',
    roundTo: 'invalid_round_to',
    gst: 'invalid_gst',
  } as const;
  for (const field of ['prices', 'discount', 'roundTo', 'gst'] as const) {
    if (sent[field] == null) continue;
    throw new ApiError(codes[field], { field, message: `${field} needs lines. Add lines, or leave it out.` });
  }
}
