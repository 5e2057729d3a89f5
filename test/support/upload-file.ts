/** Uploads files of banks with the links of the API. */
import { statementExamples } from '../../shared/api/openapi/statement-field-texts.ts';
import type { Api } from './api.ts';

/** Uploads a file. Returns its id. */
export async function uploadFile(api: Api, content: string | Uint8Array): Promise<string> {
  const body = new Uint8Array(Buffer.from(content));
  const { status, json, text } = await api.get(`/api/statement-files/link?size=${body.length}`);
  if (status !== 200) throw new Error(text);
  const uploaded = await fetch(json.uploadUrl, { method: 'PUT', body });
  if (!uploaded.ok) throw new Error(`The bucket has refused the file: ${await uploaded.text()}`);
  return json.file;
}

/** Stores the file that the samples of the reference name, for test mode of an account. */
export async function storeExampleFile(account: string): Promise<void> {
  const { bucket, bucketKeys } = await import('../../shared/store/bucket.ts');
  const key = bucketKeys.statementFile({ account, mode: 'test' }, statementExamples.fileLink.file);
  const bytes = Buffer.from('Txn Date,Amount\n2026-03-31,25.00\n');
  await bucket.put(key, { contentType: 'text/csv', bytes });
}
