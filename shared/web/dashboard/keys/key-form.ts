/** Reads the forms of a new API key and of its settings. */

import { isDay } from '../../../base/due-date.ts';
import { maxOverlapHours } from '../../../base/overlap-hours.ts';
import type { Instant } from '../../../base/time.ts';
import { isName, isNote } from '../../../domain/accounts/account.ts';
import type { KeySettings } from '../../../domain/accounts/key-update.ts';
import { parseAddressRanges } from '../../../domain/auth/address-ranges.ts';
import { type Permission, permissions } from '../../../domain/auth/permissions.ts';
import type { DashboardContext } from '../context.ts';
import {
  type FieldErrors,
  lineOf,
  linesOf,
  typedTextError,
  type ValidatedFields,
} from '../input/form-fields.ts';
import { readVersionField } from '../input/version-field.ts';
import { toApiTime } from '../input/zoned-times.ts';
import { keyFields } from './key-texts.ts';

type TimeContext = Pick<DashboardContext, 'now' | 'timeZone'>;

/** A key as the form asks for it. */
export interface AskedKey extends KeySettings {
  /** Undefined: all permissions. */
  readonly permissions: readonly Permission[] | undefined;
  readonly expiresAt: Instant | undefined;
}

/** Validates the fields as the command `remit keys create` does. */
export function readKeyForm(fields: URLSearchParams, context: TimeContext): ValidatedFields<AskedKey> {
  const settings = readKeySettings(fields);
  const access = fields.get('access') ?? '';
  const isLimited = access === 'chosen';
  const ticked = fields.getAll('permissions');
  const chosen = permissions.filter((permission) => ticked.includes(permission));
  const areKnown = ['all', 'chosen'].includes(access) && chosen.length === new Set(ticked).size;
  const { expiresAt, error: expiryError } = readExpiryDay(fields, context);
  const errors: FieldErrors = {
    ...(!settings.ok && settings.errors),
    ...((!areKnown || (isLimited && chosen.length === 0)) && { permissions: keyFields.permissions.message }),
    ...(expiryError && { expiresOn: expiryError }),
  };
  if (!settings.ok || Object.keys(errors).length > 0) return { ok: false, errors };
  return {
    ok: true,
    output: { ...settings.output, permissions: isLimited ? chosen : undefined, expiresAt },
  };
}

/** How the form replaces a key. */
export interface AskedRollOver {
  readonly overlapMs: number;
  readonly expiresAt: Instant | undefined;
}

const hourMs = 3_600_000;

/** Validates the fields as the command `remit keys roll-over` does. */
export function readRollOverForm(
  fields: URLSearchParams,
  context: TimeContext,
): ValidatedFields<AskedRollOver> {
  const text = lineOf(fields, 'overlapHours');
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  const { expiresAt, error } = readExpiryDay(fields, context);
  const errors: FieldErrors = {
    ...(!(hours <= maxOverlapHours) && { overlapHours: keyFields.overlapHours.message }),
    ...(error && { expiresOn: error }),
  };
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, output: { overlapMs: hours * hourMs, expiresAt } };
}

function readExpiryDay(
  fields: URLSearchParams,
  context: TimeContext,
): { readonly expiresAt: Instant | undefined; readonly error?: string } {
  const day = lineOf(fields, 'expiresOn');
  const expiresAt = isDay(day) ? Date.parse(toApiTime(context, day)) : undefined;
  const isWrong = day !== '' && (expiresAt === undefined || expiresAt <= context.now);
  return { expiresAt, ...(isWrong && { error: keyFields.expiresOn.message }) };
}

/** Validates the fields as the command `remit keys update` does. An empty field removes the setting. */
export function readKeySettings(fields: URLSearchParams): ValidatedFields<KeySettings> {
  const name = lineOf(fields, 'name');
  const note = linesOf(fields, 'note') || undefined;
  const lines = linesOf(fields, 'allowedAddresses')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const addresses = lines.length > 0 ? parseAddressRanges(lines) : undefined;
  const nameError = typedTextError(name, isName, keyFields.name);
  const noteError = typedTextError(note, isNote, keyFields.note);
  const version = readVersionField(fields);
  const errors: FieldErrors = {
    ...(nameError && { name: nameError }),
    ...(noteError && { note: noteError }),
    ...(addresses && !addresses.ok && { allowedAddresses: addresses.message }),
    ...(!version.ok && version.errors),
  };
  if (!version.ok || Object.keys(errors).length > 0) return { ok: false, errors };
  const allowedAddresses = addresses?.ok ? addresses.ranges : undefined;
  return { ok: true, output: { name, note, allowedAddresses, ...version.output } };
}
