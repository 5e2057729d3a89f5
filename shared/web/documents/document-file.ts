/** Makes the PDF of a document as a file to download: for clients of the API, and for payers. */
import type { FileAnswer } from '../../api/http/file-response.ts';
import type { Locale } from '../../base/locales.ts';
import type { DocumentContent } from '../../domain/documents/document.ts';
import type { DocumentPaper } from '../../domain/documents/document-pdf.ts';
import { renderDocument } from './render-document.ts';

interface FileOptions {
  readonly paper: DocumentPaper;
  readonly locale: Locale;
  /** Whether the invoice is cancelled. Its credit notes are not. */
  readonly isCancelled: boolean;
}

/** More code points do not help the reader of a header. */
const maxNamed = 20;

/** Returns a document as a file, with a warning about characters that no font has. @throws Error if the template does not compile */
export async function documentFile(
  content: DocumentContent,
  { paper, locale, isCancelled }: FileOptions,
): Promise<FileAnswer> {
  const { kind, mode, number, paymentUrl } = content;
  const { pdf, missing } = await renderDocument(content, {
    paper,
    locale,
    watermark: isCancelled && kind === 'invoice' ? 'cancelled' : mode === 'test' ? 'test' : undefined,
    qr: paymentUrl ?? undefined,
  });
  const warning =
    missing.length === 0 ? undefined : `missing_characters ${missing.slice(0, maxNamed).join(', ')}`;
  return { name: `${number}.pdf`, bytes: pdf, warning };
}
