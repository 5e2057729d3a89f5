/**
 * Defines the filters of a webhook endpoint: an event is sent to it only if all of them match. Pure.
 *
 * - They judge the body that is stored, in the newest version of the API, before deliveries are made. So an event that does not match
 *   makes no delivery and costs nothing.
 * - They name only fields that hold no text of people. So an erasure of a customer has nothing to look for in them. `reason` is such a text
 *   in refunds and a list of values in mails, so a filter on it has only those values.
 */
import * as v from 'valibot';
import { containsCardNumber } from '../../base/card-numbers.ts';
import { typedText } from '../../base/text.ts';
import { mailReasons } from '../mails/mail.ts';

/** A value of a field of an event. */
export type FilterValue = string | number | boolean | null;

/** A condition on one field. It has exactly one of the four kinds. */
export interface EventFilter {
  /** The names of the field and of the objects around it, joined by dots: `data.metadata.shop`. */
  readonly path: string;
  readonly equals?: FilterValue | undefined;
  readonly in?: FilterValue[] | undefined;
  readonly prefix?: string | undefined;
  readonly greaterThan?: number | undefined;
}

export const maxFilters = 5;
const maxChoices = 20;
const maxText = 100;

/** The fields of the data of events that filters can name. Others hold texts of people, or lists. */
export const filterFields = [
  ...[
    'about',
    'acceptPartial',
    'amount',
    'amountCredited',
    'amountDue',
    'amountOver',
    'amountPaid',
    'amountRefunded',
  ],
  ...[
    'amountWrittenOff',
    'asOf',
    'bom',
    'card',
    'count',
    'createdAt',
    'creditFrom',
    'currency',
    'customerId',
  ],
  ...['day', 'discount', 'dispute', 'dueDate', 'dueInDays', 'endOn', 'every', 'expiresAt', 'failure'],
  ...['failureCode', 'fees', 'filters', 'format', 'from', 'gst', 'hour', 'id', 'invoiceId', 'issuedAt'],
  ...[
    'issuedOn',
    'kind',
    'late',
    'leftOut',
    'locale',
    'made',
    'metadata',
    'method',
    'mode',
    'next',
    'nextAt',
  ],
  ...['number', 'outcomeAt', 'paymentId', 'pendingReason', 'period', 'prices', 'reason', 'receivedOn'],
  ...[
    'reminderDay',
    'replacedBy',
    'replaces',
    'revision',
    'roundTo',
    'rows',
    'scheduleId',
    'sentAt',
    'settle',
  ],
  ...['source', 'startOn', 'state', 'statementRow', 'status', 'timeZone', 'title', 'totals', 'updatedAt'],
  'voidedAt',
] as const;

/** The text that says why a schedule has stopped. It can have texts of people. */
const withoutText = 'data.failure.message';
const reasonPath = 'data.reason';

const kinds = ['equals', 'in', 'prefix', 'greaterThan'] as const;

const pathMessage = `path must be type, objectVersion, or data. and one of ${filterFields.join(', ')}. Join the names of fields inside of it by dots, such as data.metadata.shop.`;
const valueMessage = `A filter compares with a text of 1 to ${maxText} characters, a number, true, false or null. A text must not be an email address or have a card number.`;
const inMessage = `in must be an array of 1 to ${maxChoices} different values. ${valueMessage}`;
const numberMessage = 'greaterThan must be a number, and not a card number.';
const kindMessage = `A filter has a path and exactly one of ${kinds.join(', ')}.`;
const reasonMessage = `A filter on ${reasonPath} compares with null, or with a reason of a mail: ${mailReasons.join(', ')}.`;
const filtersMessage = `filters must be an array of up to ${maxFilters} filters.`;

const isPath = (path: string): boolean => {
  const [root, field = '', ...inner] = path.split('.');
  if (root === 'type' || root === 'objectVersion') return path === root;
  const isField = (filterFields as readonly string[]).includes(field) && path !== withoutText;
  return root === 'data' && isField && inner.length <= 3 && inner.every((name) => name !== '');
};

/** Whether a filter compares the reason of a mail. That of a refund is a text of people. */
function hasKnownReason({ path, equals, in: values = [], prefix }: EventFilter): boolean {
  if (path !== reasonPath) return true;
  const isKnown = (value: FilterValue) => value === null || mailReasons.some((reason) => reason === value);
  const isStart = prefix === undefined || mailReasons.some((reason) => reason.startsWith(prefix));
  return isStart && values.every(isKnown) && (equals === undefined || isKnown(equals));
}

/** A text that an erasure has nothing to look for in. */
const filterText = (name: string) =>
  v.pipe(
    typedText(name, maxText),
    v.check((text) => !text.includes('@'), `${name} must not have an email address. Use an ID instead.`),
  );
const finite = (message: string) =>
  v.pipe(
    v.number(message),
    v.finite(message),
    v.check((number) => !containsCardNumber(String(number)), message),
  );

const filterValueSchema = v.union(
  [filterText('value'), finite(valueMessage), v.boolean(), v.null()],
  valueMessage,
);

/** A filter as clients send it. */
export const newFilterSchema = v.pipe(
  v.strictObject(
    {
      path: v.pipe(v.string(pathMessage), v.maxLength(maxText, pathMessage), v.check(isPath, pathMessage)),
      equals: v.optional(filterValueSchema),
      in: v.optional(
        v.pipe(
          v.array(filterValueSchema, inMessage),
          v.minLength(1, inMessage),
          v.maxLength(maxChoices, inMessage),
          v.check((values) => new Set(values).size === values.length, inMessage),
        ),
      ),
      prefix: v.optional(filterText('prefix')),
      greaterThan: v.optional(finite(numberMessage)),
    },
    kindMessage,
  ),
  v.check((filter) => kinds.filter((kind) => filter[kind] !== undefined).length === 1, kindMessage),
  v.check(hasKnownReason, reasonMessage),
);

export const newFiltersSchema = v.pipe(
  v.array(newFilterSchema, filtersMessage),
  v.maxLength(maxFilters, filtersMessage),
);

const shownValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);

/** A filter in responses. Only the kind that it has is present. */
export const filterSchema = v.strictObject({
  path: v.string(),
  equals: v.optional(shownValue),
  in: v.optional(v.array(shownValue)),
  prefix: v.optional(v.string()),
  greaterThan: v.optional(v.number()),
});

/** Whether all filters match an event. A field that the event does not have is null. @param body its JSON text */
export function matchesEventFilters(filters: readonly EventFilter[], body: string): boolean {
  if (filters.length === 0) return true;
  const event: unknown = JSON.parse(body);
  return filters.every((filter) => matches(filter, valueAt(event, filter.path)));
}

function matches({ equals, in: values, prefix, greaterThan }: EventFilter, value: unknown): boolean {
  if (equals !== undefined) return value === equals;
  if (values !== undefined) return (values as readonly unknown[]).includes(value);
  if (prefix !== undefined) return typeof value === 'string' && value.startsWith(prefix);
  return typeof value === 'number' && greaterThan !== undefined && value > greaterThan;
}

/** Returns the value of a field. A text of metadata can have dots in its name, so the rest of the path is tried as one name, too. */
function valueAt(event: unknown, path: string): unknown {
  let value = event;
  const names = path.split('.');
  for (const [index, name] of names.entries()) {
    if (typeof value !== 'object' || value === null) return null;
    const rest = names.slice(index).join('.');
    if (Object.hasOwn(value, rest)) return (value as Readonly<Record<string, unknown>>)[rest];
    if (!Object.hasOwn(value, name)) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
