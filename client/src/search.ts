/** Defines the method `remit.search`. */
import type { ApiCall, RequestOptions } from './call.ts';
import type { SearchParams, SearchResults } from './schemas.ts';

export type SearchMethod = ReturnType<typeof createSearchMethod>;

/** Creates the method `remit.search`. It calls the API with `call`. */
export const createSearchMethod =
  (call: ApiCall) =>
  /** Returns the records that have a text: an amount, a name, a reference, an ID and so on. */
  (query: SearchParams, options?: RequestOptions): Promise<SearchResults> =>
    call('GET', '/api/search', options, { query });
