/** Makes the users of the local issuer members of the account of `npm start`. */
import type { Role } from '../../shared/domain/users/roles.ts';
import { localUsers } from './local-users.ts';
import type { Stack } from './stack.ts';

/**
 * Makes each user a member in the role of its name, if it is not a member yet. Returns a link that signs the owner in at
 * the dashboard once.
 */
export async function seedMembers({ dashboard }: Stack, account: string): Promise<string> {
  if (!dashboard) throw new Error('The stack has no dashboard.');
  const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
  const { findMember } = await import('../../shared/domain/users/members.ts');
  const { userIdOf } = await import('../../shared/domain/users/session.ts');
  const { now } = await import('../../shared/base/time.ts');
  const { url: issuer, createSignInLink } = dashboard.issuer;
  const users = Object.entries(localUsers).map(([role, { subject, email }]) => {
    const user = userIdOf({ issuer, subject });
    return { user, issuer, subject, email, role: role as Role, since: now() };
  });
  await changeMembers(account, (current) => {
    const missing = users.filter(({ user }) => !findMember(current, user));
    return missing.length === 0 ? current : { ...current, members: [...current.members, ...missing] };
  });
  return createSignInLink(localUsers.owner);
}
