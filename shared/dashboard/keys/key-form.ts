/** Reads the forms of a new API key and of its settings. */
import { isName, isNote } from '../../accounts/account.ts';
import type { KeySettings } from '../../accounts/key-update.ts';
import { parseAddressRanges } from '../../auth/address-ranges.ts';
import { type Permission, permissions } from '../../auth/permissions.ts';
import { parseDueDate } from '../../due-date.ts';
import type { Instant } from '../../time.ts';
import { type FieldErrors, lineOf, linesOf, type ValidatedFields } from '../input/form-fields.ts';
import { keyFields } from './key-texts.ts';

/** A key as the form asks for it. */
export interface AskedKey extends KeySettings {
  /** Undefined: all permissions. */
  readonly permissions: readonly Permission[] | undefined;
  readonly expiresAt: Instant | undefined;
}

/** Validates the fields as the command `remit keys create` does. */
export function readKeyForm(fields: URLSearchParams, now: Instant): ValidatedFields<AskedKey> {
  const settings = readKeySettings(fields);
  const chosen = permissions.filter((permission) => fields.getAll('permissions').includes(permission));
  const isLimited = fields.get('access') === 'chosen';
  const day = lineOf(fields, 'expiresOn');
  const expiresAt = /^\d{4}-\d\d-\d\d$/.test(day) ? parseDueDate(day)?.instant : undefined;
  const errors: FieldErrors = {
    ...(!settings.ok && settings.errors),
    ...(isLimited && chosen.length === 0 && { permissions: keyFields.permissions.message }),
    ...(day !== '' &&
      (expiresAt === undefined || expiresAt <= now) && { expiresOn: keyFields.expiresOn.message }),
  };
  if (!settings.ok || Object.keys(errors).length > 0) return { ok: false, errors };
  return {
    ok: true,
    output: { ...settings.output, permissions: isLimited ? chosen : undefined, expiresAt },
  };
}

/** Validates the fields as the command `remit keys update` does. An empty field removes the setting. */
export function readKeySettings(fields: URLSearchParams): ValidatedFields<KeySettings> {
  const name = lineOf(fields, 'name');
  const note = linesOf(fields, 'note') || undefined;
  const lines = linesOf(fields, 'allowedAddresses')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const addresses = lines.length > 0 ? parseAddressRanges(lines) : undefined;
  const errors: FieldErrors = {
    ...(!isName(name) && { name: keyFields.name.message }),
    ...(note !== undefined && !isNote(note) && { note: keyFields.note.message }),
    ...(addresses && !addresses.ok && { allowedAddresses: addresses.message }),
  };
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, output: { name, note, allowedAddresses: addresses?.ok ? addresses.ranges : undefined } };
}
