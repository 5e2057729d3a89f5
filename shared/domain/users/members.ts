/**
 * Defines the members and invitations of an account, and decides how they change. All of them are in one item, and each
 * write is conditional on its version. So two requests at once cannot leave an account without an owner.
 */
import { createHash } from 'node:crypto';
import { base32 } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { isRolePermitted, type Role } from './roles.ts';
import { type Identity, userIdOf } from './session.ts';

export interface Member {
  readonly user: string;
  readonly issuer: string;
  readonly subject: string;
  /** The address at the time of the acceptance, for people. Nothing depends on it. */
  readonly email: string;
  readonly role: Role;
  readonly since: Instant;
}

export interface Invitation {
  readonly id: string;
  /** SHA-256 of the token in the link, base64url. The token is not stored. */
  readonly hash: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Instant;
  readonly endsAt: Instant;
  /** The user who accepted it. */
  readonly acceptedBy?: string | undefined;
}

/** A person who was a member. They learn that they are none any more, and nothing else follows from it. */
export interface FormerMember {
  readonly user: string;
  readonly email: string;
  /** The next change after that forgets them. */
  readonly until: Instant;
}

/** The members and invitations of one account. */
export interface AccountMembers {
  readonly account: string;
  /** 0 if the account never had a member or an invitation. One higher with each write. */
  readonly version: number;
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  /** Undefined: nobody was removed lately. */
  readonly former?: readonly FormerMember[] | undefined;
}

/** Why a change of members is refused. The dashboard and the command line have a text for each. */
export type MemberRefusal =
  | 'not_permitted'
  | 'last_owner'
  | 'not_a_member'
  | 'too_many_members'
  | 'too_many_invitations'
  | 'unknown_invitation'
  | 'invitation_ended'
  | 'invitation_used'
  | 'other_email'
  | 'email_not_verified'
  | 'already_member';

export class MemberError extends Error {
  readonly refusal: MemberRefusal;

  constructor(refusal: MemberRefusal) {
    super(`The change of members is refused: ${refusal}.`);
    this.refusal = refusal;
  }
}

/** How long an invitation can be accepted, in milliseconds. */
const invitationMs = 7 * 24 * 60 * 60 * 1000;
/** They keep the page of the members below 40 KB. */
const maxMembers = 50;
const maxInvitations = 25;
/** Longer than it takes to tell a person that they are no member any more. */
const formerForMs = 24 * 60 * 60 * 1000;
/** The first ones stay, because a thief removes the owners before his own people. */
const maxFormer = 25;

/** Returns the link's token for 160 random bits: 32 characters. */
export function invitationTokenOf(random: Uint8Array): string {
  return base32(random, 32);
}

function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Returns the member with this user id, or undefined. */
export function findMember({ members }: AccountMembers, user: string): Member | undefined {
  return members.find((member) => member.user === user);
}

/**
 * Throws if `actor` may not change members now. Each change checks it again on the members that it replaces, because
 * another owner may have changed the actor's role meanwhile.
 * @throws MemberError `not_permitted`
 */
export function requireOwner(current: AccountMembers, actor: string): void {
  const role = findMember(current, actor)?.role;
  // The rule is the same in both modes.
  if (role === undefined || !isRolePermitted(role, 'members:write', 'live'))
    throw new MemberError('not_permitted');
}

/** Returns the id of an invitation for 80 random bits. */
export const invitationIdOf = (random: Uint8Array): string => `invitation_${base32(random, 16)}`;

/** Whether a token is that of an invitation. */
export const isTokenOf = ({ hash }: Pick<Invitation, 'hash'>, token: string): boolean =>
  hash === hashInvitationToken(token);

/**
 * Adds an invitation. It replaces an open invitation for the same address. The same token again changes nothing.
 * @param invitation its `id` follows from the token if it is left out
 * @throws MemberError `too_many_invitations`
 */
export function addInvitation(
  current: AccountMembers,
  {
    token,
    email,
    role,
    id = invitationIdOf(Buffer.from(hashInvitationToken(token), 'base64url')),
  }: { readonly token: string; readonly email: string; readonly role: Role; readonly id?: string },
  now: Instant,
): AccountMembers {
  const hash = hashInvitationToken(token);
  if (current.invitations.some((invitation) => invitation.hash === hash)) return current;
  const others = current.invitations.filter(
    (other) => other.endsAt > now && (other.acceptedBy !== undefined || !isSameEmail(other.email, email)),
  );
  if (others.length >= maxInvitations) throw new MemberError('too_many_invitations');
  const invitation = { id, hash, email, role, createdAt: now, endsAt: now + invitationMs };
  return { ...current, invitations: [...others, invitation] };
}

