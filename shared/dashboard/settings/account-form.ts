/** Renders and reads the form of the account's settings. */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import {
  arePaymentInstructions,
  isContact,
  isName,
  isPostalAddress,
  isQrText,
  isTimeZone,
  isUpiId,
  parsePayLinkDays,
  qrAmountProblem,
  type SeenSettings,
  settingsOf,
} from '../../accounts/account.ts';
import type { Markup } from '../../pages/markup.ts';
import { canonicalJson } from '../../strict-json.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import { renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import { lineOf, linesOf, type SentFields, type ValidatedFields } from '../input/form-fields.ts';
import { accountFields, accountTexts } from './account-texts.ts';

type FieldName = keyof typeof accountFields;
/** The names of the fields. */
export const accountFieldNames = Object.keys(accountFields) as readonly FieldName[];

/** Validates the fields as the command `remit accounts update` does. An empty field removes the setting. */
export function readAccountForm(fields: SentFields): ValidatedFields<SeenSettings> {
  const name = lineOf(fields, 'name');
  const displayName = lineOf(fields, 'displayName') || undefined;
  const contact = lineOf(fields, 'contact') || undefined;
  const address = linesOf(fields, 'address') || undefined;
  const timeZone = lineOf(fields, 'timeZone') || undefined;
  const paymentInstructions = linesOf(fields, 'paymentInstructions') || undefined;
  const paymentQr = lineOf(fields, 'paymentQr') || undefined;
  const paymentQrAmount = lineOf(fields, 'paymentQrAmount') === 'on' || undefined;
  const upiId = lineOf(fields, 'upiId') || undefined;
  const daysText = lineOf(fields, 'payLinkDays');
  const payLinkDays = parsePayLinkDays(daysText);
  const qrProblem = qrAmountProblem({ paymentQr, paymentQrAmount });
  const isValid: Record<FieldName, boolean> = {
    name: isName(name),
    displayName: displayName === undefined || isName(displayName),
    contact: contact === undefined || isContact(contact),
    address: address === undefined || isPostalAddress(address),
    timeZone: timeZone === undefined || isTimeZone(timeZone),
    paymentInstructions: paymentInstructions === undefined || arePaymentInstructions(paymentInstructions),
    paymentQr: paymentQr === undefined || isQrText(paymentQr),
    paymentQrAmount: qrProblem === undefined,
    upiId: upiId === undefined || isUpiId(upiId),
    payLinkDays: daysText === '' || payLinkDays !== undefined,
  };
  const wrong = accountFieldNames.filter((field) => !isValid[field]);
  const payee = { name, displayName, contact, address, timeZone };
  if (wrong.length === 0)
    return {
      ok: true,
      output: { ...payee, paymentInstructions, paymentQr, paymentQrAmount, upiId, payLinkDays },
    };
  return {
    ok: false,
    errors: {
      ...Object.fromEntries(wrong.map((field) => [field, accountFields[field].message])),
      ...(qrProblem && { paymentQrAmount: qrProblem }),
    },
  };
}

/** Returns the settings that the form can change. */
export function formSettingsOf(account: SeenSettings): SeenSettings {
  return { name: account.name, ...settingsOf(account) };
}

/** Returns a short text that differs if any setting differs. The form carries it. */
export function fingerprintOfSettings(settings: SeenSettings): string {
  const text = canonicalJson(formSettingsOf(settings));
  return createHash('sha256').update(text).digest('base64url');
}

/** Renders the fields of the form, with the values that the user typed or the present settings. */
export function renderAccountFields(present: SeenSettings, failed: FailedForm | undefined): Markup {
  const typed = failed?.fields;
  const errors = failed?.failure.errors ?? {};
  const field = (name: FieldName, type?: 'textarea' | 'number') => {
    const { label, hint } = accountFields[name];
    // A form of an earlier release has fewer fields. The others keep their values.
    const value = typed?.get(name) ?? String(present[name] ?? '');
    return renderField({ name, label, hint, value, error: errors[name], ...(type && { type }) });
  };
  return html`${renderHiddenInput('seen', seenVersion(failed, fingerprintOfSettings(present)))}${field('name')}
${field('displayName')}
${field('contact')}
${field('address', 'textarea')}
${field('timeZone')}
${field('paymentInstructions', 'textarea')}
${field('paymentQr')}
${renderSelect({
  name: 'paymentQrAmount',
  ...accountFields.paymentQrAmount,
  value: typed?.get('paymentQrAmount') ?? (present.paymentQrAmount ? 'on' : 'off'),
  error: errors.paymentQrAmount,
  choices: Object.entries(accountTexts.onOff),
})}
${field('upiId')}
${field('payLinkDays', 'number')}`;
}
