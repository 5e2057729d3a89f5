import { expect, test } from '@jest/globals';
import { modes } from '../../../shared/base/ids.ts';
import {
  type Ability,
  abilities,
  isRolePermitted,
  needsNewSignIn,
  roles,
} from '../../../shared/domain/users/roles.ts';

/** What each role may do, and what needs a new sign-in (`*`). Written out, so that a change of the rules is seen here. */
const expected: Record<Ability, readonly [test: string, live: string]> = {
  'account:read': ['owner developer bookkeeper viewer', 'owner developer bookkeeper viewer'],
  'invoices:write': ['owner developer', 'owner developer'],
  'invoices:force': ['owner developer', 'owner'],
  'customers:write': ['owner developer', 'owner developer'],
  'products:write': ['owner developer', 'owner developer'],
  'records:export': ['owner developer bookkeeper', 'owner developer bookkeeper'],
  'payments:record': ['owner developer bookkeeper', 'owner developer bookkeeper'],
  'payments:void': ['owner', 'owner *'],
  'refunds:create': ['owner developer', 'owner *'],
  'webhooks:write': ['owner developer', 'owner developer'],
  'webhook-targets:write': ['owner developer', 'owner developer *'],
  'webhook-secrets:read': ['owner developer', 'owner developer *'],
  'keys:write': ['owner developer', 'owner *'],
  'clock:write': ['owner developer', 'owner developer'],
  'providers:write': ['owner *', 'owner *'],
  'settings:write': ['owner *', 'owner *'],
  'members:write': ['owner *', 'owner *'],
  'audit-log:read': ['owner', 'owner'],
  'membership:leave': ['owner developer bookkeeper viewer', 'owner developer bookkeeper viewer'],
};

test.each(Object.keys(abilities) as Ability[])('who may %s', (ability) => {
  const found = modes.map((mode) => {
    const permitted = roles.filter((role) => isRolePermitted(role, ability, mode));
    return [...permitted, ...(needsNewSignIn(ability, mode, 0, 600_000) ? ['*'] : [])].join(' ');
  });
  expect(found).toEqual(expected[ability]);
});

test('a sign-in is new for ten minutes', () => {
  expect(needsNewSignIn('members:write', 'test', 1_000, 600_999)).toBe(false);
  expect(needsNewSignIn('members:write', 'test', 1_000, 601_000)).toBe(true);
});
