/**
 * Makes the items that lead from a term to the records that have it. Pure.
 *
 * - The key has only a keyed hash of the term, so nothing personal is readable in the table. The sort key orders the records of a term
 *   by time.
 * - The terms and names of customers have hashes of their own, so that a list of customers reads no others.
 * - A name has an item for each of its words, under the first letters of the word. The attribute `w` of the item has short hashes of the
 *   longer beginnings of all words, so one query finds names by several words.
 * - The attribute `w` of an amount has its currency, so the amount is found with or without it. That of a decision about a claim has short
 *   hashes of the ID of the claim and of its reference.
 * - A reader compares each record with what was searched. So an item that outlives its term leads to nothing.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { TableHash } from '../../platform/secrets/deployment-secret.ts';
import { type Key, tableKeys } from '../keys.ts';
import { firstLettersOf, longerBeginningsOf, nameWordsOf, searchedBeginningOf } from './name-words.ts';

/** What leads to a record, besides a name. */
type TermKind =
  | 'amount'
  | 'card'
  | 'claim'
  | 'number'
  | 'reference'
  | 'received'
  | 'customer reference'
  | 'decision';

/** A term. An amount is in the smallest unit. */
export interface Term {
  readonly kind: TermKind;
  readonly value: string;
  /** The currency of an amount. A lookup without it finds those of all currencies. */
  readonly currency?: string | undefined;
  /** What names the claim of a decision, from `comparableTerm`. A lookup with one of them finds only that claim. */
  readonly claimNames?: readonly string[] | undefined;
}

/** The term of claims and of payments of another amount about which the merchant must decide. */
export const openDecision: Term = { kind: 'decision', value: 'open' };
/** The term of disputes without a decision. Other decisions do not push them out of a list. */
export const openDispute: Term = { kind: 'decision', value: 'dispute' };

/** A record, and what leads to it. */
export interface Searched extends Owner {
  readonly id: string;
  readonly createdAt: Instant;
  readonly terms: readonly Term[];
  readonly name: string | undefined;
}

/** Whose name it is: that of a customer, or of the buyer on an invoice. */
export type NameKind = 'customer name' | 'name';

/** How records are found: the hash that they are stored under, and the short hashes that their items must have. */
export interface EntryLookup {
  readonly hash: string;
  readonly w: readonly string[];
}

/** An item that leads to a record. That of a name has the beginnings of its words, and that of an amount its currency. */
export type SearchEntry = Key & { readonly w?: readonly string[] };

/** 48 bits. A beginning that another name has by chance costs a comparison, and shows nothing. */
const shortHashLength = 8;

/** Returns a term in the form in which all ways to type it are the same: in lower case, without white space and hyphens. */
export const comparableTerm = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Pd}]+/gu, '');

/** Returns how the records with a term are found. */
export const termLookup = (
  hash: TableHash,
  { kind, value, currency, claimNames = [] }: Term,
): EntryLookup => ({
  hash: hash('search', `${kind}:${value}`),
  w: [
    ...(currency === undefined ? [] : [currency]),
    ...claimNames.map((name) => nameHash(hash, `claim:${name}`)),
  ],
});

/** Returns the items that lead to a record. */
export function searchEntriesOf(hash: TableHash, searched: Searched): readonly SearchEntry[] {
  const { id, createdAt, terms, name } = searched;
  const keyOf = (term: string) => tableKeys.searchEntry(searched, term, createdAt, id);
  const words = nameWordsOf(name ?? '');
  const nameKind = id.startsWith('cust_') ? 'customer name' : 'name';
  const w = [...new Set(words.flatMap((word) => [word, ...longerBeginningsOf(word)]))].map((beginning) =>
    nameHash(hash, beginning),
  );
  return [
    ...terms.map((term) => {
      const { hash: ofTerm, w: marks } = termLookup(hash, term);
      return { ...keyOf(ofTerm), ...(marks.length > 0 && { w: marks }) };
    }),
    ...[...new Set(words.map(firstLettersOf))].map((letters) => ({
      ...keyOf(lettersHash(hash, nameKind, letters)),
      w,
    })),
  ];
}

/** Returns what changes if `after` takes the place of `before`. Undefined: nothing leads to the record. */
export function changedEntries(
  hash: TableHash,
  before: Searched | undefined,
  after: Searched | undefined,
): { readonly puts: readonly SearchEntry[]; readonly deletes: readonly Key[] } {
  const [old, next] = [before, after].map((searched) => (searched ? searchEntriesOf(hash, searched) : []));
  const nameOf = ({ pk, w = [] }: SearchEntry) => `${pk} ${w}`;
  const same = new Set((old ?? []).map(nameOf));
  const kept = new Set((next ?? []).map(({ pk }) => pk));
  return {
    puts: (next ?? []).filter((entry) => !same.has(nameOf(entry))),
    deletes: (old ?? []).filter(({ pk }) => !kept.has(pk)),
  };
}

/**
 * Returns how the names that have all of these words are found: the hash of the word that says most, and the short hashes that each item
 * has then. A word of three letters has none of these, because items do not have such beginnings.
 */
export function nameLookup(hash: TableHash, kind: NameKind, words: readonly string[]): EntryLookup {
  const lengthOf = (word: string) => [...word].length;
  const [most = ''] = words.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  return {
    hash: lettersHash(hash, kind, firstLettersOf(most)),
    w: words.filter((word) => lengthOf(word) !== 3).map((word) => nameHash(hash, searchedBeginningOf(word))),
  };
}

const lettersHash = (hash: TableHash, kind: NameKind, letters: string): string =>
  hash('search', `${kind}:${letters}`);
const nameHash = (hash: TableHash, beginning: string): string =>
  hash('search-name', beginning).slice(0, shortHashLength);
