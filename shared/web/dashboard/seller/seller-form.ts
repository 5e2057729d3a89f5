/** Renders and reads the form of the seller profile. */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import * as v from 'valibot';
import type { FieldError } from '../../../base/errors.ts';
import { canonicalJson } from '../../../base/strict-json.ts';
import { logoTypes } from '../../../domain/accounts/logo.ts';
import {
  defaultSeries,
  defaultTaxes,
  type Seller,
  type SellerChange,
  sellerChangeSchema,
} from '../../../domain/accounts/seller.ts';
import { type OwnTax, taxesInTexts, textsOfTaxes } from '../../../domain/charges/own-taxes.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import { renderField, renderFileField, renderHiddenInput, renderSelect } from '../forms.ts';
import {
  choiceOf,
  type FieldErrors,
  inFormWords,
  lineOf,
  linesOf,
  optionalLineOf,
  type SentFields,
  type ValidatedFields,
} from '../input/form-fields.ts';
import { lineTexts } from '../invoices/invoice-texts.ts';
import { textFor } from '../records/record-texts.ts';
import { restartTexts, sellerFields, sellerTexts } from './seller-texts.ts';

type FieldName = keyof typeof sellerFields;
/** The names of the fields. */
export const sellerFieldNames = Object.keys(sellerFields) as readonly FieldName[];

/** The check box that removes the logo. */
export const removeLogoName = 'removeLogo';

/** Returns the value of the check box, which the schema judges: null removes the logo. */
const removalOf = (fields: SentFields) => {
  const value = fields.get(removeLogoName) ?? undefined;
  return value === 'yes' ? null : value;
};

const addressNames = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const;

/** Reads the fields as a request to change the profile. An empty time zone or month does not change, or gets its default. */
export function readSellerForm(fields: SentFields): ValidatedFields<SellerChange> {
  const month = optionalLineOf(fields, 'fiscalYearStart');
  const days = optionalLineOf(fields, 'paymentDays');
  const country = optionalLineOf(fields, 'country')?.toUpperCase();
  const address = Object.fromEntries(
    addressNames.map((name) => [name, optionalLineOf(fields, name) ?? null]),
  );
  const data = optionalLineOf(fields, 'logo');
  const input = {
    legalName: lineOf(fields, 'legalName'),
    address: { ...address, country: country ?? '' },
    taxIds: linesOf(fields, 'taxIds').split('\n').flatMap(parseTaxId),
    timeZone: optionalLineOf(fields, 'timeZone'),
    fiscalYearStart: month === undefined ? undefined : wholeNumber(month),
    series: {
      invoice: readSeries(fields, 'invoice'),
      creditNote: readSeries(fields, 'creditNote'),
      receipt: readSeries(fields, 'receipt'),
    },
    paymentDays: days === undefined ? null : wholeNumber(days),
    acceptPartial: choiceOf(lineOf(fields, 'acceptPartial')),
    writeOffPercent: wholeNumber(lineOf(fields, 'writeOffPercent')),
    defaultTax: optionalLineOf(fields, 'defaultTax') ?? null,
    taxes: taxesInTexts(
      linesOf(fields, 'taxes')
        .split('\n')
        .filter((text) => text.trim() !== ''),
    ),
    terms: linesOf(fields, 'terms') || null,
    footer: linesOf(fields, 'footer') || null,
    signatory: optionalLineOf(fields, 'signatory') ?? null,
    color: optionalLineOf(fields, 'color') ?? null,
    logo: data !== undefined ? { data } : removalOf(fields),
  };
  const result = v.safeParse(sellerChangeSchema, input);
  if (result.success) return { ok: true, output: result.output };
  const problems = result.issues.map(({ path = [], message }) => ({
    field: ['seller', ...path.map(({ key }) => String(key))].join('.'),
    message,
  }));
  return { ok: false, errors: formErrorsOf(problems) };
}

const readSeries = (fields: SentFields, kind: keyof Seller['series']) => ({
  prefix: lineOf(fields, `${kind}Prefix`),
  digits: wholeNumber(lineOf(fields, `${kind}Digits`)),
  restart: lineOf(fields, `${kind}Restart`),
  ...nextOf(optionalLineOf(fields, `${kind}Next`)),
});

const nextOf = (text: string | undefined) => (text === undefined ? {} : { next: wholeNumber(text) });

/** Any other text becomes NaN, which no schema accepts. */
const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

function parseTaxId(line: string) {
  if (line.trim() === '') return [];
  const [type = '', ...value] = line.split(':');
  return [{ type: type.trim(), value: value.join(':').trim() }];
}

/** Returns the message beside each field of the form, from the errors of the API. The first one of each field counts. */
export function formErrorsOf(problems: readonly Pick<FieldError, 'field' | 'message'>[]): FieldErrors {
  const errors: Record<string, string> = {};
  for (const { field, message } of problems) {
    const name = formNameOf(field);
    const [, inner = ''] = /(\w+)$/.exec(field) ?? [];
    const own = message.replaceAll(/\b(seller|address)\./g, '');
    const { label } = sellerFields[name];
    // The messages about a file and about taxes do not begin with the name of the field.
    errors[name] ??=
      name === 'logo' || name === 'taxes' ? own : inFormWords(inner, own, { [inner]: { label } });
  }
  return errors;
}

