/** Defines the methods of `remit.drafts`. */
import type { ApiCall, RequestOptions, WaitOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type {
  Draft,
  DraftCreateParams,
  DraftDeletion,
  DraftListParams,
  DraftPage,
  DraftUpdateParams,
  Invoice,
} from './schemas.ts';

export type Drafts = ReturnType<typeof createDraftMethods>;

/** Creates the methods of `remit.drafts`. They call the API with `call`. */
export function createDraftMethods(call: ApiCall) {
  return {
    /** Creates a draft of an invoice. Any field can lack. */
    create: (body: DraftCreateParams, options?: WriteOptions): Promise<Draft> =>
      call('POST', '/api/drafts', options, { body }),

    /** Returns a draft. */
    retrieve: (id: string, options?: RequestOptions): Promise<Draft> =>
      call('GET', '/api/drafts/{id}', options, { id }),

    /** Lists open drafts, newest first. */
    list: (query: DraftListParams = {}, options?: RequestOptions): List<Draft, DraftPage> =>
      new List(call, '/api/drafts', options, { query }, readByOffset),

    /** Updates a draft. Null removes a field. */
    update: (id: string, body: DraftUpdateParams, options?: WriteOptions): Promise<Draft> =>
      call('PATCH', '/api/drafts/{id}', options, { id, body }),

    /** Deletes an open draft. */
    delete: (id: string, options?: WriteOptions): Promise<DraftDeletion> =>
      call('DELETE', '/api/drafts/{id}', options, { id }),

    /** Creates the invoice of a draft, once. */
    finalize: (id: string, options?: WaitOptions): Promise<Invoice> =>
      call('POST', '/api/drafts/{id}/finalize', options, { id }),
  };
}
