/** Keeps in a cookie that a user has signed in with this browser. */
import { getCookie, setCookie } from 'hono/cookie';
import { isBrowserProof, proveBrowser } from '../../../domain/users/known-browser.ts';
import type { RequestContext } from '../base-app.ts';

/** Several people can use one browser. */
const cookieOf = (user: string): string => `remit-known-${user}`;
/** Browsers keep no cookie longer: https://developer.chrome.com/blog/cookie-max-age-expires */
const maxAgeSeconds = 400 * 24 * 60 * 60;

/** Whether a user has signed in with this browser before. */
export async function isKnownBrowser(c: RequestContext, user: string): Promise<boolean> {
  const proof = getCookie(c, cookieOf(user), 'host');
  return proof !== undefined && isBrowserProof(user, proof);
}

/** Stores that a user has signed in with this browser. */
export async function rememberBrowser(c: RequestContext, user: string): Promise<void> {
  setCookie(c, cookieOf(user), await proveBrowser(user), {
    path: '/',
    secure: true,
    httpOnly: true,
    sameSite: 'Lax',
    prefix: 'host',
    maxAge: maxAgeSeconds,
  });
}
