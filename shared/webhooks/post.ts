/**
 * One HTTP POST within bounds, and only to where it may go: a total time, little of the answer, no redirects, no
 * decompression. What the answer means for a delivery is not decided here.
 */
import { agentFor } from './connections.ts';
import { type Call, exchange, failed } from './exchange.ts';
import type { PostError } from './post-fault.ts';
import { type TargetPolicy, targetFault } from './target.ts';

export interface PostLimits {
  /** From the call to the answer's head, resolving the name and connecting included. */
  readonly totalMs: number;
  /** For the answer's body, within what is left of the total. */
  readonly bodyMs: number;
  readonly bodyBytes: number;
}

export const postLimits: PostLimits = { totalMs: 15_000, bodyMs: 2_000, bodyBytes: 16_384 };
let presentLimits = postLimits;

/** Replaces the limits of all posts that begin from now on (for tests); without an argument they are back. */
export function setPostLimits(limits: PostLimits = postLimits): void {
  presentLimits = limits;
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Either `status`, once the answer's head has come, or `error`. */
export interface PostAnswer {
  /** From the call to the answer's head or the failure. */
  readonly durationMs: number;
  readonly status?: number;
  readonly error?: PostError;
  /** The header as sent. */
  readonly retryAfter?: string | undefined;
  /** The beginning of the answer's body as text, at most 1 KiB in UTF-8. */
  readonly body: string;
}

/**
 * Posts `request` to `url` and tells what came of it; whatever the receiver or the network does, it resolves. The
 * status stands once the head is there: a body that does not end, comes slowly or breaks off takes nothing from it.
 */
export async function postTo(
  url: string,
  request: PostRequest,
  policy: TargetPolicy,
  limits: PostLimits = presentLimits,
): Promise<PostAnswer> {
  const startedAt = performance.now();
  if (targetFault(url, policy) !== undefined) return failed('address_not_allowed', startedAt);
  const call: Call = { url: new URL(url), request, policy, limits, startedAt };
  const answer = await exchange(call, agentFor(call.url, policy));
  if (answer !== 'closed before') return answer;
  // Once, and on a connection of its own: the pool may hold more that were closed meanwhile.
  const second = await exchange(call, false);
  return second === 'closed before' ? failed('connection_reset', startedAt) : second;
}