/** Returns the field of the form that shows a field of the API. */
function formNameOf(field: string): FieldName {
  const [, name = '', inner = '', last = ''] = field.split('.');
  if (name === 'address') return addressNames.find((each) => each === inner) ?? 'country';
  if (name === 'series') {
    const found = `${inner}${last.charAt(0).toUpperCase()}${last.slice(1)}`;
    return sellerFieldNames.find((each) => each === found) ?? 'invoicePrefix';
  }
  return sellerFieldNames.find((each) => each === name) ?? 'legalName';
}

/** Returns a short text that differs if any field of the profile differs. The form carries it. */
export function fingerprintOfSeller(seller: Seller | undefined): string {
  return createHash('sha256')
    .update(canonicalJson(seller ?? null))
    .digest('base64url');
}

/** The values that the form shows first. */
function valuesOf(seller: Seller | undefined): Readonly<Record<FieldName, string>> {
  const { address, taxIds = [], series } = seller ?? {};
  const { invoice, creditNote, receipt } = series ?? defaultSeries;
  return {
    legalName: seller?.legalName ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    state: address?.state ?? '',
    postalCode: address?.postalCode ?? '',
    country: address?.country ?? '',
    taxIds: taxIds.map(({ type, value }) => `${type}:${value}`).join('\n'),
    timeZone: seller?.timeZone ?? '',
    fiscalYearStart: String(seller?.fiscalYearStart ?? ''),
    invoicePrefix: invoice.prefix,
    invoiceDigits: String(invoice.digits),
    invoiceRestart: invoice.restart,
    invoiceNext: '',
    creditNotePrefix: creditNote.prefix,
    creditNoteDigits: String(creditNote.digits),
    creditNoteRestart: creditNote.restart,
    creditNoteNext: '',
    receiptPrefix: receipt.prefix,
    receiptDigits: String(receipt.digits),
    receiptRestart: receipt.restart,
    receiptNext: '',
    paymentDays: String(seller?.paymentDays ?? ''),
    acceptPartial: seller?.acceptPartial ? 'yes' : 'no',
    writeOffPercent: String(seller?.writeOffPercent ?? 0),
    defaultTax: seller?.defaultTax ?? '',
    taxes: textsOfTaxes(seller?.taxes ?? []).join('\n'),
    terms: seller?.terms ?? '',
    footer: seller?.footer ?? '',
    signatory: seller?.signatory ?? '',
    color: seller?.color ?? '',
    logo: '',
  };
}

const fieldTypes: { readonly [Name in FieldName]?: 'textarea' | 'number' } = {
  taxIds: 'textarea',
  taxes: 'textarea',
  terms: 'textarea',
  footer: 'textarea',
  fiscalYearStart: 'number',
  invoiceDigits: 'number',
  creditNoteDigits: 'number',
  receiptDigits: 'number',
  invoiceNext: 'number',
  creditNoteNext: 'number',
  receiptNext: 'number',
  paymentDays: 'number',
  writeOffPercent: 'number',
};

const taxChoices = (taxes: readonly OwnTax[]) =>
  [
    ['', sellerTexts.notSet],
    ...defaultTaxes.map((code) => [code, textFor(lineTexts.taxes, code)] as const),
    ...taxes.map(({ code, name }) => [code, name] as const),
  ] as const;
type LogoField = Parameters<typeof renderFileField>[0];

function renderLogoField({ name, label, hint, error }: Omit<LogoField, 'accept'>, hasLogo: boolean): Markup {
  const chosen = renderFileField({ name, label, hint, error, accept: logoTypes.join(',') });
  if (!hasLogo) return chosen;
  return html`${chosen}<label class="choice"><input type="checkbox" name="${removeLogoName}" value="yes" autocomplete="off">${sellerTexts.removeLogo}</label>`;
}

/** Renders the fields of the form, with the values that the user typed or those of the profile. */
export function renderSellerFields(present: Seller | undefined, failed: FailedForm | undefined): Markup {
  const values = valuesOf(present);
  const errors = failed?.failure.errors ?? {};
  const rendered = sellerFieldNames.map((name) => {
    const { label, ...texts } = sellerFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    const field = { name, label, hint, value: failed?.fields.get(name) ?? values[name], error: errors[name] };
    if (name === 'invoiceRestart' || name === 'creditNoteRestart' || name === 'receiptRestart')
      return renderSelect({ ...field, choices: Object.entries(restartTexts) });
    if (name === 'acceptPartial')
      return renderSelect({ ...field, choices: sellerFields.acceptPartial.choices });
    if (name === 'defaultTax') return renderSelect({ ...field, choices: taxChoices(present?.taxes ?? []) });
    if (name === 'logo') return renderLogoField(field, present !== undefined && present.logo !== null);
    const type = fieldTypes[name];
    return renderField({ ...field, ...(type && { type }) });
  });
  return html`${renderHiddenInput('seen', seenVersion(failed, fingerprintOfSeller(present)))}${rendered}`;
}
