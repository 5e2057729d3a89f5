/** GET /api/documents/:id/pdf */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { fileResponse } from '../../shared/api/http/file-response.ts';
import * as routes from '../../shared/api/routes.ts';
import { readDocument, requireDocument } from '../../shared/domain/documents/document-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { documentFile } from '../../shared/web/documents/document-file.ts';

export const handler = endpoint(routes.getDocumentPdf, {
  load: ({ owner, params }) => readDocument(owner, params.id ?? ''),
  handle: async ({ loaded, query, principal }) => {
    const { content } = requireDocument(loaded);
    const invoice =
      content.kind === 'invoice' ? await readInvoice(principal.owner, content.invoiceId) : undefined;
    const isCancelled = invoice?.record?.status === 'cancelled';
    return documentFile(principal.owner.account, content, { ...query, isCancelled });
  },
  respond: fileResponse,
});
