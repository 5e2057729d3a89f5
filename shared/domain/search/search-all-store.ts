/** Searches records of all kinds: by what people know of them, and by their IDs. Three calls in sequence at most. */
import { isRecordId, type Owner } from '../../base/ids.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { readStatementIndex } from '../statements/statement-store.ts';
import { findById, type IdSearch } from './find-by-id-store.ts';
import { knownTypes, maxResults, type SearchResults, searchKinds } from './search.ts';
import { type Found, lookUp, newestFirst, readResults } from './search-store.ts';

/** What the lookups of all kinds have found. */
export interface FoundOfAll {
  readonly found: Found;
  /** The index of the statements, one of which can have the row with the ID. */
  readonly statements: IndexView | undefined;
}

/** Looks up all meanings of a text, as `lookUp`. One call in sequence. @param q from `searchQuery` */
export async function lookUpAll(owner: Owner, q: string): Promise<FoundOfAll> {
  const [found, statements] = await Promise.all([
    lookUp(owner, q),
    isRecordId('statementRow', q) ? readStatementIndex(owner) : undefined,
  ]);
  return { found, statements };
}

/** Reads the records of all kinds that the caller may read, newest first. Two calls in sequence at most. */
export async function readAllResults(
  search: IdSearch,
  { found, statements }: FoundOfAll,
): Promise<SearchResults> {
  const types = knownTypes.filter((type) => search.mayRead(searchKinds[type].permission));
  const [byId, { data, hasMore }] = await Promise.all([
    findById(search, found.searched.text, statements),
    readResults(search, found, types),
  ]);
  if (!byId) return { data, hasMore };
  const all = [byId, ...data].sort(newestFirst);
  return { data: all.slice(0, maxResults), hasMore: hasMore || all.length > maxResults };
}
