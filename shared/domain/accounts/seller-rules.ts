/** Applies changes to a seller profile: defaults, and the rules that concern several fields. Pure. */
import { ApiError, type FieldError } from '../../base/errors.ts';
import { hasHiddenCharacters, hiddenMessage } from '../../base/text.ts';
import { toOwnTaxes } from '../charges/own-taxes.ts';
import { isIndianTax, isOwnTax } from '../charges/tax-codes.ts';
import { findIndianState, gstCodeOf, type IndianState, indianStates } from '../parties/indian-states.ts';
import { type Address, showAddress, type TaxId } from '../parties/party.ts';
import { checkTaxId } from '../parties/tax-id-checks.ts';
import { changedLogo } from './logo-change.ts';
import {
  defaultSeries,
  hasShortNumbers,
  maxIndianNumber,
  type Seller,
  type SellerChange,
  type Series,
  type SeriesKind,
  seriesKinds,
} from './seller.ts';

/** What follows from the country, if a profile does not name it. Countries that are not listed have UTC and January. */
const countryDefaults: Readonly<
  Record<string, { readonly timeZone: string; readonly fiscalYearStart: number }>
> = {
  // The income year of Bhutan is the calendar year: Income Tax Act of the Kingdom of Bhutan, definitions.
  BT: { timeZone: 'Asia/Thimphu', fiscalYearStart: 1 },
  // The financial year of India begins on 1 April: section 3(21) of the General Clauses Act, 1897.
  IN: { timeZone: 'Asia/Kolkata', fiscalYearStart: 4 },
};

