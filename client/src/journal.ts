/** Defines the methods of `remit.journal`. */
import type { ApiCall, RequestOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type { JournalEntry, JournalListParams, JournalPage } from './schemas.ts';

export type Journal = ReturnType<typeof createJournalMethods>;

/** Creates the methods of `remit.journal`. They call the API with `call`. */
export function createJournalMethods(call: ApiCall) {
  return {
    /** Lists the entries of the journal, oldest first. */
    list: (query: JournalListParams = {}, options?: RequestOptions): List<JournalEntry, JournalPage> =>
      new List(call, '/api/journal', options, { query: { after: '0', ...query } }, readByCursor),
  };
}
