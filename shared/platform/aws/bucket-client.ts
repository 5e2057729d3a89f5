/**
 * Calls S3 for the operations on objects that the service needs, and signs links with which others read or store one object.
 *
 * - The client of the SDK for S3 would add some 400 KB to each bundle. The SDK's own parts sign here and decide about retries, and
 *   the connections are those of the short path of `direct-client.ts`.
 * - Region, credentials and endpoint come from the environment only, as Lambda sets it.
 * - Keys contain only letters, digits, `_`, `-`, `.` and `/`, so no part of a URL needs an encoding.
 * - S3 answers in XML: https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html
 */
import { Sha256 } from '@smithy/core/checksum';
import { constructStack, ServiceException } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { env } from '../../base/env.ts';
import type { DirectOptions } from './direct-service.ts';
import { addressOf } from './endpoint.ts';
import { type AwsResponse, HttpClient } from './http-client.ts';
import { withRetries } from './retries.ts';

/** The input of a call. The steps of `middlewareStack` see it, with the names of the SDK. */
export interface BucketInput {
  readonly Bucket: string;
  readonly Key?: string;
  readonly Prefix?: string;
}

export interface BucketCall extends BucketInput {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Result {
  readonly response: AwsResponse;
  readonly output: { readonly $metadata: { readonly attempts?: number; readonly httpStatusCode: number } };
}

// biome-ignore lint/suspicious/noExplicitAny: each step of the SDK's stack has its own types
type Call = (args: any) => Promise<any>;

/** How a signed link shows its object. */
export interface LinkOptions {
  /** How long the link works, in seconds: at most 7 days, and no longer than the credentials of the role. */
  readonly seconds: number;
  /** The value of the header `Content-Disposition`. */
  readonly disposition: string;
}

/** What S3 stores and answers of an object. */
export interface BucketObject {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const keyPattern = /^(?!.*\.\.)[\w.-]+(\/[\w.-]+)*\/?$/;
/** What S3 wants to be signed for the body of a link: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
const unsignedBody = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };

/** A client of one bucket. */
export class BucketClient {
  readonly middlewareStack = constructStack<object, object>();
  readonly #http: HttpClient;
  readonly #retryStrategy: DirectOptions['retryStrategy'];
  #signer: SignatureV4 | undefined;

  constructor({ retryStrategy, requestHandler }: DirectOptions) {
    this.#http = new HttpClient(requestHandler);
    this.#retryStrategy = retryStrategy;
  }

  /** Stores an object, and replaces one with this key. */
  async put(key: string, { contentType, bytes }: BucketObject): Promise<void> {
    const headers = { 'content-type': contentType };
    await this.call('PutObject', { ...inBucket(), Key: key, method: 'PUT', headers, body: bytes });
  }

  /** Reads an object. Undefined: it does not exist, or the role may not read it, which S3 does not tell apart. */
  async get(key: string): Promise<BucketObject | undefined> {
    try {
      const { headers, body } = await this.call('GetObject', { ...inBucket(), Key: key, method: 'GET' });
      return { contentType: headers['content-type'] ?? '', bytes: body };
    } catch (error) {
      if (error instanceof ServiceException && ['NoSuchKey', 'AccessDenied'].includes(error.name))
        return undefined;
      throw error;
    }
  }

  /** Deletes an object, if it exists. */
  async delete(key: string): Promise<void> {
    await this.call('DeleteObject', { ...inBucket(), Key: key, method: 'DELETE' });
  }

  /** Returns up to 1,000 keys that begin with a prefix. */
  async list(prefix: string): Promise<string[]> {
    const query = { 'list-type': '2', prefix };
    const { body } = await this.call('ListObjectsV2', {
      ...inBucket(),
      Prefix: prefix,
      method: 'GET',
      query,
    });
    return Array.from(body.toString('utf8').matchAll(/<Key>([^<]+)<\/Key>/g), ([, key = '']) => key);
  }

  /** Returns a URL with which everyone can read an object until it expires. */
  async linkTo(key: string, { seconds, disposition }: LinkOptions): Promise<string> {
    const call: BucketCall = {
      ...inBucket(),
      Key: key,
      method: 'GET',
      query: { 'response-content-disposition': disposition },
      headers: unsignedBody,
    };
    return this.#presign('PresignGetObject', call, seconds);
  }

