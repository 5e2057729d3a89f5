/** Reads the query of a list's page: the filters and the page, with the schema of the API's list. */
import type * as v from 'valibot';
import { validate } from '../../../api/http/validate.ts';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import type { DashboardRequest } from '../definitions.ts';
import { type FieldErrors, inFormWords } from '../input/form-fields.ts';
import { toApiTime } from '../input/zoned-times.ts';
import type { ZoneContext } from '../times.ts';

/** A query that is not valid has no filters. Its page shows the error beside the field, and no rows. */
export interface ParsedQuery<Output> {
  readonly query: Output;
  /** For lists that can begin with the oldest record. */
  readonly order: ListOrder;
  readonly errors: FieldErrors;
}

/**
 * Parses a query. Empty and unknown parameters are ignored, because a filter form sends the fields that are not filled
 * in, and a notice is a parameter too.
 * @param names the parameters that the page knows
 */
export function parseListQuery<const Schema extends v.GenericSchema>(
  schema: Schema,
  { query: sent, context }: Pick<DashboardRequest, 'query' | 'context'>,
  names: readonly string[],
): ParsedQuery<v.InferOutput<Schema>> {
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const value = sent.get(name)?.trim();
      return value ? [[name, toApiValue(context, name, value)] as const] : [];
    }),
  );
  const order = sent.get('order') === 'oldest' ? 'oldest' : 'newest';
  const result = validate(schema, given);
  if (result.ok) return { query: result.output, order, errors: {} };
  const empty = validate(schema, {});
  if (!empty.ok) throw new Error('The query of a list must accept no parameters.');
  return { query: empty.output, order, errors: { [result.field]: result.message } };
}

/** Returns what was sent as a filter, also if it is not valid. */
export const typedValue = (sent: URLSearchParams, name: string): string | undefined =>
  sent.get(name)?.trim() || undefined;

/** A day without a time is one of the time zone of the account. */
function toApiValue(zone: ZoneContext, name: string, value: string): string {
  if (name === 'createdFrom') return toApiTime(zone, value, 'first');
  return name === 'createdTo' ? toApiTime(zone, value) : value;
}

/**
 * Returns the errors of a query in the words of the page, which has labels and no names of parameters.
 * @param filters the filters of the page by the name of their parameter
 */
export function inPageWords(
  errors: FieldErrors,
  filters: Readonly<Record<string, { readonly label: string }>>,
): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([field, message]) => {
      // A name in one word, such as status, is also a word of a message about another parameter.
      const named = Object.keys(filters).filter((name) => name === field || /[A-Z]/.test(name));
      return [field, named.reduce((text, name) => inFormWords(name, text, filters), message)];
    }),
  );
}

/** Returns the link to a list with parameters. Those that are undefined or empty are left out. */
export function listLink(
  list: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string]));
  return search.size > 0 ? `${list}?${search}` : list;
}
