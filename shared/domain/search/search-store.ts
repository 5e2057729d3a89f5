/**
 * Searches the records of an account and mode. Three calls in sequence at most, and no scan:
 *
 * - All meanings of the text are looked up together: the items of its terms, lists of customers, and items of references.
 * - A meaning that led to few records that the caller may read is looked up further. If more than 1,000 items have it, older ones can
 *   be missing, and the response says so.
 * - Then one read gets the records. Each is compared with the text, so an item that outlives its term leads to nothing.
 */
import { isRecordId, type Owner, type Resource, recordId } from '../../base/ids.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IdKeys, Principal } from '../../store/account-state.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { fromItems, type NumberedRecord, type NumberedType, readItems } from '../../store/records.ts';
import { type FoundEntries, queryFirst, readOn } from '../../store/search/query-entries.ts';
import {
  type NameKind,
  nameLookup,
  openDecision,
  type Term,
  termLookup,
} from '../../store/search/search-entries.ts';
import { readCustomerIndex } from '../customers/customer-list-store.ts';
import { customerType } from '../customers/record.ts';
import { paymentReferenceId, readInvoiceIndex } from '../invoices/invoice-store.ts';
import { invoiceType } from '../invoices/record.ts';
import { findInvoiceId } from '../invoices/reference-store.ts';
import { paymentType } from '../payments/record.ts';
import { refundType } from '../refunds/record.ts';
import { isMatch, toResult } from './compare.ts';
import { type KnownType, maxResults, type SearchResult, type SearchResults } from './search.ts';
import { meaningsOf, type SearchedText } from './searched-text.ts';

/** How many records each meaning of a text leads to at most. One more than a response has, so `hasMore` is right. */
const maxOfMeaning = maxResults + 5;
const idsPerCall = 100;

/** What the lookups have found. */
export interface Found {
  readonly searched: SearchedText;
  readonly entries: readonly FoundEntries[];
  /** The invoice that has the text as its own reference. */
  readonly reference: string | undefined;
  /** The invoices that have the text as the number of a document. */
  readonly numbered: ReadonlySet<string>;
  readonly invoices: IndexView | undefined;
  readonly customers: IndexView | undefined;
}

/** Looks up all meanings of a text. One call in sequence. @param q from `searchQuery` */
export async function lookUp(owner: Owner, q: string): Promise<Found> {
  const searched = meaningsOf(q);
  const { amount, currency, last4, term, text, email, customerId, words } = searched;
  const hash = await tableHasher();
  const ofTerm = (each: Term) => queryFirst(owner, termLookup(hash, each), maxOfMeaning);
  const ofName = (kind: NameKind) => queryFirst(owner, nameLookup(hash, kind, words), maxOfMeaning);
  const [numbered, entries, reference, invoices, customers] = await Promise.all([
    ofTerm({ kind: 'number', value: term }),
    Promise.all([
      ...(amount === undefined ? [] : [ofTerm({ kind: 'amount', value: String(amount), currency })]),
      ...(last4 === undefined ? [] : [ofTerm({ kind: 'card', value: last4 })]),
      ofTerm({ kind: 'reference', value: term }),
      ofTerm({ kind: 'customer reference', value: term }),
      ofTerm({ ...openDecision, claimNames: [term] }),
      ...(isRecordId('claim', text) ? [ofTerm({ kind: 'claim', value: text })] : []),
      ...(words.length === 0 ? [] : [ofName('name'), ofName('customer name')]),
    ]),
    findInvoiceId(owner, text),
    customerId === undefined ? undefined : readInvoiceIndex(owner, { customerId }),
    email === undefined ? undefined : readCustomerIndex(owner, email),
  ]);
  const all = [...entries, numbered];
  return { searched, entries: all, reference, numbered: new Set(numbered.ids), invoices, customers };
}

/**
 * Reads the records that were found, newest first. Two calls in sequence at most.
 * @param types the kinds that the caller may read
 */
export async function readResults(
  { owner, idKeys }: Pick<Principal, 'owner' | 'idKeys'>,
  found: Found,
  types: readonly KnownType[],
): Promise<SearchResults> {
  const { searched, numbered, reference } = found;
  const referenced = paymentReferenceId({ owner, idKeys }, searched.paymentReference);
  const known = { invoice: invoiceType, payment: paymentType, refund: refundType, customer: customerType };
  const wanted = types.map((type) => known[type] as unknown as NumberedType<NumberedRecord>);
  const isWanted = (id: string) => wanted.some((type) => type.isId(id));
  const entries = await Promise.all(found.entries.map((each) => readOn(owner, each, maxOfMeaning, isWanted)));
  const ids = [
    searched.text,
    ...[referenced, reference].filter((id) => id !== undefined),
    ...entries.flatMap((each) => each.ids),
    ...idsIn(owner, idKeys, 'invoice', found.invoices),
    ...idsIn(owner, idKeys, 'customer', found.customers),
  ];
  const results: SearchResult[] = [];
  const distinct = [...new Set(ids)].filter(isWanted);
  const items = await readAll(distinct);
  for (const type of wanted) {
    const read = fromItems(
      type,
      owner,
      items.filter(({ pk }) => type.isId(String(pk))),
    );
    for (const record of leaveOutMalformed([...read.records.values(), ...read.malformed.values()])) {
      const matchedBy = isMatch(searched, record as never, {
        isNumbered: numbered.has(record.id),
        referenced,
      });
      if (matchedBy) results.push(toResult(record as never, type.resource as KnownType, matchedBy));
    }
  }
  results.sort(newestFirst);
  const hasMore = results.length > maxResults || entries.some(({ isMore }) => isMore);
  return { data: results.slice(0, maxResults), hasMore };
}

/** Compares results for their order. */
export const newestFirst = (one: SearchResult, other: SearchResult): number =>
  Date.parse(other.createdAt) - Date.parse(one.createdAt) || (one.id < other.id ? 1 : -1);

async function readAll(ids: readonly string[]) {
  const calls = Array.from({ length: Math.ceil(ids.length / idsPerCall) }, (_, index) =>
    readItems(ids.slice(index * idsPerCall, (index + 1) * idsPerCall).map(tableKeys.record)),
  );
  return (await Promise.all(calls)).flat();
}

/** Returns the ids of the newest records of a list. */
function idsIn(owner: Owner, idKeys: IdKeys, resource: Resource, view: IndexView | undefined): string[] {
  const seqs = view?.select(undefined, 0, maxOfMeaning).seqs ?? [];
  return seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource }, seq));
}
