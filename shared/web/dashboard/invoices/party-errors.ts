/** Says what the domain refuses of the buyer and of the GST of India, in the words of the forms of invoices. */
import { ApiError } from '../../../base/errors.ts';
import { FieldsError } from '../attempts/failed-attempt.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { buyerFieldOf, inBuyerWords } from './buyer-fields.ts';
import { invoiceTexts } from './invoice-texts.ts';
import { buyerTexts, gstTexts } from './party-texts.ts';

/** Returns the error beside its field. Undefined: the error does not concern the buyer or the GST. */
export function partyErrorsOf({ field = '', message }: ApiError): FieldErrors | undefined {
  const [part, ...rest] = field.split('.');
  if (part === 'gst') return gstErrors(rest[0], message);
  if (part === 'buyer') return buyerErrors(rest, message);
  if (field !== 'customerId') return undefined;
  if (message.includes('gst.placeOfSupply')) return { customerId: invoiceTexts.customerState };
  return message.includes('50,000') ? { customerId: invoiceTexts.customerAddress } : undefined;
}

/** Returns an error of the domain as one of the form, if it concerns the buyer or the GST. Other errors stay. */
export function toFormError(error: unknown): unknown {
  const errors = error instanceof ApiError ? partyErrorsOf(error) : undefined;
  return errors ? new FieldsError(errors) : error;
}

function gstErrors(part: string | undefined, message: string): FieldErrors {
  if (part === 'supply') return { gstSupply: gstTexts.buyerAbroad };
  if (part !== 'placeOfSupply') return { gstSupply: gstTexts.needsLine };
  return { gstPlace: message.includes('export') ? gstTexts.placeOfExport : gstTexts.placeNeeded };
}

function buyerErrors(parts: readonly string[], message: string): FieldErrors {
  if (parts.length === 0) return { buyerName: buyerTexts.customerOrBuyer };
  if (parts[0] === 'email') return { customerId: buyerTexts.otherEmail };
  if (parts.join('.') === 'deliveryAddress') return { deliveryLine1: buyerTexts.deliveryNeeded };
  if (parts.join('.') === 'address') return { buyerLine1: buyerTexts.addressNeeded };
  return { [buyerFieldOf(parts)]: inBuyerWords(message) };
}
