/**
 * How an endpoint is doing: when it is not asked for a while because it never answers, and when it is given up. Kept
 * beside the endpoint only while it fails, so that a healthy one costs nothing.
 */
import type { Instant } from '../time.ts';

/** What is kept of an endpoint that fails; one success forgets it. */
export interface Health {
  /** The first attempt that failed since the last success. */
  readonly failingSince: Instant;
  /** Deliveries that have failed for good since then, with the times of the first and the last one. */
  readonly failures?: number;
  readonly firstFailureAt?: Instant;
  readonly lastFailureAt?: Instant;
  /** Attempts before that time are not made; after it, one at a time is. */
  readonly openUntil?: Instant;
  readonly openMs?: number;
}

/** For how long an endpoint is not asked. */
export interface Opening {
  readonly openUntil: Instant;
  readonly openMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const disabling = { failingMs: 5 * dayMs, failures: 10, spreadMs: dayMs / 2 };

/** Five days without a success, and ten failed deliveries that lie twelve hours apart at least (semantics 10). */
export function isGivenUp(health: Health, now: Instant): boolean {
  const { failingSince, failures = 0, firstFailureAt = now, lastFailureAt = now } = health;
  return (
    now - failingSince >= disabling.failingMs &&
    failures >= disabling.failures &&
    lastFailureAt - firstFailureAt >= disabling.spreadMs
  );
}

/** So many time-outs in a row, as seen by one instance, and the endpoint is left alone. */
const timeoutsToOpen = 3;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** Endpoints that time out, and how often in a row, as seen by this instance. */
const timeouts = new Map<string, number>();
/** Endpoints of which this instance is finding out whether they answer again. */
const probed = new Set<string>();

/** Whether an attempt may be made now; whoever is told so says how it went with `endAttempt`. */
export function mayAttempt(webhookId: string, health: Health | undefined, now: Instant): boolean {
  if (health?.openUntil === undefined) return true;
  if (health.openUntil > now || probed.has(webhookId)) return false;
  probed.add(webhookId);
  return true;
}

/** An attempt has ended. Returns for how long the endpoint is to be left alone from now on, if it is. */
export function endAttempt(
  webhookId: string,
  health: Health | undefined,
  timedOut: boolean,
  now: Instant,
): Opening | undefined {
  const wasProbe = probed.delete(webhookId);
  if (!timedOut) {
    timeouts.delete(webhookId);
    return undefined;
  }
  const inRow = (timeouts.get(webhookId) ?? 0) + 1;
  timeouts.set(webhookId, inRow);
  if (!wasProbe && inRow < timeoutsToOpen) return undefined;
  timeouts.delete(webhookId);
  const openMs = Math.min(longestOpenMs, health?.openMs === undefined ? firstOpenMs : 2 * health.openMs);
  return { openMs, openUntil: now + openMs };
}
