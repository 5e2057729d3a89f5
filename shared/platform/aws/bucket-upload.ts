/**
 * Stores objects that are too large for the memory, in pieces.
 *
 * - The object appears when all of its pieces are stored, and not before. The bucket deletes the pieces of an upload that never ends
 *   (`infra/bucket.ts`).
 * - Limits of S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
import { ServiceException } from '@smithy/core/client';
import { env } from '../../base/env.ts';
import { BucketClient } from './bucket-client.ts';

/** S3 takes pieces of at least 5 MiB, but for the last one. */
const pieceBytes = 8 * 1024 * 1024;

/** A client of one bucket that also stores large objects. */
export class UploadClient extends BucketClient {
  /**
   * Stores an object, and replaces one with this key. Keeps at most one piece and one chunk in memory.
   * @param chunks the bytes of the object in their order, at least one byte
   * @returns how long the object is, in bytes
   * @throws ServiceException with the code of S3 as its name, and what `chunks` throws
   */
  async upload(key: string, contentType: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const uploadId = await this.#begin(key, contentType);
    const tags: string[] = [];
    let length = 0;
    for await (const piece of piecesOf(chunks)) {
      tags.push(await this.#putPiece(key, uploadId, tags.length + 1, piece));
      length += piece.length;
    }
    await this.#complete(key, uploadId, tags);
    return length;
  }

  async #begin(key: string, contentType: string): Promise<string> {
    const headers = { 'content-type': contentType };
    const { body } = await this.call('CreateMultipartUpload', {
      ...objectOf(key),
      method: 'POST',
      query: { uploads: '' },
      headers,
    });
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString('utf8')) ?? [];
    if (uploadId === undefined) throw new Error('S3 has begun an upload without an ID.');
    return uploadId;
  }

  async #putPiece(key: string, uploadId: string, number: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.call('UploadPart', { ...objectOf(key), method: 'PUT', query, body });
    return headers.etag ?? '';
  }

  /** S3 can answer with the status 200 and an error: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
  async #complete(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const call = { ...objectOf(key), method: 'POST', query: { uploadId }, body } as const;
    const response = await this.call('CompleteMultipartUpload', call);
    const [, name] = /<Error>.*<Code>([^<]*)<\/Code>/s.exec(response.body.toString('utf8')) ?? [];
    if (name === undefined) return;
    const $metadata = { httpStatusCode: response.statusCode };
    throw new ServiceException({
      name,
      message: 'The upload was not completed.',
      $fault: 'server',
      $metadata,
    });
  }
}

const objectOf = (Key: string) => ({ Bucket: env.bucketName(), Key });

/** Yields the same bytes in pieces of one size. The last one can be shorter. */
async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(pieceBytes);
  let filled = 0;
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; ) {
      const taken = chunk.subarray(start, start + pieceBytes - filled);
      piece.set(taken, filled);
      filled += taken.length;
      start += taken.length;
      if (filled < pieceBytes) continue;
      yield piece;
      filled = 0;
    }
  if (filled > 0) yield piece.subarray(0, filled);
}
