/** Defines the search: what can be searched, and the schemas of the request and the response of its endpoint. */
import * as v from 'valibot';
import { idPatternOf, type ResourceWithId } from '../../base/ids.ts';
import { currencySchema } from '../../base/money.ts';
import { timestampSchema } from '../../base/time.ts';
import type { Permission } from '../auth/permissions.ts';

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

/** A kind of records that a search finds. */
interface SearchKind {
  /** The resource whose ids the records have. */
  readonly resource: ResourceWithId;
  /** What reading such a record needs. */
  readonly permission: Permission;
}

/** The kinds of records that a search finds by what people know of them. */
const knownKinds = {
  invoice: { resource: 'invoice', permission: 'invoices:read' },
  payment: { resource: 'payment', permission: 'payments:read' },
  refund: { resource: 'refund', permission: 'refunds:read' },
  customer: { resource: 'customer', permission: 'customers:read' },
} as const satisfies Record<string, SearchKind>;

/** The kinds of records that a search finds by their IDs alone. */
export const idKinds = {
  draft: { resource: 'draft', permission: 'invoices:read' },
  schedule: { resource: 'schedule', permission: 'invoices:read' },
  document: { resource: 'document', permission: 'invoices:read' },
  mail: { resource: 'mail', permission: 'invoices:read' },
  product: { resource: 'product', permission: 'products:read' },
  statement: { resource: 'statement', permission: 'statements:read' },
  statement_row: { resource: 'statementRow', permission: 'statements:read' },
  export: { resource: 'export', permission: 'exports:read' },
  webhook: { resource: 'webhook', permission: 'webhooks:read' },
  delivery: { resource: 'delivery', permission: 'webhooks:read' },
  event: { resource: 'event', permission: 'events:read' },
  audit_entry: { resource: 'auditEntry', permission: 'audit:read' },
  api_key: { resource: 'key', permission: 'keys:read' },
} as const satisfies Record<string, SearchKind>;

export const searchKinds = { ...knownKinds, ...idKinds } as const;
export type KnownType = keyof typeof knownKinds;
export type IdType = keyof typeof idKinds;
export type SearchType = KnownType | IdType;
export const knownTypes = Object.keys(knownKinds) as KnownType[];
export const searchTypes = Object.keys(searchKinds) as SearchType[];

/** Any of these permissions lets a key search. It gets only the kinds that it may read. */
export const searchPermissions: readonly Permission[] = [
  ...new Set(searchTypes.map((type) => searchKinds[type].permission)),
];

/** Why a search finds a record. The first reason that holds is shown. */
export const searchReasons = [
  'id',
  'claim',
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

/** The pattern of the IDs of results. Those of API keys are shorter than others. */
function resultIdPattern(): RegExp {
  const resources = searchTypes
    .map((type): ResourceWithId => searchKinds[type].resource)
    .filter((each) => each !== 'key');
  return new RegExp(`${idPatternOf(...resources).source}|${idPatternOf('key').source}`);
}

/** A result in responses. It always has all of these fields. */
export const searchResultSchema = v.strictObject({
  type: v.picklist(searchTypes),
  id: v.pipe(v.string(), v.regex(resultIdPattern())),
  matchedBy: v.picklist(searchReasons),
  name: shownText,
  customerId: shownText,
  invoiceId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('invoice')))),
  parentId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('statement', 'webhook')))),
  reference: shownText,
  amount: v.nullable(v.pipe(v.number(), v.safeInteger())),
  currency: v.nullable(currencySchema),
  status: shownText,
  createdAt: timestampSchema,
});

export const searchResultsSchema = v.strictObject({
  data: v.array(searchResultSchema),
  hasMore: v.boolean(),
});

export type SearchResult = v.InferOutput<typeof searchResultSchema>;
export type SearchResults = v.InferOutput<typeof searchResultsSchema>;
