/** Reads the form of a new API key. */
import { isName } from '../../accounts/account.ts';
import { type Permission, permissions } from '../../auth/permissions.ts';
import { parseDueDate } from '../../due-date.ts';
import type { Instant } from '../../time.ts';
import { type FieldErrors, lineOf, type ValidatedFields } from '../input/form-fields.ts';
import { keyFields } from './key-texts.ts';

/** A key as the form asks for it. */
export interface AskedKey {
  readonly name: string;
  /** Undefined: all permissions. */
  readonly permissions: readonly Permission[] | undefined;
  readonly expiresAt: Instant | undefined;
}

/** Validates the fields as the command `remit keys create` does. */
export function readKeyForm(fields: URLSearchParams, now: Instant): ValidatedFields<AskedKey> {
  const name = lineOf(fields, 'name');
  const chosen = permissions.filter((permission) => fields.getAll('permissions').includes(permission));
  const isLimited = fields.get('access') === 'chosen';
  const day = lineOf(fields, 'expiresOn');
  const expiresAt = /^\d{4}-\d\d-\d\d$/.test(day) ? parseDueDate(day)?.instant : undefined;
  const errors: FieldErrors = {
    ...(!isName(name) && { name: keyFields.name.message }),
    ...(isLimited && chosen.length === 0 && { permissions: keyFields.permissions.message }),
    ...(day !== '' &&
      (expiresAt === undefined || expiresAt <= now) && { expiresOn: keyFields.expiresOn.message }),
  };
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, output: { name, permissions: isLimited ? chosen : undefined, expiresAt } };
}
