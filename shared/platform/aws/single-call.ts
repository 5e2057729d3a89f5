/**
 * Signs calls to AWS that are never repeated by themselves, and reads what their answers have in common.
 *
 * - Each call has a connection of its own. A connection that was idle can end while a request is written to it, and then nobody knows
 *   whether the request arrived.
 * - A client of the SDK would add 100 to 350 KB to a function for one operation.
 */
import { env } from '../../base/env.ts';
import { addressOf, publicEndpoint } from './endpoint.ts';
import type { AwsRequest, AwsResponse } from './http-client.ts';
import { signatureHeaders } from './signature.ts';

export interface SingleCall {
  /** The name in host names. */
  readonly service: 'email' | 'events' | 'lambda' | 'sqs';
  /** The name in signatures, if it is another: https://docs.aws.amazon.com/general/latest/gr/ses.html */
  readonly signingName?: string;
  readonly region: string;
  readonly contentType: string;
  /** The header `x-amz-target`. */
  readonly operation?: string;
  /** The header `x-amz-invocation-type`. */
  readonly invocationType?: string;
  /** The default is `/`. */
  readonly path?: string;
  readonly body: string;
}

/** Returns the signed request. @throws Error if the environment does not say where it goes, or with which credentials */
export function signSingleCall({
  service,
  signingName = service,
  region,
  operation,
  path = '/',
  ...call
}: SingleCall): AwsRequest {
  const { host, ...address } = addressOf(
    env.awsEndpoint(service) ?? publicEndpoint(service, undefined, region),
  );
  const scope = { region, service: signingName, credentials: env.awsCredentials() };
  const signature = signatureHeaders({ ...call, path, host, target: operation }, scope, Date.now());
  const headers = {
    host,
    'content-type': call.contentType,
    connection: 'close',
    ...(operation !== undefined && { 'x-amz-target': operation }),
    ...signature,
  };
  return { ...address, headers, path, body: call.body };
}

export type AnswerJson = Readonly<Record<string, unknown>>;

/** Returns the JSON object of an answer. It is empty if the body is none. */
export function parseAnswer(body: Buffer): AnswerJson {
  try {
    return Object(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

/**
 * Returns the error code of an answer, or its status if it has none. The code is in a header or in the body. The name of the model can be
 * before it, and a URL behind it: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization
 */
export function awsErrorCodeOf({ statusCode, headers }: AwsResponse, json: AnswerJson): string {
  const named = String(headers['x-amzn-errortype'] ?? json.__type ?? json.code ?? statusCode);
  return named.split(':')[0]?.split('#').at(-1) ?? '';
}
