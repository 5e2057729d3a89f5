/** Makes a ZIP archive of the PDFs of documents, with an index. */
import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate';
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
}

/**
 * Makes the archive. Each document is added before the next one is made, and the archive stays in memory, so a caller asks for some
 * hundred documents at most.
 * @throws Error if the template does not compile
 */
export const archiveDocuments: ArchiveDocuments = async (owner, rows, toIndex) => {
  const chunks: Uint8Array[] = [];
  const { promise: isEnded, resolve, reject } = Promise.withResolvers<void>();
  const archive = new Zip((error, chunk, isLast) => {
    if (error) reject(error);
    chunks.push(chunk);
    if (isLast) resolve();
  });
  const indexed: object[] = [];
  const names = new Set<string>();
  for (const row of rows as readonly DocumentRow[]) {
    const pdf = await pdfOf(owner, row.id);
    const file = pdf && fileNameOf(row, names);
    indexed.push({ ...row, file: file ?? null });
    if (!file) continue;
    names.add(file);
    // PDFs are compressed already.
    const entry = new ZipPassThrough(file);
    archive.add(entry);
    entry.push(pdf, true);
  }
  const index = await toIndex(indexed);
  const entry = new ZipDeflate(index.name);
  archive.add(entry);
  entry.push(strToU8(index.text), true);
  archive.end();
  await isEnded;
  return Buffer.concat(chunks);
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
function fileNameOf({ id, number, revision }: DocumentRow, names: ReadonlySet<string>): string {
  const plain = `${number.replace(/[^A-Za-z0-9.-]+/g, '-')}${revision > 0 ? `-revision-${revision}` : ''}.pdf`;
  return names.has(plain) ? `${id}.pdf` : plain;
}
