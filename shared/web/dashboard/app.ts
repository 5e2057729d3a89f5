/**
 * Serves the pages and actions of an account. Before each it checks, in this order: the session, the form's origin and CSRF
 * token, the membership, the role, and the age of the sign-in.
 */
import { createHmac } from 'node:crypto';
import { html } from 'hono/html';
import { savedAs } from '../../api/http/file-response.ts';
import { type GatewayApp, pdfType } from '../../api/http/hono-handler.ts';
import { clockAt } from '../../base/clock.ts';
import { isAccountId, type Mode, modes } from '../../base/ids.ts';
import { showClock } from '../../base/test-clock.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { accountPath } from '../../domain/users/dashboard-paths.ts';
import { readMembers } from '../../domain/users/member-store.ts';
import { findMember } from '../../domain/users/members.ts';
import { type Ability, isRolePermitted, needsNewSignIn } from '../../domain/users/roles.ts';
import { readStoredClock } from '../../store/account-clock.ts';
import type { Markup } from '../pages/markup.ts';
import {
  answerMessage,
  type BrowserSession,
  createBaseApp,
  linksOf,
  type RequestContext,
  readBrowserSession,
  renderSignInButton,
} from './base-app.ts';
import type { DashboardContext } from './context.ts';
import type {
  ActionRequest,
  ActionResult,
  DashboardAction,
  DashboardFile,
  DashboardFrame,
  DashboardPage,
  DashboardView,
} from './definitions.ts';
import { frameCsp, renderFramedPage } from './frame.ts';
import type { ReceivedForm } from './sent-form.ts';
import { frameTexts, typedFormTexts } from './texts.ts';
import { answerKeptForm, readPostedForm } from './typed-form.ts';

const prefix = '/:account/:mode';

/** Makes the app of a function that serves these pages and actions. */
export function createDashboardApp({
  pages = [],
  actions = [],
}: {
  readonly pages?: readonly DashboardPage[];
  readonly actions?: readonly DashboardAction[];
}): GatewayApp {
  const app = createBaseApp();
  for (const page of pages) app.get(prefix + page.path, (c) => servePage(c, page));
  for (const action of actions) app.post(prefix + action.path, (c) => serveAction(c, action));
  return app;
}

async function servePage(c: RequestContext, { ability, handle, path }: DashboardPage): Promise<Response> {
  c.env.logged.route = prefix + path;
  const { pathname, searchParams: query } = new URL(c.req.url);
  const returnPath = `${pathname}${query.size > 0 ? `?${query}` : ''}`;
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, returnPath);
  const context = await readContext(c, browser);
  if (!context) return answerMessage(c, 'not_found', 404);
  const refusal = refuse(c, context, ability, returnPath);
  if (refusal) return refusal;
  const params = c.req.param() as Record<string, string>;
  const view = await handle({ context, params, query, sourceIp: c.env.sourceIp });
  if (view && 'file' in view) return answerFile(c, view);
  if (view && 'frame' in view) return answerFrame(c, view);
  return answerView(c, context, view, query.get('notice'));
}

async function serveAction(c: RequestContext, action: DashboardAction): Promise<Response> {
  c.env.logged.route = prefix + action.path;
  const params = c.req.param() as Record<string, string>;
  const { account = '', mode } = params;
  const returnPath = accountPath(account, mode as Mode, action.formPage(params));
  const browser = await readBrowserSession(c);
  const posted = await readPostedForm(c, action, browser);
  if (!browser) {
    const isNew = needsNewSignIn(action.ability, mode as Mode, 0, c.env.startedAt);
    if (posted.remains) return answerKeptForm(c, 'session_ended', posted.remains, isNew);
    return answerMessage(c, 'session_ended', 403, renderSignInButton(linksOf(c), returnPath));
  }
  const reopen = renderLink(linksOf(c).rootUrl(returnPath), frameTexts.openForm);
  if (posted.kind === 'foreign') return answerMessage(c, 'refused_form', 403, reopen);
  const context = await readContext(c, browser);
  if (!context) return answerMessage(c, 'not_found', 404);
  const { attempt, fields } = posted.form;
  for (const ability of abilitiesFor(action, fields)) {
    const refusal = refuse(c, context, ability, returnPath, posted.remains);
    if (refusal) return refusal;
  }
  const isFresh = posted.kind === 'fresh';
  const isComplete = (action.fields ?? []).every((name) => fields.getAll(name).length === 1);
  if (isFresh && !isComplete) return answerMessage(c, 'incomplete_form', 400, reopen);
  const request: ActionRequest = {
    context,
    params,
    query: new URL(c.req.url).searchParams,
    form: fields,
    attempt,
    requestId: c.env.requestId,
    sourceIp: c.env.sourceIp,
    deriveSecret: (purpose) => createHmac('sha256', browser.id).update(`${purpose}:${attempt}`).digest(),
  };
  const result = isFresh ? await action.handle(request) : await showTypedAgain(c, action, request);
  if (!result || 'view' in result) return answerView(c, context, result?.view, null);
  return c.redirect(result.notice ? `${result.redirectTo}?notice=${result.notice}` : result.redirectTo, 303);
}

