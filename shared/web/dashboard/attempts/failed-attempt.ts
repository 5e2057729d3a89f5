/** Says what a form shows if its attempt had no effect. */

import { hashAddress } from '../../../api/http/request-origin.ts';
import type { AuditAction, AuditOrigin } from '../../../base/audit-origin.ts';
import { ApiError } from '../../../base/errors.ts';
import type { Owner } from '../../../base/ids.ts';
import { CheckoutOpenError } from '../../../domain/invoices/open-checkout.ts';
import type { ActionRequest } from '../definitions.ts';
import { type FieldErrors, inFormWords, type SentFields } from '../input/form-fields.ts';
import { attemptRefusals } from '../records/record-texts.ts';
import { type Attempt, AttemptRefused } from './commit-attempt.ts';

/** Why an attempt had no effect. */
export interface Failure {
  /** The error beside each field. */
  readonly errors?: FieldErrors;
  /** The error above the form, if no field is wrong. */
  readonly alert?: string;
  readonly status: 400 | 403 | 409 | 429;
  /** A payment on the page of a provider has no outcome. The user can go on without it. */
  readonly isInProgress?: true;
  /** The record differs from what the form showed, and `alert` says so. */
  readonly isChanged?: true;
}

/** What a form shows after a failed attempt: the values that were sent, and why they had no effect. */
export interface FailedForm<Fields = SentFields> {
  readonly fields: Fields;
  readonly failure: Failure;
}

/** A form that is shown again. Without a failure, the user asked for something that changes nothing. */
export interface ShownForm<Fields = SentFields> {
  readonly fields: Fields;
  readonly failure?: Failure | undefined;
}

/**
 * Returns the version of a record that its form is based on, for the hidden field `seen`. A form that is shown again keeps
 * the version that the user saw, unless it tells the user that the record has changed.
 */
export function seenVersion(shown: ShownForm | undefined, present: string): string {
  if (!shown || shown.failure?.isChanged) return present;
  return shown.fields.get('seen') ?? present;
}

/** Thrown if a record differs from what the form showed. */
export class RecordChangedError extends Error {}

/** Thrown if fields of a form do not fit the record that it changes. */
export class FieldsError extends Error {
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    super('Fields of the form do not fit the record.');
    this.errors = errors;
  }
}

/** The owner whose records a page shows. */
export const requestOwnerOf = ({ context: { account, mode } }: Pick<ActionRequest, 'context'>): Owner => ({
  account,
  mode,
});

/** Names the user who sends a form and from where, for the audit log. */
export async function originOf(request: ActionRequest, action: AuditAction): Promise<AuditOrigin> {
  const { context, requestId, sourceIp } = request;
  return {
    actor: { type: 'user', id: context.user.id },
    action,
    requestId,
    source: await hashAddress(sourceIp),
  };
}

/**
 * Returns the attempt of a form.
 * @param action the action as the audit log names it
 * @param target the id of what the action changes
 * @param content the values that the form sent
 */
export async function formAttemptOf(
  request: ActionRequest,
  action: AuditAction,
  target: string,
  content: unknown,
): Promise<Attempt> {
  const { context, attempt: id } = request;
  const origin = await originOf(request, action);
  return { owner: requestOwnerOf(request), id, origin, target, content, clock: context.moment };
}

/**
 * Returns what the form shows after an error of its attempt, or undefined if the record does not exist.
 * @param texts how the form names its fields
 * @param changed shown if the record differs from what the form showed
 * @throws the error, if it is not one of the form
 */
export function failureOf(
  error: unknown,
  texts: Parameters<typeof inFormWords>[2],
  changed?: string,
): Failure | undefined {
  if (error instanceof AttemptRefused) return { alert: attemptRefusals[error.reason], status: 409 };
  if (error instanceof RecordChangedError && changed !== undefined)
    return { alert: changed, status: 409, isChanged: true };
  if (error instanceof FieldsError) return { errors: error.errors, status: 400 };
  if (!(error instanceof ApiError)) throw error;
  const { code, field, message, status } = error;
  if (status === 404 || code === 'invalid_invoice' || code === 'invalid_payment') return undefined;
  if (status === 429) return { alert: message, status };
  if (error instanceof CheckoutOpenError)
    return { alert: attemptRefusals.inProgress, status: 409, isInProgress: true };
  if (code === 'idempotency_key_reused') return { alert: attemptRefusals.reused, status: 409 };
  if (field !== undefined && Object.hasOwn(texts, field))
    return { errors: { [field]: inFormWords(field, message, texts) }, status: 400 };
  return { alert: message, status: 409 };
}
