/**
 * Keeps a sign-in that has begun in a cookie of the browser, until the issuer returns the user.
 *
 * - The cookie needs no signature. Only this browser has it, scripts cannot read it, and its `__Host-` name keeps other
 *   hosts from setting it. A user who changes it harms only their own sign-in.
 * - A code works only together with the state and the verifier of the browser that began. So nobody can complete a sign-in
 *   in the browser of another person.
 */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import * as v from 'valibot';
import type { RequestContext } from '../base-app.ts';
import { safeReturnPath } from '../links.ts';
import type { SignInSecrets } from './oidc.ts';

/** A sign-in that has begun. */
interface PendingSignIn {
  readonly secrets: SignInSecrets;
  /** The path that asked for the sign-in. */
  readonly returnPath: string;
}

const cookie = 'remit-sign-in';
const options = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax', prefix: 'host' } as const;
const maxAgeSeconds = 15 * 60;

const text = v.pipe(v.string(), v.minLength(20), v.maxLength(200));
const schema = v.object({
  secrets: v.object({ state: text, nonce: text, verifier: text, isNew: v.boolean() }),
  returnPath: v.string(),
});

/** Stores a sign-in in the browser. It replaces an earlier one. */
export function keepPendingSignIn(c: RequestContext, pending: PendingSignIn): void {
  const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
  setCookie(c, cookie, value, { ...options, maxAge: maxAgeSeconds });
}

/** Returns the sign-in of the browser, or undefined if it has none. */
export function readPendingSignIn(c: RequestContext): PendingSignIn | undefined {
  const value = getCookie(c, cookie, 'host');
  if (value === undefined) return undefined;
  try {
    const { secrets, returnPath } = v.parse(schema, JSON.parse(Buffer.from(value, 'base64url').toString()));
    return { secrets, returnPath: safeReturnPath(returnPath) };
  } catch {
    return undefined;
  }
}

/** Removes the sign-in from the browser, so its state cannot be used twice. */
export function forgetPendingSignIn(c: RequestContext): void {
  deleteCookie(c, cookie, options);
}
