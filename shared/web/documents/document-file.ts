/** Makes the PDF of a document as a file to download: for clients of the API, and for payers. */
import { createHash } from 'node:crypto';
import { type FileAnswer, savedAs } from '../../api/http/file-response.ts';
import type { Locale } from '../../base/locales.ts';
import { logger } from '../../base/log.ts';
import { readLogo } from '../../domain/accounts/logo-store.ts';
import type { DocumentContent } from '../../domain/documents/document.ts';
import type { DocumentPaper } from '../../domain/documents/document-pdf.ts';
import { bucket, bucketKeys } from '../../store/bucket.ts';
import { fontCoverage } from './document-compiler.ts';
import { type RenderedDocument, renderDocument } from './render-document.ts';

interface FileOptions {
  readonly paper: DocumentPaper;
  readonly locale: Locale;
  /** Whether the invoice is cancelled. Its credit notes are not. */
  readonly isCancelled: boolean;
}

/** More code points do not help the reader of a header. */
const maxNamed = 20;

/** A response of Lambda has at most 6 MB, and the base64 of 4 MB needs 5.6 MB of it. */
const maxResponseBytes = 4 * 1024 * 1024;

/** How long the link to a larger PDF works. A client follows it at once. */
const linkSeconds = 300;

/** A PDF, with the characters that no font has and a lost logo as its warning. */
interface DocumentPdf {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly warning: string | undefined;
}

/**
 * Returns a document as a file, or as a link to the file if it is too large for a response. Its warning names the characters that no
 * font has, and a logo that is lost.
 * @param account the account of the seller
 * @throws Error if the template does not compile
 */
export async function documentFile(
  account: string,
  content: DocumentContent,
  options: FileOptions,
): Promise<FileAnswer> {
  const { name, bytes, warning } = await documentPdf(account, content, options);
  if (bytes.length <= maxResponseBytes) return { name, bytes, warning };
  const key = bucketKeys.pdf(account, createHash('sha256').update(bytes).digest('hex'));
  await bucket.put(key, { contentType: 'application/pdf', bytes });
  const link = await bucket.linkTo(key, { seconds: linkSeconds, disposition: savedAs(name) });
  return { link, warning };
}

/**
 * Returns a document as PDF, however large it is.
 * @param account the account of the seller
 * @throws Error if the template does not compile
 */
export async function documentPdf(
  account: string,
  content: DocumentContent,
  { paper, locale, isCancelled }: FileOptions,
): Promise<DocumentPdf> {
  const { kind, mode, number, paymentUrl, seller } = content;
  // The compiler starts meanwhile.
  const [logo] = await Promise.all([
    seller.logo ? readLogo(account, seller.logo) : undefined,
    fontCoverage(),
  ]);
  const rendered = await renderDocument(content, {
    paper,
    locale,
    watermark: isCancelled && kind === 'invoice' ? 'cancelled' : mode === 'test' ? 'test' : undefined,
    qr: paymentUrl ?? undefined,
    logo,
  });
  if (rendered.lacksLogo) logger.error('logo missing', { account, logo: seller.logo?.sha256 });
  return { name: `${number}.pdf`, bytes: rendered.pdf, warning: warningOf(rendered) };
}

function warningOf({ missing, lacksLogo }: RenderedDocument): string | undefined {
  const warnings = [
    ...(missing.length === 0 ? [] : [`missing_characters ${missing.slice(0, maxNamed).join(', ')}`]),
    ...(lacksLogo ? ['missing_logo'] : []),
  ];
  return warnings.length === 0 ? undefined : warnings.join('; ');
}
