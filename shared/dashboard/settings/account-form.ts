/** Renders and reads the form of the account's settings. */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import {
  arePaymentInstructions,
  isName,
  isQrText,
  parsePayLinkDays,
  type SeenSettings,
} from '../../accounts/account.ts';
import type { Markup } from '../../pages/markup.ts';
import { canonicalJson } from '../../strict-json.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import { renderField, renderHiddenInput } from '../forms.ts';
import { lineOf, linesOf, type SentFields, type ValidatedFields } from '../input/form-fields.ts';
import { accountFields } from './account-texts.ts';

type FieldName = keyof typeof accountFields;
/** The names of the fields. */
export const accountFieldNames = Object.keys(accountFields) as readonly FieldName[];

/** Validates the fields as the command `remit accounts update` does. An empty field removes the setting. */
export function readAccountForm(fields: SentFields): ValidatedFields<SeenSettings> {
  const name = lineOf(fields, 'name');
  const displayName = lineOf(fields, 'displayName') || undefined;
  const paymentInstructions = linesOf(fields, 'paymentInstructions') || undefined;
  const paymentQr = lineOf(fields, 'paymentQr') || undefined;
  const daysText = lineOf(fields, 'payLinkDays');
  const payLinkDays = parsePayLinkDays(daysText);
  const isValid: Record<FieldName, boolean> = {
    name: isName(name),
    displayName: displayName === undefined || isName(displayName),
    paymentInstructions: paymentInstructions === undefined || arePaymentInstructions(paymentInstructions),
    paymentQr: paymentQr === undefined || isQrText(paymentQr),
    payLinkDays: daysText === '' || payLinkDays !== undefined,
  };
  const wrong = accountFieldNames.filter((field) => !isValid[field]);
  if (wrong.length === 0)
    return { ok: true, output: { name, displayName, paymentInstructions, paymentQr, payLinkDays } };
  return {
    ok: false,
    errors: Object.fromEntries(wrong.map((field) => [field, accountFields[field].message])),
  };
}

/** Returns the settings that the form can change. */
export function settingsOf(account: SeenSettings): SeenSettings {
  const { name, displayName, paymentInstructions, paymentQr, payLinkDays } = account;
  return { name, displayName, paymentInstructions, paymentQr, payLinkDays };
}

/** Returns a short text that differs if any setting differs. The form carries it. */
export function fingerprintOfSettings(settings: SeenSettings): string {
  const text = canonicalJson(settingsOf(settings));
  return createHash('sha256').update(text).digest('base64url');
}

/** Renders the fields of the form, with the values that the user typed or the present settings. */
export function renderAccountFields(present: SeenSettings, failed: FailedForm | undefined): Markup {
  const typed = failed?.fields;
  const errors = failed?.failure.errors ?? {};
  const field = (name: FieldName, type?: 'textarea' | 'number') => {
    const { label, hint } = accountFields[name];
    const value = typed ? (typed.get(name) ?? '') : String(present[name] ?? '');
    return renderField({ name, label, hint, value, error: errors[name], ...(type && { type }) });
  };
  return html`${renderHiddenInput('seen', seenVersion(failed, fingerprintOfSettings(present)))}${field('name')}
${field('displayName')}
${field('paymentInstructions', 'textarea')}
${field('paymentQr')}
${field('payLinkDays', 'number')}`;
}
