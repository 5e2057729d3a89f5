/** GET /api/documents/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showDocument } from '../../shared/domain/documents/document.ts';
import { readDocument, requireDocument } from '../../shared/domain/documents/document-store.ts';

export const handler = endpoint(routes.getDocument, {
  load: ({ owner, params }) => readDocument(owner, params.id ?? ''),
  handle: ({ loaded }) => showDocument(requireDocument(loaded)),
});
