/**
 * Defines users and their sessions. A user is identified by issuer and subject, never by an e-mail address, because an
 * address can belong to another person later.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';

/** How long a session lasts after its sign-in, in milliseconds. It is never extended. */
export const sessionMs = 8 * 60 * 60 * 1000;
/** How long a session lasts without a request, in milliseconds. */
export const idleMs = 2 * 60 * 60 * 1000;
/** How old the stored time of the last request is at most while requests arrive, in milliseconds. So few requests write it. */
const useIntervalMs = 5 * 60 * 1000;

/** The identity that the issuer has confirmed. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Empty if the issuer names no address. */
  readonly email: string;
  readonly isEmailVerified: boolean;
}

/** A session, as the table stores it. Its id is in the browser's cookie only. */
export interface Session extends Identity {
  readonly user: string;
  /** SHA-256 of the session id, base64url. */
  readonly hash: string;
  readonly startedAt: Instant;
  readonly endsAt: Instant;
  /** When the user proved their identity to the issuer. */
  readonly authenticatedAt: Instant;
  /** When the session was used, up to five minutes before the last request. */
  readonly usedAt: Instant;
  /** The browser and its system, for example `Firefox on Linux`. */
  readonly browser: string;
}

/** Returns whether a session still counts. DynamoDB deletes ended ones late, so the stored times decide. */
export const isOpen = ({ endsAt, usedAt }: Session, now: Instant): boolean =>
  endsAt > now && usedAt + idleMs > now;

/** Returns whether a request must store that the session is in use. */
export const isUseDue = ({ usedAt }: Session, now: Instant): boolean => now - usedAt >= useIntervalMs;

/** What browsers name themselves, in the order to look for. Most also name older browsers that they resemble. */
const browserMarks = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systemMarks = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns the browser and the system that a `User-Agent` header names, for example `Firefox on Linux`. */
export function describeBrowser(userAgent: string): string {
  const nameIn = (marks: readonly (readonly [string, string])[]) =>
    marks.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser = 'Another browser', system] = [nameIn(browserMarks), nameIn(systemMarks)];
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Computes the id of the user that an issuer knows as `subject`. The same identity always gives the same id. */
export function userIdOf({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();
  return `usr_${base32(digest, 26)}`;
}

/** Creates a session id: 256 random bits, base64url. */
export function randomSessionId(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hash under which the table knows a session id. */
export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Returns the token that each form of a session contains. Only a page of this session can know it. */
export function csrfTokenOf(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}

/** Compares a token that was sent with the token of the session, in constant time. */
export function isCsrfToken(sessionId: string, sent: string): boolean {
  const [expected, actual] = [Buffer.from(csrfTokenOf(sessionId)), Buffer.from(sent)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
