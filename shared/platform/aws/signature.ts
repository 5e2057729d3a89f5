/** Signs requests to AWS with Signature Version 4, with credentials that all requests of a process share. */
import { hash } from 'node:crypto';
import { hmacSha256 } from '../../base/hmac.ts';
import { rememberLastTime } from '../../base/time.ts';

/** The credentials of a role or a user. A role has a session token. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A POST request without a query. Its headers of these names are signed. */
export interface RequestToSign {
  /** The encoded path. The default is `/`. */
  readonly path?: string | undefined;
  readonly host: string;
  readonly contentType: string;
  /** The header `x-amz-target`. Services whose paths name the operation have none. */
  readonly target?: string | undefined;
  /** The header `x-amz-invocation-type` of Lambda. */
  readonly invocationType?: string | undefined;
  readonly body: string;
}

/** What the signature of a request is valid for. */
export interface SignatureScope {
  readonly region: string;
  /** For example `dynamodb`. */
  readonly service: string;
  readonly credentials: Credentials;
}

/**
 * Returns the headers that sign the request: its time, the session token and the signature.
 * The algorithm is at https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 * @param at the time of the request on the clock of AWS, in milliseconds since 1970
 */
export function signatureHeaders(
  { path = '/', host, contentType, target, invocationType, body }: RequestToSign,
  { region, service, credentials }: SignatureScope,
  at: number,
): Record<string, string> {
  const time = basicTime(at);
  const { scope, key } = signingKey(credentials, time.slice(0, 8), region, service);
  const { accessKeyId, sessionToken } = credentials;
  // The names must be in alphabetical order.
  const invocationLine = invocationType === undefined ? '' : `x-amz-invocation-type:${invocationType}\n`;
  const tokenLine = sessionToken ? `x-amz-security-token:${sessionToken}\n` : '';
  const targetLine = target === undefined ? '' : `x-amz-target:${target}\n`;
  const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${invocationLine}${tokenLine}${targetLine}`;
  const names = `content-type;host;x-amz-date${invocationType === undefined ? '' : ';x-amz-invocation-type'}${sessionToken ? ';x-amz-security-token' : ''}${target === undefined ? '' : ';x-amz-target'}`;
  const canonical = `POST\n${canonicalPath(path)}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`;
  const signature = hmacSha256(key, text).toString('hex');
  return {
    'x-amz-date': time,
    ...(invocationType !== undefined && { 'x-amz-invocation-type': invocationType }),
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Services other than S3 encode each part of the encoded path again. */
const canonicalPath = (path: string): string =>
  path === '/' ? path : path.split('/').map(encodeURIComponent).join('/');

const formatSecond = rememberLastTime((second) =>
  new Date(second * 1000).toISOString().replaceAll(/[-:]|\.000/g, ''),
);

/** Formats a time in milliseconds since 1970 as `20261121T094500Z`. */
const basicTime = (at: number): string => formatSecond(Math.floor(at / 1000));

/** The key of signatures, with what they are valid for: a day, a region and a service. */
interface SigningKey {
  /** The secret and the scope that it is made from. */
  readonly name: string;
  readonly scope: string;
  readonly key: Buffer;
}

/** The last signing key of each service. */
const signingKeys = new Map<string, SigningKey>();

function signingKey(
  { secretAccessKey }: Credentials,
  date: string,
  region: string,
  service: string,
): SigningKey {
  const scope = `${date}/${region}/${service}/aws4_request`;
  const name = `${scope} ${secretAccessKey}`;
  const known = signingKeys.get(service);
  if (known?.name === name) return known;
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [date, region, service, 'aws4_request']) key = hmacSha256(key, part);
  const made = { name, scope, key };
  signingKeys.set(service, made);
  return made;
}
