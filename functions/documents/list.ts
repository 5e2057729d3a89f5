/** GET /api/documents */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listDocumentPage } from '../../shared/domain/documents/document-store.ts';

export const handler = endpoint(routes.listDocuments, {
  load: ({ owner, query }) => listDocumentPage(owner, query),
  handle: ({ loaded }) => loaded,
});
