/** GET /api/documents/:id/pdf */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { fileResponse } from '../../shared/api/http/file-response.ts';
import * as routes from '../../shared/api/routes.ts';
import { readDocument, requireDocument } from '../../shared/domain/documents/document-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { renderDocument } from '../../shared/web/documents/render-document.ts';

export const handler = endpoint(routes.getDocumentPdf, {
  load: ({ owner, params }) => readDocument(owner, params.id ?? ''),
  handle: async ({ loaded, query, principal }) => {
    const { content } = requireDocument(loaded);
    const invoice =
      content.kind === 'invoice' ? await readInvoice(principal.owner, content.invoiceId) : undefined;
    const isCancelled = invoice?.record?.status === 'cancelled';
    const { pdf, missing } = await renderDocument(content, {
      ...query,
      watermark: isCancelled ? 'cancelled' : content.mode === 'test' ? 'test' : undefined,
      qr: content.paymentUrl ?? undefined,
    });
    return { name: `${content.number}.pdf`, bytes: pdf, warning: missingCharacters(missing) };
  },
  respond: fileResponse,
});

/** More code points do not help the reader of a header. */
const maxNamed = 20;

function missingCharacters(missing: readonly string[]): string | undefined {
  return missing.length === 0 ? undefined : `missing_characters ${missing.slice(0, maxNamed).join(', ')}`;
}