  /**
   * Returns a URL with which everyone can store an object with PUT until it expires.
   *
   * - The length is signed. So S3 refuses a body of another length: the signature covers the headers that `X-Amz-SignedHeaders` names
   *   (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
   * @param bytes how long the body must be
   */
  async uploadLinkTo(key: string, { seconds, bytes }: { seconds: number; bytes: number }): Promise<string> {
    const headers = { ...unsignedBody, 'content-length': String(bytes) };
    return this.#presign('PresignPutObject', { ...inBucket(), Key: key, method: 'PUT', headers }, seconds);
  }

  async #presign(operation: string, call: BucketCall, seconds: number): Promise<string> {
    const sign = async () => {
      const signed = await this.#sign((signer) =>
        signer.presign(requestOf(call), { expiresIn: seconds, signingDate: new Date() }),
      );
      return { output: { $metadata: { httpStatusCode: 200 } }, url: urlOf(signed) };
    };
    return (await this.#resolve(operation, sign)({ input: call })).url;
  }

  /** Sends a call. @throws ServiceException with the code of S3 as its name */
  protected async call(operation: string, call: BucketCall): Promise<AwsResponse> {
    const attempt = async (): Promise<Result> => {
      const signed = await this.#sign((signer) => signer.sign(requestOf(call)));
      const { protocol, hostname, port = 443, method, headers, path } = signed;
      const { response } = await this.#http.handle({
        protocol,
        hostname,
        port,
        method,
        headers,
        path: path + queryOf(signed),
        body: call.body ?? '',
      });
      return resultOf(response);
    };
    const send = () => withRetries(this.#retryStrategy, undefined, attempt);
    return (await this.#resolve(operation, send)({ input: call })).response;
  }

  #resolve(operation: string, last: Call): Call {
    return this.middlewareStack.resolve(last as never, { commandName: `${operation}Command` } as never);
  }

  /** The credentials do not change while the process runs. */
  async #sign(sign: (signer: SignatureV4) => Promise<unknown>): Promise<HttpRequest> {
    const { sessionToken, ...credentials } = env.awsCredentials();
    this.#signer ??= new SignatureV4({
      credentials: { ...credentials, ...(sessionToken && { sessionToken }) },
      region: env.awsRegion(),
      service: 's3',
      sha256: Sha256,
      uriEscapePath: false,
      applyChecksum: true,
    });
    return (await sign(this.#signer)) as HttpRequest;
  }
}

const inBucket = () => ({ Bucket: env.bucketName() });

function requestOf({ Bucket, Key = '', method, query = {}, headers = {}, body }: BucketCall): HttpRequest {
  if (Key !== '' && !keyPattern.test(Key)) throw new Error(`The key ${Key} of an object is not plain.`);
  const endpoint = env.awsEndpoint('s3');
  const { protocol, hostname, port, host } = addressOf(endpoint ?? publicEndpointOf(Bucket));
  return new HttpRequest({
    method,
    protocol,
    hostname,
    port,
    // Another endpoint knows the bucket by the path, because names below it may not resolve.
    path: endpoint === undefined ? `/${Key}` : `/${Bucket}/${Key}`.replace(/\/$/, ''),
    query: { ...query },
    headers: { host, ...headers },
    body,
  });
}

/** The endpoints are at https://docs.aws.amazon.com/general/latest/gr/s3.html. */
function publicEndpointOf(bucket: string): string {
  const region = env.awsRegion();
  if (!/^[a-z]{2}(-gov)?-[a-z]+-\d$/.test(region))
    throw new Error(`The endpoint of S3 in ${region} is not known. Set AWS_ENDPOINT_URL_S3.`);
  return `https://${bucket}.s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** @throws ServiceException with the code of S3 as its name */
function resultOf(response: AwsResponse): Result {
  const { statusCode, headers, body } = response;
  const requestId = headers['x-amz-request-id'];
  const $metadata = { httpStatusCode: statusCode, ...(requestId !== undefined && { requestId }) };
  if (statusCode < 300) return { response, output: { $metadata } };
  const text = body.toString('utf8');
  const [, name = 'Unknown'] = /<Code>([^<]*)<\/Code>/.exec(text) ?? [];
  const [, message = 'UnknownError'] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
  const $fault = statusCode < 500 ? 'client' : 'server';
  const error = new ServiceException({ name, message, $fault, $metadata });
  throw Object.defineProperty(error, '$response', { value: response });
}

/** Returns the query of a signed request, with its question mark. The signature encodes the values in the same way. */
function queryOf({ query = {} }: HttpRequest): string {
  const parts = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const urlOf = (request: HttpRequest): string => {
  const { protocol, hostname, port, path } = request;
  const isDefault = port === (protocol === 'https:' ? 443 : 80);
  return `${protocol}//${hostname}${isDefault ? '' : `:${port}`}${path}${queryOf(request)}`;
};
