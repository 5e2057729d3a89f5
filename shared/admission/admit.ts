/**
 * Who may have a request served: key, rate limit and permission, in that order. Only refusals are remembered, for
 * five seconds at most; that somebody was admitted is asked anew with every request, so revocation and expiry
 * work from the very next one.
 */
import { ApiError, type ErrorCode } from '../errors.ts';
import type { Resource } from '../ids.ts';
import { isPermitted, type Permission } from '../permissions.ts';
import {
  type Admission,
  type HeadKey,
  headAttributes,
  hourEndSeconds,
  hourOf,
  IdKeys,
} from '../store/heads.ts';
import type { Item } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import type { KeyClaim } from './api-key.ts';
import { RefusalMemory } from './refusal-memory.ts';
import { networkOf } from './source-address.ts';
import { countRequest, countSource, readKeyFault, sourceLimit } from './store.ts';

/** A rate-limit window as the response headers show it. */
export interface Window {
  readonly limit: number;
  readonly remaining: number;
  /** When it ends, in seconds since 1970. */
  readonly resetSeconds: number;
}

/** Either an admission or a refusal, and in any case the window that the request counted in. */
export interface Verdict {
  readonly window: Window;
  readonly admission?: Admission;
  readonly refusal?: ApiError;
}

interface Wanted {
  readonly permission: Permission | undefined;
  /** The resource whose next number the request needs, if any. */
  readonly draws: Resource | undefined;
}

const rememberedKeys = new RefusalMemory<
  { code: 'revoked_api_key' } | { code: 'rate_limit_exceeded'; limit: number }
>();
const rememberedSources = new RefusalMemory<true>();

/** The refusal that this instance remembers for a key, if it does. */
export async function recallRefusal(
  { keyHash }: KeyClaim,
  sourceIp: string,
  now: Instant,
): Promise<Verdict | undefined> {
  const remembered = rememberedKeys.recall(keyHash, now);
  if (remembered?.code === 'rate_limit_exceeded') return overLimit(remembered.limit, now);
  return remembered && refuse(remembered.code, sourceIp, now);
}

/** Judges a request that presents a key made by this deployment. */
export async function admit(
  claim: KeyClaim,
  { permission, draws }: Wanted,
  sourceIp: string,
  now: Instant,
): Promise<Verdict> {
  const { admitted, head } = await countRequest(claim, draws, now);
  if (!admitted || !head) return judgeRefusal(claim, head, sourceIp, now);
  const limit = head[headAttributes.limit] as number;
  const used = head[headAttributes.hour(hourOf(now))] as number;
  const window = windowOf(limit, used, now);
  if (permission && !isPermitted(keyIn(head, claim)?.p, permission)) {
    const message = `The API key lacks the permission ${permission}.`;
    return { window, refusal: new ApiError('insufficient_permissions', { message }) };
  }
  const seq = draws ? (head[headAttributes.seq[draws]] as number) : 0;
  return { window, admission: { owner: claim.owner, idKeys: new IdKeys(head), seq } };
}

/** Refuses a request without a usable key: it counts against its source address, and beyond that limit gets 429. */
export async function refuse(code: ErrorCode, sourceIp: string, now: Instant): Promise<Verdict> {
  const { window, refusal } = await admitSource(sourceIp, now);
  return { window, refusal: refusal ?? new ApiError(code) };
}

/** Counts a request that needs no key against its source address. */
export async function admitSource(sourceIp: string, now: Instant): Promise<Verdict> {
  const network = networkOf(sourceIp);
  const known = rememberedSources.recall(network, now);
  const count = known ? sourceLimit + 1 : await countSource(network, now);
  if (count <= sourceLimit) return { window: windowOf(sourceLimit, count, now) };
  rememberedSources.remember(network, true, now);
  return overLimit(sourceLimit, now);
}

/** The window of a request that could not be counted, because admission itself failed. */
export function uncountedWindow(now: Instant): Window {
  return windowOf(sourceLimit, 0, now);
}

async function judgeRefusal(
  { keyHash, owner }: KeyClaim,
  head: Item | undefined,
  sourceIp: string,
  now: Instant,
): Promise<Verdict> {
  const key = head && keyIn(head, { keyHash, owner });
  if (head && key && (key.e === undefined || key.e > toSeconds(now))) {
    const limit = head[headAttributes.limit] as number;
    rememberedKeys.remember(keyHash, { code: 'rate_limit_exceeded', limit }, now);
    return overLimit(limit, now);
  }
  const [{ window, refusal }, code] = await Promise.all([
    admitSource(sourceIp, now),
    key ? ('expired_api_key' as const) : readKeyFault(keyHash, now),
  ]);
  if (code === 'revoked_api_key') rememberedKeys.remember(keyHash, { code }, now);
  return { window, refusal: refusal ?? new ApiError(code) };
}

function overLimit(limit: number, now: Instant): Verdict {
  return { window: windowOf(limit, limit, now), refusal: new ApiError('rate_limit_exceeded') };
}

function windowOf(limit: number, used: number, now: Instant): Window {
  return { limit, remaining: Math.max(0, limit - used), resetSeconds: hourEndSeconds(hourOf(now)) };
}

function keyIn(head: Item, { keyHash }: KeyClaim): HeadKey | undefined {
  return (head[headAttributes.keys] as Record<string, HeadKey>)[keyHash];
}