/** Returns the invitations that can still be accepted. */
export function openInvitations({ invitations }: AccountMembers, now: Instant): Invitation[] {
  return invitations.filter(({ endsAt, acceptedBy }) => endsAt > now && acceptedBy === undefined);
}

/** Returns the invitation with an id if it can still be accepted. */
export function openInvitation(current: AccountMembers, id: string, now: Instant): Invitation | undefined {
  return openInvitations(current, now).find((invitation) => invitation.id === id);
}

/** Removes an invitation: its link no longer works. */
export function withdrawInvitation(current: AccountMembers, id: string): AccountMembers {
  return { ...current, invitations: current.invitations.filter((invitation) => invitation.id !== id) };
}

/**
 * Returns the invitation of a token if this identity can accept it.
 * @throws MemberError with the reason if it cannot
 */
export function requireInvitation(
  current: AccountMembers,
  token: string,
  identity: Identity,
  now: Instant,
): Invitation {
  const hash = hashInvitationToken(token);
  const invitation = current.invitations.find((each) => each.hash === hash);
  if (!invitation) throw new MemberError('unknown_invitation');
  const user = userIdOf(identity);
  if (findMember(current, user)) throw new MemberError('already_member');
  if (invitation.acceptedBy !== undefined) throw new MemberError('invitation_used');
  if (invitation.endsAt <= now) throw new MemberError('invitation_ended');
  if (!isSameEmail(invitation.email, identity.email)) throw new MemberError('other_email');
  if (!identity.isEmailVerified) throw new MemberError('email_not_verified');
  return invitation;
}

/**
 * Makes the holder of the invitation's address a member.
 * @throws MemberError if the invitation cannot be accepted, or if the account has 50 members
 */
export function acceptInvitation(
  current: AccountMembers,
  token: string,
  identity: Identity,
  now: Instant,
): AccountMembers {
  const invitation = requireInvitation(current, token, identity, now);
  if (current.members.length >= maxMembers) throw new MemberError('too_many_members');
  const { issuer, subject, email } = identity;
  const user = userIdOf(identity);
  const member: Member = { user, issuer, subject, email, role: invitation.role, since: now };
  return {
    ...current,
    members: [...current.members, member],
    invitations: current.invitations.map((each) =>
      each === invitation ? { ...each, acceptedBy: user } : each,
    ),
  };
}

/** Changes the role of a member. @throws MemberError `not_a_member` or `last_owner` */
export function changeRole(current: AccountMembers, user: string, role: Role): AccountMembers {
  if (!findMember(current, user)) throw new MemberError('not_a_member');
  return keepOwner(current, {
    ...current,
    members: current.members.map((member) => (member.user === user ? { ...member, role } : member)),
  });
}

/** Removes a member. A user who is no member changes nothing. @throws MemberError `last_owner` */
export function removeMember(current: AccountMembers, user: string): AccountMembers {
  if (!findMember(current, user)) return current;
  return keepOwner(current, {
    ...current,
    members: current.members.filter((member) => member.user !== user),
  });
}

/** Returns the people who were members and are none after a change. */
export function formerMembersAfter(
  before: AccountMembers,
  after: AccountMembers,
  now: Instant,
): readonly FormerMember[] | undefined {
  const removed = before.members.filter(({ user }) => !findMember(after, user));
  const former = [
    ...(before.former ?? []).filter(({ user, until }) => now < until && !findMember(after, user)),
    ...removed.map(({ user, email }) => ({ user, email, until: now + formerForMs })),
  ].slice(0, maxFormer);
  return former.length === 0 ? undefined : former;
}

/** Returns the address of a person who is a member, or was one lately. */
export const emailOf = (members: AccountMembers, user: string): string | undefined =>
  [...members.members, ...(members.former ?? [])].find((each) => each.user === user)?.email;

function keepOwner(before: AccountMembers, after: AccountMembers): AccountMembers {
  if (hasOwner(before) && !hasOwner(after)) throw new MemberError('last_owner');
  return after;
}

function hasOwner({ members }: AccountMembers): boolean {
  return members.some(({ role }) => role === 'owner');
}

/** Compares two addresses without regard to case. An empty address equals none. */
function isSameEmail(one: string, other: string): boolean {
  return one !== '' && one.toLowerCase() === other.toLowerCase();
}
