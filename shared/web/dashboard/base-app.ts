/**
 * Makes Hono apps with what all functions of the dashboard share: the headers of every answer, message pages, and the
 * session cookie.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import type { GatewayApp, GatewayRequest } from '../../api/http/hono-handler.ts';
import { pageHeaders } from '../../api/http/page-headers.ts';
import { env } from '../../base/env.ts';
import { csrfTokenOf, type Session, sessionMs } from '../../domain/users/session.ts';
import { useSession } from '../../domain/users/session-store.ts';
import type { Markup } from '../pages/markup.ts';
import { securityTextPath } from '../pages/security-text.ts';
import { dashboardCsp, frameCsp, renderMessagePage } from './frame.ts';
import { createLinks, type Links } from './links.ts';
import { frameTexts, type MessageKey, messageTexts } from './texts.ts';

/** Hono's context of a request to the dashboard. */
export type RequestContext = Context<{ Bindings: GatewayRequest }>;

/** The session of the browser that sent a request. */
export interface BrowserSession {
  readonly id: string;
  readonly session: Session;
  readonly csrfToken: string;
}

const headers = { ...pageHeaders(dashboardCsp), 'Referrer-Policy': 'no-referrer' };

/** Only pages of the dashboard may frame it. */
const frameHeaders = { 'Content-Security-Policy': frameCsp, 'X-Frame-Options': 'SAMEORIGIN' };

/** The script has no secret and rarely changes, so browsers keep it for an hour. */
const scriptHeaders = { 'Content-Type': 'text/javascript', 'Cache-Control': 'public, max-age=3600' };

/** Makes an app that answers unknown paths and errors as pages. */
export function createBaseApp(): GatewayApp {
  const app: GatewayApp = new Hono();
  app.use(async (c, next) => {
    await next();
    const isScript = c.res.headers.get('Content-Type') === scriptHeaders['Content-Type'];
    const isFrame = c.res.headers.get('Content-Security-Policy') === frameCsp;
    const all = { ...headers, ...(isScript && scriptHeaders), ...(isFrame && frameHeaders) };
    const isFile = c.res.headers.has('Content-Disposition');
    for (const [name, value] of Object.entries(all))
      if (!(isFile && name === 'Content-Type')) c.res.headers.set(name, value);
  });
  // Before the routes of accounts, which would match it. The service has one file, which a function of the API renders.
  app.get(securityTextPath, (c) => c.redirect(`${env.baseUrl()}${securityTextPath}`));
  app.notFound((c) => answerMessage(c, 'not_found', 404));
  app.onError((error, c) => {
    c.env.logged.error = error;
    const details = html`<p>${frameTexts.requestId} <span class="id">${c.env.requestId}</span></p>`;
    return answerMessage(c, 'failed', 500, details);
  });
  return app;
}

/** Returns the links of the dashboard at the address of this request. */
export function linksOf(c: RequestContext): Links {
  return createLinks(c.env.baseUrl);
}

/**
 * Answers with a message page.
 * @param action what the user can do next; the default is a link to the start
 * @param text replaces the explanation
 */
export function answerMessage(
  c: RequestContext,
  key: MessageKey,
  status: 200 | 400 | 401 | 403 | 404 | 409 | 500 | 503,
  action?: Markup,
  text?: string,
): Response | Promise<Response> {
  const { title, explanation } = messageTexts[key];
  const { rootUrl } = linksOf(c);
  const next = action ?? html`<p><a class="button" href="${rootUrl('/')}">${frameTexts.open}</a></p>`;
  return c.html(renderMessagePage(title, html`<p>${text ?? explanation}</p>${next}`, { rootUrl }), status);
}

/** Renders the button that leads to the sign-in, and from there to `returnPath`. */
export function renderSignInButton(
  { rootUrl }: Pick<Links, 'rootUrl'>,
  returnPath: string,
  {
    text = frameTexts.signIn,
    isNew = false,
    isNewTab = false,
  }: { text?: string; isNew?: boolean; isNewTab?: boolean } = {},
): Markup {
  const query = new URLSearchParams({ return: returnPath, ...(isNew && { new: '1' }) });
  return html`<p><a class="button" href="${rootUrl('/sign-in/start')}?${query}"${isNewTab && html` target="_blank" rel="noopener"`}>${text}</a></p>`;
}

const cookie = 'remit-session';
const cookieOptions = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax', prefix: 'host' } as const;

/** Reads the session of the cookie. Returns undefined without a cookie, and for a session that has ended. */
export async function readBrowserSession(c: RequestContext): Promise<BrowserSession | undefined> {
  const id = getCookie(c, cookie, 'host');
  if (id === undefined || !/^[\w-]{43}$/.test(id)) return undefined;
  const session = await useSession(id, c.env.startedAt);
  if (!session) return undefined;
  c.env.logged.user = session.user;
  return { id, session, csrfToken: csrfTokenOf(id) };
}

/** Stores the session id in the browser. `''` removes it. */
export function setSessionCookie(c: RequestContext, id: string): void {
  setCookie(c, cookie, id, { ...cookieOptions, maxAge: id === '' ? 0 : sessionMs / 1000 });
}