/** A rule that a profile does not meet: the path of the field, and what to do. */
interface Problem {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the profile after a change.
 * @param current undefined: the account has no profile. Then the change must have `legalName` and `address.country`.
 * @param timeZone the time zone in the settings of the account: the default of the time zone of the profile
 * @throws ApiError `invalid_seller` with the field and all problems
 */
export function changedSeller(
  current: Seller | undefined,
  change: SellerChange,
  timeZone: string | undefined,
): Seller {
  const address = addressAfter(current, change);
  const country = address?.country ?? undefined;
  const { legalName = current?.legalName } = change;
  if (legalName === undefined || !address || country === undefined)
    throw sellerRefusal([
      ...(legalName === undefined ? [missing('seller.legalName')] : []),
      ...(address ? [] : [missing('seller.address')]),
      ...(address && country === undefined ? [missing('seller.address.country')] : []),
    ]);
  const defaults = countryDefaults[country];
  const { taxIds, problems } = checkedTaxIds(change.taxIds === undefined ? current?.taxIds : change.taxIds);
  const place = placeOf(address, taxIds);
  const picture = changedLogo(current?.logo, change.logo);
  const seller: Seller = {
    legalName,
    address: place.address,
    taxIds,
    timeZone: change.timeZone ?? current?.timeZone ?? timeZone ?? defaults?.timeZone ?? 'UTC',
    fiscalYearStart: change.fiscalYearStart ?? current?.fiscalYearStart ?? defaults?.fiscalYearStart ?? 1,
    series: seriesAfter(current?.series ?? defaultSeries, change),
    paymentDays: (change.paymentDays === undefined ? current?.paymentDays : change.paymentDays) ?? null,
    acceptPartial: change.acceptPartial ?? current?.acceptPartial ?? false,
    writeOffPercent: change.writeOffPercent ?? current?.writeOffPercent ?? 0,
    defaultTax: (change.defaultTax === undefined ? current?.defaultTax : change.defaultTax) ?? null,
    taxes: change.taxes === undefined ? (current?.taxes ?? []) : toOwnTaxes(change.taxes ?? []),
    terms: chosen(current?.terms, change.terms),
    footer: chosen(current?.footer, change.footer),
    signatory: chosen(current?.signatory, change.signatory),
    color: chosen(current?.color, change.color)?.toLowerCase() ?? null,
    logo: 'logo' in picture ? picture.logo : null,
  };
  const all = [
    ...hiddenParts(address),
    ...problems,
    ...place.problems,
    ...seriesProblems(seller, change),
    ...taxProblems(seller),
    ...('problem' in picture ? [{ field: 'seller.logo', message: picture.problem }] : []),
  ];
  if (all.length > 0) throw sellerRefusal(all);
  return seller;
}

/** The parts of a tax of India depend on the state of the seller. */
function taxProblems({ defaultTax, taxes, address }: Seller): Problem[] {
  if (defaultTax !== null && isOwnTax(defaultTax) && !taxes.some(({ code }) => code === defaultTax)) {
    const message = `Your account has no tax ${defaultTax}. Add it to seller.taxes, or choose another tax.`;
    return [{ field: 'seller.defaultTax', message }];
  }
  if (defaultTax === null || !isIndianTax(defaultTax) || gstCodeOf(address) !== undefined) return [];
  const message = `The tax ${defaultTax} needs an address in India with a state. Correct seller.address, or choose another tax.`;
  return [{ field: 'seller.defaultTax', message }];
}

const chosen = (current: string | null | undefined, asked: string | null | undefined): string | null =>
  (asked === undefined ? current : asked) ?? null;

const missing = (field: string): Problem => ({ field, message: `${field} is missing. Add it.` });

/** Returns the error of a profile that does not meet rules: `invalid_seller` with all problems. */
export function sellerRefusal(problems: readonly Problem[]): ApiError {
  const errors = problems.map((problem): FieldError => ({ code: 'invalid_seller', ...problem }));
  const { field = 'seller', message = '' } = problems[0] ?? {};
  return new ApiError('invalid_seller', { field, message, findAll: () => errors });
}

function addressAfter(current: Seller | undefined, { address }: SellerChange): Address | undefined {
  if (address === undefined) return current?.address;
  const {
    line1 = null,
    line2 = null,
    city = null,
    state = null,
    postalCode = null,
    country = null,
  } = address;
  return showAddress({ line1, line2, city, state, postalCode, country });
}

function hiddenParts(address: Address): Problem[] {
  return Object.entries(address)
    .filter(([, part]) => typeof part === 'string' && hasHiddenCharacters(part, 'line'))
    .map(([name]) => `seller.address.${name}`)
    .map((field) => ({ field, message: hiddenMessage(field) }));
}

/** Returns tax numbers in the form in which documents show them. */
function checkedTaxIds(taxIds: readonly TaxId[] | null | undefined): {
  readonly taxIds: readonly TaxId[];
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const checked = (taxIds ?? []).map(({ type, value }, index): TaxId => {
    const result = checkTaxId(type, value);
    if (result.problem === undefined) return { type, value: result.value };
    problems.push({ field: `seller.taxIds.${index}.value`, message: result.problem });
    return { type, value };
  });
  checked.forEach(({ type, value }, index) => {
    const first = checked.findIndex((other) =>
      type === 'other' || type === 'eu_vat'
        ? other.type === type && other.value === value
        : other.type === type,
    );
    if (first < index)
      problems.push({
        field: `seller.taxIds.${index}`,
        message: `A seller has at most one ${type}, and no tax ID twice. Remove one.`,
      });
  });
  return { taxIds: checked, problems };
}

/** Returns the address with the name of the Indian state. A GSTIN names the state, so the address need not. */
function placeOf(
  address: Address,
  taxIds: readonly TaxId[],
): { readonly address: Address; readonly problems: readonly Problem[] } {
  const index = taxIds.findIndex(({ type }) => type === 'in_gstin');
  const gstin = taxIds[index]?.value;
  if (gstin !== undefined && address.country !== 'IN') {
    const message = 'A GSTIN needs an address in India: set address.country to IN, or remove the GSTIN.';
    return { address, problems: [{ field: 'seller.address.country', message }] };
  }
  if (address.country !== 'IN') return { address, problems: [] };
  const ofGstin = indianStates.find(({ gstCode }) => gstin?.startsWith(gstCode));
  const state = address.state === null ? ofGstin : findIndianState(address.state);
  if (address.state !== null && !state) {
    const message =
      'seller.address.state must be a state of India: its name, its GST code or its ISO code, such as Karnataka, 29 or KA.';
    return { address, problems: [{ field: 'seller.address.state', message }] };
  }
  const problems = ofGstin && state && ofGstin !== state ? [otherState(index, ofGstin, state)] : [];
  return { address: { ...address, state: state?.name ?? null }, problems };
}

const otherState = (index: number, ofGstin: IndianState, state: IndianState): Problem => ({
  field: `seller.taxIds.${index}.value`,
  message: `The GSTIN begins with ${ofGstin.gstCode}, the code of ${ofGstin.name}, but the address is in ${state.name} (${state.gstCode}). Correct one of them.`,
});

function seriesAfter(current: Seller['series'], { series = {} }: SellerChange): Seller['series'] {
  const after = (before: Series, asked: NonNullable<SellerChange['series']>['invoice']): Series => ({
    prefix: asked?.prefix ?? before.prefix,
    digits: asked?.digits ?? before.digits,
    restart: asked?.restart ?? before.restart,
  });
  return {
    invoice: after(current.invoice, series.invoice),
    creditNote: after(current.creditNote, series.creditNote),
    receipt: after(current.receipt, series.receipt),
  };
}

function seriesProblems(seller: Seller, asked: SellerChange): Problem[] {
  const { series, fiscalYearStart } = seller;
  const yearLength = fiscalYearStart === 1 ? 4 : 5;
  const isIndian = hasShortNumbers(seller);
  const problems = seriesKinds.flatMap((kind) => {
    const { prefix, digits, restart } = series[kind];
    const length =
      prefix.replace('{year}', 'y'.repeat(yearLength)).length +
      Math.max(digits, String(asked.series?.[kind]?.next ?? '').length);
    const hasNoYear = restart === 'yearly' && !prefix.includes('{year}');
    return [
      ...(hasNoYear
        ? [
            {
              field: `seller.series.${kind}.restart`,
              message: `A series that restarts yearly needs {year} in its prefix, such as ${prefix}{year}/. Otherwise its numbers would repeat.`,
            },
          ]
        : []),
      ...(isIndian && length > maxIndianNumber
        ? [
            {
              field: `seller.series.${kind}.prefix`,
              message: `The numbers of the series would have ${length} characters. With a GSTIN, at most ${maxIndianNumber} are allowed. Shorten the prefix or use fewer digits.`,
            },
          ]
        : []),
    ];
  });
  return [...problems, ...seriesKinds.flatMap((kind, index) => sameNumbers(series, kind, index))];
}

/** Finds the kinds before this one whose series could have the same numbers. */
function sameNumbers(series: Seller['series'], kind: SeriesKind, index: number): Problem[] {
  const { prefix } = series[kind];
  const others = seriesKinds
    .slice(0, index)
    .filter((other) => meet(prefix, series[other].prefix) || meet(series[other].prefix, prefix));
  return others.map((other) => ({
    field: `seller.series.${kind}.prefix`,
    message: `The series ${other} and ${kind} would get the same numbers. Choose different prefixes for the two series.`,
  }));
}

/** Whether a prefix can become another one, in some year. */
function meet(prefix: string, other: string): boolean {
  const pattern = new RegExp(`^${prefix.replace('{year}', '(?:\\d{4}|\\d{2}-\\d{2}|\\{year\\})')}$`);
  return pattern.test(other);
}
