/** Shows the buyer of an invoice or a draft, and the GST of India, as rows of its details. */
import { placeText } from '../../../domain/charges/indian-supply.ts';
import type { Gst } from '../../../domain/invoices/indian-gst.ts';
import type { Buyer } from '../../../domain/parties/buyer.ts';
import { formatAddress, formatTaxId } from '../../documents/formats.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { renderText } from '../records/record-elements.ts';
import { invoiceTexts } from './invoice-texts.ts';
import { gstFields, gstTexts } from './party-texts.ts';

/** Returns the rows of the buyer that the invoice or a draft carries, and of the place of supply. */
export function buyerRows({
  buyer,
  gst,
}: {
  readonly buyer?: Buyer | null | undefined;
  readonly gst?: Gst | undefined;
}): (readonly [string, Markup] | undefined)[] {
  const { name = '', address = null, deliveryAddress = null, taxIds = [] } = buyer ?? {};
  const numbers = taxIds.map(formatTaxId);
  return [
    buyer ? [invoiceTexts.buyer, renderText([name, ...formatAddress(address, 'en')].join('\n'))] : undefined,
    deliveryAddress
      ? [invoiceTexts.delivery, renderText(formatAddress(deliveryAddress, 'en').join('\n'))]
      : undefined,
    numbers.length > 0 ? [invoiceTexts.taxIds, renderText(numbers.join('\n'))] : undefined,
    gst && [gstFields.gstPlace.label, isolateDirection(placeText(gst.place))],
    gst && gst.supply !== 'domestic'
      ? [gstFields.gstSupply.label, isolateDirection(gstTexts.supplies[gst.supply])]
      : undefined,
    gst?.isReverseCharge ? [gstFields.gstReverse.label, isolateDirection(gstTexts.reverse[1][1])] : undefined,
  ];
}
