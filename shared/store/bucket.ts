/** Creates the client of the bucket of this instance. `bucketKeys` says where what is stored. */
import { StandardRetryStrategy } from '@smithy/core/retry';
import type { Owner } from '../base/ids.ts';
import { UploadClient } from '../platform/aws/bucket-upload.ts';
import { serviceTimeLimits } from '../platform/aws/direct-service.ts';
import { traceCalls } from './trace-calls.ts';

/** The default of the SDK. */
const maxAttempts = 3;

export const bucket = new UploadClient({
  retryStrategy: new StandardRetryStrategy(maxAttempts),
  requestHandler: serviceTimeLimits,
});
bucket.middlewareStack.add(traceCalls('S3') as never, { step: 'initialize', name: 'traceCalls' });

/** The keys of objects. The prefixes decide who may read an object, and when it expires (`infra/bucket.ts`). */
export const bucketKeys = {
  /** A logo, by the SHA-256 of its bytes. With an empty hash: the prefix of the logos of an account. */
  logo: (account: string, sha256: string): string => `logos/${account}/${sha256}`,
  /** A PDF that is too large for a response, by the SHA-256 of its bytes. */
  pdf: (account: string, sha256: string): string => `pdfs/${account}/${sha256}.pdf`,
  /** A file of an export. @param name not used before, so a repeated step never replaces a file that a record names */
  export: (account: string, id: string, name: string): string => `exports/${account}/${id}/${name}`,
  /** A file of a bank that a client has uploaded. The key says whose it is, so no other account can read it. */
  statementFile: ({ account, mode }: Owner, id: string): string => `statements/${account}/${mode}/${id}`,
} as const;
