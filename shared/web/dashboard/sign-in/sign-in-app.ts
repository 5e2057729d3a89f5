/** Serves the sign-in, its return from the issuer, and the sign-out. */
import { html } from 'hono/html';
import type { GatewayApp } from '../../../api/http/hono-handler.ts';
import { describeBrowser, userIdOf } from '../../../domain/users/session.ts';
import { endSession, startSession } from '../../../domain/users/session-store.ts';
import { recordFailedSignIn } from '../../../domain/users/sign-in-entries.ts';
import {
  answerMessage,
  createBaseApp,
  linksOf,
  type RequestContext,
  readBrowserSession,
  renderSignInButton,
  setSessionCookie,
} from '../base-app.ts';
import { renderMessagePage } from '../frame.ts';
import { safeReturnPath } from '../links.ts';
import { readSentForm } from '../sent-form.ts';
import { frameTexts, type messageTexts, signInTexts } from '../texts.ts';
import { signedInPath } from '../typed-form.ts';
import { acceptInvitationForm, showInvitation } from './invitation.ts';
import { isKnownBrowser, rememberBrowser } from './known-browser-cookie.ts';
import { beginSignIn, completeSignIn, issuerSignOutUrl, SignInError } from './oidc.ts';
import { forgetPendingSignIn, keepPendingSignIn, readPendingSignIn } from './pending-sign-in.ts';
import { endAllSessionsForm, endSessionForm, showSessions } from './sessions.ts';

/** Makes the app of the function `sign-in`. */
export function createSignInApp(): GatewayApp {
  return createBaseApp()
    .get('/sign-in', showSignIn)
    .get('/sign-in/start', startSignIn)
    .get('/sign-in/callback', finishSignIn)
    .get(signedInPath, showSignedIn)
    .get('/sign-in/sessions', showSessions)
    .post('/sign-in/sessions', endAllSessionsForm)
    .post('/sign-in/sessions/end', endSessionForm)
    .get('/sign-in/invitation', showInvitation)
    .post('/sign-in/invitation', acceptInvitationForm)
    .post('/sign-out', signOut) as GatewayApp;
}

const redirectUriOf = (c: RequestContext) => `${linksOf(c).base}/sign-in/callback`;

function showSignIn(c: RequestContext): Response | Promise<Response> {
  const links = linksOf(c);
  const content = html`<p>${signInTexts.explanation}</p>${renderSignInButton(links, safeReturnPath(c.req.query('return')))}`;
  const notice = c.req.query('notice') ?? null;
  return c.html(renderMessagePage(signInTexts.title, content, links, { notice }));
}

/** The user signed in in a tab of its own, to continue with a form in another tab. */
async function showSignedIn(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  return browser ? answerMessage(c, 'signed_in', 200) : c.redirect(linksOf(c).rootUrl('/sign-in'), 303);
}

async function startSignIn(c: RequestContext): Promise<Response> {
  const returnPath = safeReturnPath(c.req.query('return'));
  try {
    const { url, secrets } = await beginSignIn(redirectUriOf(c), c.req.query('new') === '1');
    keepPendingSignIn(c, { secrets, returnPath });
    return c.redirect(url, 303);
  } catch (error) {
    return answerFailure(c, error, returnPath);
  }
}

async function finishSignIn(c: RequestContext): Promise<Response> {
  const pending = readPendingSignIn(c);
  const answer = new URL(c.req.url).searchParams;
  if (!pending || answer.get('state') !== pending.secrets.state)
    return answerFailedSignIn(c, new SignInError('sign_in_mismatch'), pending?.returnPath ?? '/');
  forgetPendingSignIn(c);
  try {
    const { identity, authenticatedAt } = await completeSignIn(redirectUriOf(c), answer, pending.secrets);
    const before = await readBrowserSession(c);
    const browser = describeBrowser(c.req.header('user-agent') ?? '');
    const { startedAt: now, requestId } = c.env;
    const user = userIdOf(identity);
    const isNewBrowser = !(await isKnownBrowser(c, user));
    const details = { authenticatedAt, browser, now, requestId, isNewBrowser };
    setSessionCookie(c, await startSession(identity, details, before?.session));
    await rememberBrowser(c, user);
    return c.redirect(linksOf(c).rootUrl(pending.returnPath), 303);
  } catch (error) {
    return answerFailedSignIn(c, error, pending.returnPath);
  }
}

/** Records the failure, unless the issuer is to blame. Its outages have an alarm. */
async function answerFailedSignIn(c: RequestContext, error: unknown, returnPath: string): Promise<Response> {
  if (error instanceof SignInError && error.failure !== 'issuer_failed')
    await recordFailedSignIn(error.failure, c.env.requestId, c.env.startedAt);
  return answerFailure(c, error, returnPath);
}

async function signOut(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (browser) {
    if (!(await readSentForm(c, browser))) return answerMessage(c, 'refused_form', 403);
    await endSession(browser.session);
  }
  setSessionCookie(c, '');
  const { base, rootUrl } = linksOf(c);
  const url = await issuerSignOutUrl(`${base}/sign-in`).catch(() => undefined);
  if (url === undefined) return c.redirect(`${rootUrl('/sign-in')}?notice=signed_out`, 303);
  // Browsers apply `form-action` to the redirect of a form, so the page itself leads to the issuer.
  c.header('Refresh', `0; url=${url}`);
  const next = html`<p><a class="button" href="${url}">${signInTexts.continueSignOut(new URL(url).host)}</a></p>`;
  return answerMessage(c, 'signed_out', 200, next);
}

function answerFailure(c: RequestContext, error: unknown, returnPath: string): Response | Promise<Response> {
  if (!(error instanceof SignInError)) throw error;
  const { failure } = error;
  const isOutage = failure === 'issuer_failed';
  if (isOutage) c.env.logged.error = error;
  const requestId = html`<p>${frameTexts.requestId} <span class="id">${c.env.requestId}</span></p>`;
  // The issuer would repeat the weak sign-in that it remembers.
  const isNew = failure === 'sign_in_too_weak';
  const options = { text: frameTexts.signInAgain, isNew };
  const action = html`${isOutage && requestId}${renderSignInButton(linksOf(c), returnPath, options)}`;
  return answerMessage(c, failure satisfies keyof typeof messageTexts, isOutage ? 503 : 400, action);
}
