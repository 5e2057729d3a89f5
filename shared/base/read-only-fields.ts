/** Refuses changes of fields that never change, or that the service sets. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from './errors.ts';

/**
 * Accepts read-only fields that have their current value, so a client can send back a resource that it received.
 * @param shown the resource as the API shows it
 * @param body the body of an update
 * @param fields the read-only fields
 * @param changeable names the fields that can change, for the message
 * @throws ApiError `immutable_field`
 */
export function requireUnchanged<Field extends string>(
  shown: Readonly<Record<Field, unknown>>,
  body: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
  changeable: string,
): void {
  for (const field of fields) {
    if (body[field] === undefined || isDeepStrictEqual(body[field], shown[field])) continue;
    const message = `${field} is read-only. Leave it out or send its current value. Only ${changeable} can change.`;
    throw new ApiError('immutable_field', { field, message });
  }
}
