/** Account holders, their plans and their API keys: what there is to know, and what a plan allows. */
import type { Mode } from '../ids.ts';
import type { Permission } from '../permissions.ts';
import type { Instant } from '../time.ts';

/** Requests per clock hour, over all keys of an account in one mode. */
export const plans = { standard: 1000, enterprise: 5000 } as const;

export type Plan = keyof typeof plans;

/** Keys per account and mode that are neither revoked nor expired. */
export const maxUsableKeys = 10;

export interface Account {
  readonly accountId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: Instant;
}

export interface ApiKey {
  readonly keyId: string;
  readonly mode: Mode;
  readonly name: string;
  /** The end of its value, by which people recognise it. */
  readonly last4: string;
  /** Undefined: all. */
  readonly permissions: readonly Permission[] | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly lastUsedAt: Instant | undefined;
}

/** Whether a key can be used, or why not. One that is both expired and revoked is revoked. */
export function statusOf({ expiresAt, revokedAt }: ApiKey, now: Instant): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}
