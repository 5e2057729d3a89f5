/** Defines the search: what can be searched, and the schemas of the request and the response of its endpoint. */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { amountSchema, currencySchema } from '../../base/money.ts';
import { timestampSchema } from '../../base/time.ts';

/** How many results a search has at most. */
export const maxResults = 20;
const maxLength = 200;

const message = `q must be a text of 2 to ${maxLength} characters, sent only once.`;

/** The text is stored nowhere. Spaces around it do not matter. */
export const searchQuery = /* @__PURE__ */ v.strictObject({
  q: v.pipe(
    v.string(message),
    v.trim(),
    v.check((text) => [...text].length >= 2 && [...text].length <= maxLength, message),
  ),
});

/** The kinds of records that a search finds. */
export const searchTypes = ['invoice', 'payment', 'refund', 'customer'] as const;
export type SearchType = (typeof searchTypes)[number];

/** Why a search finds a record. The first reason that holds is shown. */
export const searchReasons = [
  'id',
  'number',
  'reference',
  'payment_reference',
  'email',
  'customer',
  'name',
  'card',
  'amount',
] as const;
export type SearchReason = (typeof searchReasons)[number];

const shownText = v.nullable(v.string());

/** A result in responses. It always has all of these fields. */
export const searchResultSchema = v.strictObject({
  type: v.picklist(searchTypes),
  id: v.pipe(v.string(), v.regex(idPatternOf(...searchTypes))),
  matchedBy: v.picklist(searchReasons),
  name: shownText,
  customerId: shownText,
  invoiceId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('invoice')))),
  reference: shownText,
  amount: v.nullable(amountSchema),
  currency: v.nullable(currencySchema),
  status: v.string(),
  createdAt: timestampSchema,
});

export const searchResultsSchema = v.strictObject({
  data: v.array(searchResultSchema),
  hasMore: v.boolean(),
});

export type SearchResult = v.InferOutput<typeof searchResultSchema>;
export type SearchResults = v.InferOutput<typeof searchResultsSchema>;
