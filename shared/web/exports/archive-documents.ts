/** Makes a ZIP archive of the PDFs of documents, with an index. */
import { hash } from 'node:crypto';
import { strToU8, type ZipOptions, zipSync } from 'fflate';
import type { Owner } from '../../base/ids.ts';
import { readDocument } from '../../domain/documents/document-store.ts';
import { readInvoice } from '../../domain/invoices/invoice-store.ts';
import type { ArchiveDocuments } from '../../operations/exports/export-file.ts';
import { documentPdf } from '../documents/document-file.ts';

/** What the row of a document has. */
interface DocumentRow {
  readonly id: string;
  readonly number: string;
  readonly revision: number;
  /** That of its content, from which the PDF is made. */
  readonly sha256: string;
}

/**
 * Makes the archive in memory, so a caller asks for some dozen documents at most. The header of each file says how long it is, because
 * programs that read an archive from its beginning need that of files without compression.
 * @throws Error if the template does not compile
 */
export const archiveDocuments: ArchiveDocuments = async (owner, rows, toIndex) => {
  const files: Record<string, [Uint8Array, ZipOptions]> = {};
  const indexed: object[] = [];
  for (const row of rows as readonly DocumentRow[]) {
    const { sha256: contentSha256, ...summary } = row;
    const pdf = await pdfOf(owner, row.id);
    const file = pdf && fileNameOf(row, files);
    indexed.push({ ...summary, contentSha256, file: file ?? null, sha256: pdf ? hash('sha256', pdf) : null });
    // PDFs are compressed already.
    if (file) files[file] = [pdf, { level: 0 }];
  }
  const index = await toIndex(indexed);
  return zipSync({ ...files, [index.name]: strToU8(index.text) });
};

/** Returns the PDF of a document. Undefined: it does not exist. */
async function pdfOf(owner: Owner, id: string): Promise<Uint8Array | undefined> {
  const document = await readDocument(owner, id);
  if (!document) return undefined;
  const { content } = document;
  const invoice = content.kind === 'invoice' ? await readInvoice(owner, content.invoiceId) : undefined;
  const isCancelled = invoice?.record?.status === 'cancelled';
  const { bytes } = await documentPdf(owner.account, content, { paper: 'a4', locale: 'en', isCancelled });
  return bytes;
}

/** A number has letters, digits and a few other characters. An invoice that is issued again keeps its number. */
function fileNameOf({ id, number, revision }: DocumentRow, names: object): string {
  const plain = `${number.replace(/[^A-Za-z0-9.-]+/g, '-')}${revision > 0 ? `-revision-${revision}` : ''}.pdf`;
  return plain in names ? `${id}.pdf` : plain;
}
