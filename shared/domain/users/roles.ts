/**
 * Defines what each member of an account may do in the dashboard. The table is the only place with these rules: the
 * dashboard checks it before each page and each action, and pages ask it which forms to show.
 */
import type { Mode } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';

/** From the strongest to the weakest. A role may do everything that the roles after it may do. */
export const roles = ['owner', 'developer', 'bookkeeper', 'viewer'] as const;
export type Role = (typeof roles)[number];

interface Rule {
  /** The weakest role that is permitted in each mode. */
  readonly test: Role;
  readonly live: Role;
  /** The modes in which the last sign-in must be younger than ten minutes. */
  readonly recent?: readonly Mode[];
}

/** What a page or an action needs, by name. */
export const abilities = {
  'account:read': { test: 'viewer', live: 'viewer' },
  'invoices:write': { test: 'developer', live: 'developer' },
  'invoices:force': { test: 'developer', live: 'owner' },
  'customers:write': { test: 'developer', live: 'developer' },
  'products:write': { test: 'developer', live: 'developer' },
  'records:export': { test: 'bookkeeper', live: 'bookkeeper' },
  'payments:record': { test: 'bookkeeper', live: 'bookkeeper' },
  'payments:void': { test: 'owner', live: 'owner', recent: ['live'] },
  'refunds:create': { test: 'developer', live: 'owner', recent: ['live'] },
  'webhooks:write': { test: 'developer', live: 'developer' },
  'webhook-targets:write': { test: 'developer', live: 'developer', recent: ['live'] },
  'webhook-secrets:read': { test: 'developer', live: 'developer', recent: ['live'] },
  'keys:write': { test: 'developer', live: 'owner', recent: ['live'] },
  'clock:write': { test: 'developer', live: 'developer' },
  'providers:write': { test: 'owner', live: 'owner', recent: ['test', 'live'] },
  'settings:write': { test: 'owner', live: 'owner', recent: ['test', 'live'] },
  'members:write': { test: 'owner', live: 'owner', recent: ['test', 'live'] },
  'audit-log:read': { test: 'owner', live: 'owner' },
  'membership:leave': { test: 'viewer', live: 'viewer' },
} as const satisfies Readonly<Record<string, Rule>>;

export type Ability = keyof typeof abilities;

/** The age of a sign-in, in milliseconds, up to which it permits abilities with `recent`. */
const recentMs = 10 * 60 * 1000;

/** Returns whether a role has an ability in a mode. */
export function isRolePermitted(role: Role, ability: Ability, mode: Mode): boolean {
  return roles.indexOf(role) <= roles.indexOf(abilities[ability][mode]);
}

/**
 * Returns whether an ability needs a new sign-in in a mode.
 * @param authenticatedAt when the user proved their identity to the issuer, in milliseconds since 1970
 */
export function needsNewSignIn(
  ability: Ability,
  mode: Mode,
  authenticatedAt: Instant,
  now: Instant,
): boolean {
  const { recent = [] }: Rule = abilities[ability];
  return recent.includes(mode) && now - authenticatedAt >= recentMs;
}
