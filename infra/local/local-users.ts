/** Names the users of the local stack's dashboard. */
import type { Role } from '../../shared/domain/users/roles.ts';

/** A user who can sign in at the local issuer. */
export interface LocalUser {
  readonly subject: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
}

/** The users of `npm start`, by their role in its account. */
export const localUsers: Readonly<Record<Role, LocalUser>> = {
  owner: { subject: 'local-owner', email: 'owner@example.com', isEmailVerified: true },
  developer: { subject: 'local-developer', email: 'developer@example.com', isEmailVerified: true },
  bookkeeper: { subject: 'local-bookkeeper', email: 'bookkeeper@example.com', isEmailVerified: true },
  viewer: { subject: 'local-viewer', email: 'viewer@example.com', isEmailVerified: true },
};
