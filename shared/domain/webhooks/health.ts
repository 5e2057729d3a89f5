/**
 * Decides when the circuit of an endpoint opens because it does not respond, and when a failing endpoint is disabled.
 *
 * - Health is stored only while an endpoint fails, so that a healthy endpoint costs no write.
 */
import type { Instant } from '../../base/time.ts';

/** The stored health of a failing endpoint. One success deletes it. */
export interface Health {
  /** The first failed attempt since the last success. */
  readonly failingSince: Instant;
  /** The number of deliveries that have finally failed since then. */
  readonly failures?: number | undefined;
  /** When the first of them failed. */
  readonly firstFailureAt?: Instant | undefined;
  /** When the last of them failed. */
  readonly lastFailureAt?: Instant | undefined;
  /** Until this time the circuit is open and no attempt is made. After it, one attempt at a time is made as a probe. */
  readonly openUntil?: Instant | undefined;
  /** How long the circuit was opened, in milliseconds. */
  readonly openMs?: number | undefined;
}

/** How long the circuit of an endpoint is open. */
export interface OpenCircuit {
  readonly openUntil: Instant;
  readonly openMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const disabling = { failingMs: 5 * dayMs, failures: 10, spreadMs: dayMs / 2 };

/** Whether to disable an endpoint: 5 days without a success, and 10 failed deliveries over at least 12 hours. */
export function shouldDisable(health: Health, now: Instant): boolean {
  const { failingSince, failures = 0, firstFailureAt = now, lastFailureAt = now } = health;
  return (
    now - failingSince >= disabling.failingMs &&
    failures >= disabling.failures &&
    lastFailureAt - firstFailureAt >= disabling.spreadMs
  );
}

/** The circuit opens after this number of consecutive time-outs in one instance. */
const timeoutsToOpen = 3;
const firstOpenMs = 30_000;
const longestOpenMs = 5 * 60_000;

/** The number of consecutive time-outs of each endpoint, in this instance. */
const timeouts = new Map<string, number>();
/** The endpoints that this instance is probing. */
const probing = new Set<string>();

/** Whether an attempt may be made now. If it returns true, the caller must call `endAttempt` after the attempt. */
export function beginAttempt(webhookId: string, health: Health | undefined, now: Instant): boolean {
  if (health?.openUntil === undefined) return true;
  if (health.openUntil > now || probing.has(webhookId)) return false;
  probing.add(webhookId);
  return true;
}

/** Ends an attempt. Returns how long the circuit is open from now on, or undefined if it stays closed. */
export function endAttempt(
  webhookId: string,
  health: Health | undefined,
  timedOut: boolean,
  now: Instant,
): OpenCircuit | undefined {
  const wasProbe = probing.delete(webhookId);
  if (!timedOut) {
    timeouts.delete(webhookId);
    return undefined;
  }
  const consecutive = (timeouts.get(webhookId) ?? 0) + 1;
  timeouts.set(webhookId, consecutive);
  if (!wasProbe && consecutive < timeoutsToOpen) return undefined;
  timeouts.delete(webhookId);
  const openMs = Math.min(longestOpenMs, health?.openMs === undefined ? firstOpenMs : 2 * health.openMs);
  return { openMs, openUntil: now + openMs };
}
