/** Defines the methods of `remit.exports`. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type { Export, ExportCreateParams, ExportListParams, ExportPage } from './schemas.ts';

export type Exports = ReturnType<typeof createExportMethods>;

/** Creates the methods of `remit.exports`. They call the API with `call`. */
export function createExportMethods(call: ApiCall) {
  return {
    /** Makes files with the rows of one kind, in the background. Retrieve it until it has ended. */
    create: (body: ExportCreateParams, options?: WriteOptions): Promise<Export> =>
      call('POST', '/api/exports', options, { body }),

    /** Returns an export. If it is completed, its files have links for 15 minutes. */
    retrieve: (id: string, options?: RequestOptions): Promise<Export> =>
      call('GET', '/api/exports/{id}', options, { id }),

    /** Lists exports, newest first. */
    list: (query: ExportListParams = {}, options?: RequestOptions): List<Export, ExportPage> =>
      new List(call, '/api/exports', options, { query }, readByOffset),
  };
}
