/**
 * Lists the states and union territories of India, which decide whether a supply has CGST and SGST, or IGST.
 *
 * - GST codes: the state code list of the GST system (https://services.gst.gov.in/services/searchtp: the first two digits of a
 *   GSTIN). Ladakh has 38. Codes of states that no longer exist are left out: 25 (Daman and Diu, now a part of 26) and 28 (Andhra
 *   Pradesh before its division).
 * - ISO codes: ISO 3166-2:IN, with the changes of 2023-11-23 (CG, OD, TS and UK). The codes before it are accepted too.
 */
import type { Address } from './party.ts';

export interface IndianState {
  readonly name: string;
  /** The code of two digits in the GST system. */
  readonly gstCode: string;
  /** The part of the ISO 3166-2 code after `IN-`. */
  readonly isoCode: string;
}

const state = (gstCode: string, isoCode: string, name: string): IndianState => ({ name, gstCode, isoCode });

export const indianStates: readonly IndianState[] = [
  state('01', 'JK', 'Jammu and Kashmir'),
  state('02', 'HP', 'Himachal Pradesh'),
  state('03', 'PB', 'Punjab'),
  state('04', 'CH', 'Chandigarh'),
  state('05', 'UK', 'Uttarakhand'),
  state('06', 'HR', 'Haryana'),
  state('07', 'DL', 'Delhi'),
  state('08', 'RJ', 'Rajasthan'),
  state('09', 'UP', 'Uttar Pradesh'),
  state('10', 'BR', 'Bihar'),
  state('11', 'SK', 'Sikkim'),
  state('12', 'AR', 'Arunachal Pradesh'),
  state('13', 'NL', 'Nagaland'),
  state('14', 'MN', 'Manipur'),
  state('15', 'MZ', 'Mizoram'),
  state('16', 'TR', 'Tripura'),
  state('17', 'ML', 'Meghalaya'),
  state('18', 'AS', 'Assam'),
  state('19', 'WB', 'West Bengal'),
  state('20', 'JH', 'Jharkhand'),
  state('21', 'OD', 'Odisha'),
  state('22', 'CG', 'Chhattisgarh'),
  state('23', 'MP', 'Madhya Pradesh'),
  state('24', 'GJ', 'Gujarat'),
  state('26', 'DH', 'Dadra and Nagar Haveli and Daman and Diu'),
  state('27', 'MH', 'Maharashtra'),
  state('29', 'KA', 'Karnataka'),
  state('30', 'GA', 'Goa'),
  state('31', 'LD', 'Lakshadweep'),
  state('32', 'KL', 'Kerala'),
  state('33', 'TN', 'Tamil Nadu'),
  state('34', 'PY', 'Puducherry'),
  state('35', 'AN', 'Andaman and Nicobar Islands'),
  state('36', 'TS', 'Telangana'),
  state('37', 'AP', 'Andhra Pradesh'),
  state('38', 'LA', 'Ladakh'),
];

/** The ISO codes before 2023-11-23, and the codes that replace them. */
const formerIsoCodes: Readonly<Record<string, string>> = { CT: 'CG', OR: 'OD', TG: 'TS', UT: 'UK' };

/** Returns the state with a name, a GST code or an ISO code with or without `IN-`. Case and `&` do not matter. */
export function findIndianState(text: string): IndianState | undefined {
  const wanted = text.trim().toUpperCase().replaceAll('&', 'AND').replace(/\s+/g, ' ');
  const code = wanted.replace(/^IN-/, '');
  const isoCode = formerIsoCodes[code] ?? code;
  return indianStates.find(
    (each) => each.name.toUpperCase() === wanted || each.gstCode === wanted || each.isoCode === isoCode,
  );
}

/** Returns the state whose code a GSTIN begins with. */
export const stateOfGstin = (gstin: string): IndianState | undefined =>
  indianStates.find(({ gstCode }) => gstin.startsWith(gstCode));

/** Returns the GST code of the state of an address. Undefined: it is not in India, or its state is not known. */
export function gstCodeOf({ country, state }: Pick<Address, 'country' | 'state'>): string | undefined {
  return country === 'IN' && state !== null ? findIndianState(state)?.gstCode : undefined;
}
