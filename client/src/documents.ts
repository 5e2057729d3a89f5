/** Defines the methods of `remit.documents`. */
import type { ApiCall, RequestOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type {
  DocumentListParams,
  DocumentPage,
  DocumentPdfParams,
  DocumentWithContent,
  RemitDocument,
} from './schemas.ts';

export type Documents = ReturnType<typeof createDocumentMethods>;

/** Creates the methods of `remit.documents`. They call the API with `call`. */
export function createDocumentMethods(call: ApiCall) {
  return {
    /** Returns a document with everything that it says. */
    retrieve: (id: string, options?: RequestOptions): Promise<DocumentWithContent> =>
      call('GET', '/api/documents/{id}', options, { id }),

    /** Returns a document as PDF, by default in English on A4. */
    pdf: (id: string, query: DocumentPdfParams = {}, options?: RequestOptions): Promise<Uint8Array> =>
      call('GET', '/api/documents/{id}/pdf', options, { id, query }),

    /** Lists documents, newest first. */
    list: (query: DocumentListParams = {}, options?: RequestOptions): List<RemitDocument, DocumentPage> =>
      new List(call, '/api/documents', options, { query }, readByCursor),
  };
}
