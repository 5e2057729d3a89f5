/**
 * Finds the messages of each error code for the API reference: its default message, or the messages of its fields. Different
 * resources can have fields with the same code but with different messages.
 */
import * as v from 'valibot';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import { type Route, routes } from '../routes.ts';
import { fieldSchemasOf } from './operation-errors.ts';

/**
 * Returns the distinct messages of an error code. The messages of body fields are first.
 * @throws Error if the code has no default message and no field of a route has it
 */
export function messagesOfCode(code: ErrorCode): readonly [string, ...string[]] {
  const definition = errorCodes[code];
  if ('message' in definition) return [definition.message];
  const all = Object.values<Route>(routes);
  const fields = [
    ...all.flatMap(({ body }) => fieldSchemasOf(body)),
    ...all.flatMap(({ query }) => fieldSchemasOf(query)),
  ];
  const messages = fields.filter((field) => field.code === code).map(({ schema }) => messageOf(schema));
  const [first, ...others] = new Set(messages);
  if (first === undefined) throw new Error(`No field has the error code ${code}.`);
  return [first, ...others];
}

/** Returns the message of a field for an invalid value. No field accepts a symbol. */
function messageOf(schema: v.GenericSchema): string {
  const [issue] = v.safeParse(schema, Symbol('invalid')).issues ?? [];
  if (!issue) throw new Error(`A field accepts every value: ${schema.type}.`);
  return issue.message;
}
