/** Checks the numbers of the GST system of India. Imports no package, so that functions that create invoices stay small. */
import { indianStates } from './indian-states.ts';

/** The number in the form in which it is stored, or what is wrong with it and what to do. */
export type CheckedTaxId =
  | { readonly value: string; readonly problem?: undefined }
  | { readonly problem: string };

/** Returns a number in uppercase, without white space, points and hyphens. */
export const compact = (value: string): string => value.toUpperCase().replace(/[\s.-]/g, '');

/** Whether a tax ID is a GSTIN. Customers and buyers can have the type `in_gst`, too. */
export const isGstinType = (type: string): boolean => type === 'in_gstin' || type === 'in_gst';

const gstinAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * The check character of the first 14 characters of a GSTIN: Luhn's algorithm with 36 characters, as the GST system computes it.
 * @param first 14 digits and uppercase letters
 */
function gstinCheckCharacter(first: string): string {
  const sum = [...first].reduce((total, character, index) => {
    const product = gstinAlphabet.indexOf(character) * (index % 2 === 0 ? 1 : 2);
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return gstinAlphabet.charAt((36 - (sum % 36)) % 36);
}

/** Checks a GSTIN: its form, its state and its check character. */
export function checkGstin(value: string): CheckedTaxId {
  const gstin = compact(value);
  // State, PAN, number of the registration, Z, check character.
  if (!/^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/.test(gstin))
    return { problem: 'A GSTIN has 15 characters, such as 29AAGCB7383J1Z4. Check it.' };
  if (!indianStates.some(({ gstCode }) => gstin.startsWith(gstCode)))
    return { problem: 'The first two digits of the GSTIN are not the code of a state. Check them.' };
  if (gstinCheckCharacter(gstin.slice(0, 14)) !== gstin[14])
    return { problem: 'The GSTIN is not valid: its last character does not fit. Check all characters.' };
  return { value: gstin };
}