/** Returns all that a user needs to send a form. A field that is there twice counts with each of its values. */
const abilitiesFor = ({ ability, alsoNeeds: also }: DashboardAction, fields: URLSearchParams): Ability[] =>
  also && fields.getAll(also.field).includes(also.value) ? [ability, also.ability] : [ability];

/** Shows a form that was sent with the token of an earlier session. It changes nothing. */
async function showTypedAgain(
  c: RequestContext,
  { typed }: DashboardAction,
  request: ActionRequest,
): Promise<ActionResult | undefined> {
  const repeated = { action: linksOf(c).rootUrl(new URL(c.req.url).pathname), attempt: request.attempt };
  const context = { ...request.context, repeated };
  return typed?.showAgain({ ...request, context }, { alert: typedFormTexts.check, status: 403 });
}

/** Sends a user without a session to the sign-in page, which leads back to `returnPath`. */
export function redirectToSignIn(c: RequestContext, returnPath: string): Response {
  return c.redirect(`${linksOf(c).rootUrl('/sign-in')}?${new URLSearchParams({ return: returnPath })}`, 303);
}

/** Returns undefined if the address has no account and mode, or if the user is no member of the account. */
async function readContext(
  c: RequestContext,
  { session, csrfToken }: BrowserSession,
): Promise<DashboardContext | undefined> {
  const { account = '', mode: modeText } = c.req.param() as Record<string, string>;
  const mode = modes.find((each) => each === modeText);
  if (!isAccountId(account) || !mode) return undefined;
  const isTest = mode === 'test';
  const [members, profile, clock] = await Promise.all([
    readMembers(account),
    readAccount(account),
    isTest ? readStoredClock({ account, mode }) : undefined,
  ]);
  const member = findMember(members, session.user);
  if (!member || !profile) return undefined;
  Object.assign(c.env.logged, { account, mode });
  const { authenticatedAt } = session;
  const { base: dashboardUrl, rootUrl } = linksOf(c);
  const now = c.env.startedAt;
  return {
    user: { id: session.user, email: session.email },
    account,
    accountName: profile.name,
    mode,
    role: member.role,
    timeZone: profile.timeZone ?? 'UTC',
    sandboxUntil: profile.sandboxUntil,
    clock: isTest ? showClock(clock, now) : undefined,
    isInMaintenance: profile.isInMaintenance,
    authenticatedAt,
    csrfToken,
    now,
    moment: clockAt(clock, now),
    dashboardUrl,
    url: (path) => rootUrl(accountPath(account, mode, path)),
    rootUrl,
    can: (ability) => isRolePermitted(member.role, ability, mode),
    needsNewSignIn: (ability) => needsNewSignIn(ability, mode, authenticatedAt, now),
  };
}

function refuse(
  c: RequestContext,
  context: DashboardContext,
  ability: Ability,
  returnPath: string,
  remains?: ReceivedForm,
): Response | Promise<Response> | undefined {
  const back = renderLink(context.url(''), frameTexts.open);
  if (!context.can(ability)) return answerMessage(c, 'not_permitted', 403, back);
  if (!context.needsNewSignIn(ability)) return undefined;
  if (remains) return answerKeptForm(c, 'needs_new_sign_in', remains, true);
  const button = renderSignInButton(context, returnPath, { text: frameTexts.signInAgain, isNew: true });
  return answerMessage(c, 'needs_new_sign_in', 403, button);
}

const renderLink = (link: string, text: string): Markup =>
  html`<p><a class="button" href="${link}">${text}</a></p>`;

/** Sends a CSV file (RFC 4180) or a PDF, which no cache keeps. */
function answerFile(c: RequestContext, { file }: DashboardFile): Response {
  c.header('Content-Disposition', savedAs(file.name));
  c.header('Content-Type', 'text' in file ? 'text/csv; charset=utf-8; header=present' : pdfType);
  return c.body('text' in file ? file.text : new Uint8Array(file.pdf));
}

/** Sends a document that only a frame of the dashboard shows. */
function answerFrame(c: RequestContext, { frame }: DashboardFrame): Response | Promise<Response> {
  c.header('Content-Security-Policy', frameCsp);
  return c.html(frame);
}

function answerView(
  c: RequestContext,
  context: DashboardContext,
  view: DashboardView | undefined,
  notice: string | null,
): Response | Promise<Response> {
  if (!view) return answerMessage(c, 'not_found', 404);
  if (view.refreshSeconds !== undefined)
    c.header('Refresh', `${view.refreshSeconds}; url=${linksOf(c).rootUrl(new URL(c.req.url).pathname)}`);
  return c.html(renderFramedPage(context, view, notice), view.status ?? 200);
}
