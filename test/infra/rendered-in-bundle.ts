/** Renders a document in a bundle, and prints its SHA-256. A test bundles this file as a function. */
import { createHash } from 'node:crypto';
import { renderDocument } from '../../shared/web/documents/render-document.ts';
import { bhutan } from '../unit/documents/sample-documents.ts';

const options = { paper: 'a4', locale: 'dz', watermark: 'test', qr: 'upi://pay' } as const;

/** Returns the SHA-256 of the sample of Bhutan as PDF, in hexadecimal digits. */
export async function hashOfPdf(): Promise<string> {
  const { pdf } = await renderDocument(bhutan, options);
  return createHash('sha256').update(pdf).digest('hex');
}

if (process.env.LAMBDA_TASK_ROOT) hashOfPdf().then((hash) => process.stdout.write(hash));
