/** Describes a service for the short path of `direct-client.ts`. */
import type { ServiceException } from '@smithy/core/client';
import type { NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import type { HttpOptions } from './http-client.ts';
import type { RetryStrategy } from './retries.ts';

type Json = Record<string, unknown>;
/** A class of errors of the SDK. */
export type ErrorClass = new (options: never) => ServiceException;

/** A service, and the commands that this path knows. */
export interface DirectService {
  /** The name in host names and signatures. */
  readonly name: 'dynamodb' | 'sqs' | 'secretsmanager';
  /** The service and its version in the header that names the operation, for example `DynamoDB_20120810`. */
  readonly target: string;
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  /** The operation of each class of commands. */
  readonly operations: ReadonlyMap<unknown, string>;
  /** The classes of errors with this name. All others are of the class `BaseError`. */
  readonly errors?: Readonly<Record<string, ErrorClass>>;
  readonly BaseError?: typeof ServiceException;
  /** Returns the JSON of an input. Without it, the input is the JSON. */
  readonly toJson?: (input: Json, operation: string) => string;
  /** Converts the JSON of an answer or of an error. Without it, the JSON is the output. */
  readonly fromJson?: (json: Json, isError: boolean) => Json;
  /** Returns the URL of the service, unless the environment sets one. Without it, the URL follows from the region. */
  readonly endpointOf?: (input: Json) => string;
}

/**
 * The time limits of calls to services that answer within a second: the time to connect, and the time without a byte of the
 * answer, in milliseconds. A call that hangs is then tried again while its function still has time.
 */
export const serviceTimeLimits = { connectionTimeout: 2_000, socketTimeout: 5_000 } as const;

/** The retries, the timeouts and the connections of a client. */
export interface DirectOptions {
  readonly retryStrategy: RetryStrategy;
  readonly requestHandler: HttpOptions & Pick<NodeHttpHandlerOptions, 'socketAcquisitionWarningTimeout'>;
}
