/**
 * One request and all that the pipeline finds out about it on its way, from the gateway's event to the answer.
 * It is the event of the middy chain.
 */

import type { Window } from '../admission/admit.ts';
import type { KeyClaim } from '../admission/api-key.ts';
import type { ApiError } from '../errors.ts';
import type { CallCount } from '../store/client.ts';
import type { RequestKey } from '../store/commit.ts';
import type { Admission } from '../store/heads.ts';
import type { IdempotencyRecord } from '../store/idempotency-records.ts';
import type { Instant } from '../time.ts';

export interface Exchange {
  readonly requestId: string;
  /** `GET` also for HEAD, whose body the gateway leaves out. */
  readonly method: string;
  /** As the client sent it, without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** A repeated parameter is an array. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Lower-case names; a repeated header has its last value here. */
  readonly headers: Record<string, string>;
  /** All values of each header. */
  readonly allHeaders: Readonly<Record<string, readonly string[]>>;
  readonly bytes: Uint8Array;
  /** The address that the gateway saw. */
  readonly sourceIp: string;
  readonly now: Instant;
  /** The DynamoDB calls made for it so far. */
  readonly count: CallCount;

  /** The body's text, then what it holds: the place where `@middy/http-json-body-parser` works. */
  body: unknown;
  isBase64Encoded: false;
  /** The first fault found in the request itself; reported only once the request is admitted. */
  held: ApiError | undefined;
  /** Query and body after validation. */
  input: { query: unknown; body: unknown };
  claim: KeyClaim | undefined;
  admission: Admission | undefined;
  window: Window | undefined;
  idempotencyKey: string | undefined;
  requestKey: RequestKey | undefined;
  /** Reads begun beside admission. */
  ahead: Promise<unknown> | undefined;
  idempotencyAhead: Promise<IdempotencyRecord | undefined> | undefined;
  /** The kept answer of the request that this one repeats. */
  repeated: IdempotencyRecord | undefined;
}

export interface ApiResponse {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** Keeps the first fault; later ones are not reported. */
export function hold(exchange: Exchange, fault: ApiError): void {
  exchange.held ??= fault;
}
