/** Defines the methods of `remit.documents`. */
import type { ApiCall, RequestOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type { DocumentListParams, DocumentPage, DocumentWithContent, RemitDocument } from './schemas.ts';

export type Documents = ReturnType<typeof createDocumentMethods>;

/** Creates the methods of `remit.documents`. They call the API with `call`. */
export function createDocumentMethods(call: ApiCall) {
  return {
    /** Returns a document with everything that it says. */
    retrieve: (id: string, options?: RequestOptions): Promise<DocumentWithContent> =>
      call('GET', '/api/documents/{id}', options, { id }),

    /** Lists documents, newest first. */
    list: (query: DocumentListParams = {}, options?: RequestOptions): List<RemitDocument, DocumentPage> =>
      new List(call, '/api/documents', options, { query }, readByCursor),
  };
}
