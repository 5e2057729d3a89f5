/** Signs requests to AWS with Signature Version 4, with credentials that all requests of a process share. */
import { hash } from 'node:crypto';
import { hmacSha256 } from '../hmac.ts';

/** The credentials of a role or a user. A role has a session token. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A POST request to the path `/`, without a query. */
export interface RequestToSign {
  /** The headers that are signed, with names in lower case. `host` is one of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the signature of a request is valid for. */
export interface SignatureScope {
  readonly region: string;
  /** For example `dynamodb`. */
  readonly service: string;
  readonly credentials: Credentials;
  /** The time of the request on the clock of AWS, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Returns the headers that sign the request: its time, the session token and the signature.
 * The algorithm is at https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function signatureHeaders(
  { headers, body }: RequestToSign,
  { region, service, credentials, at }: SignatureScope,
): Record<string, string> {
  const { accessKeyId, sessionToken } = credentials;
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const date = time.slice(0, 8);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const added = { 'x-amz-date': time, ...(sessionToken && { 'x-amz-security-token': sessionToken }) };
  const signed = Object.entries({ ...headers, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = `POST\n/\n\n${lines}\n${names}\n${hash('sha256', body)}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`;
  const signature = hmacSha256(signingKey(credentials, date, region, service), text).toString('hex');
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The last signing key of each service. It is valid for a day, one region and one secret. */
const signingKeys = new Map<string, { readonly name: string; readonly key: Buffer }>();

function signingKey({ secretAccessKey }: Credentials, date: string, region: string, service: string): Buffer {
  const name = `${date}/${region}/${secretAccessKey}`;
  const known = signingKeys.get(service);
  if (known?.name === name) return known.key;
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [date, region, service, 'aws4_request']) key = hmacSha256(key, part);
  signingKeys.set(service, { name, key });
  return key;
}
