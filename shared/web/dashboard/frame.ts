/**
 * Renders the frame of the dashboard's pages: the mode, the account, the navigation, the user and the sign-out form. Also
 * renders message pages, which have no navigation.
 */
import { html, raw } from 'hono/html';
import { pagePolicy } from '../../api/http/page-headers.ts';
import type { ShownClock } from '../../base/test-clock.ts';
import { formatShortMoment } from '../pages/dates.ts';
import { favicon, isolateDirection, type Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';
import { type DashboardView, type Section, sections } from './definitions.ts';
import { renderHiddenInput } from './forms.ts';
import { clockPath, type Links } from './links.ts';
import { scriptPath } from './script.ts';
import { renderSearch } from './search-field.ts';
import { dashboardStylesheet } from './style.ts';
import { frameTexts, notices } from './texts.ts';
import { renderTime } from './times.ts';

/** The Content-Security-Policy of all pages of the dashboard. */
export const dashboardCsp = `${pagePolicy(dashboardStylesheet, "'self'")}; script-src 'self'; frame-src 'self'`;

/**
 * The policy of a document in a frame. It runs no script, sends no form and loads nothing. Its links open a window of their own, as in a
 * program for mail.
 */
export const frameCsp =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";

const sectionPaths: Record<Section, string> = {
  overview: '',
  invoices: '/invoices',
  payments: '/payments',
  'bank-statements': '/bank-statements',
  customers: '/customers',
  products: '/products',
  webhooks: '/webhooks',
  events: '/events',
  settings: '/settings',
};

/**
 * Renders a page of an account and mode as a complete HTML document.
 * @param notice the notice that the address names; an unknown one is ignored
 */
export function renderFramedPage(
  context: DashboardContext,
  { title, section, content, aside, searched, clock = context.clock }: DashboardView,
  notice: string | null,
): string {
  const { accountName, mode } = context;
  return renderDocument(
    `${title} – ${accountName} (${frameTexts.modes[mode]})`,
    html`<a class="skip" href="#content">${frameTexts.skip}</a>
<header class="top">${renderModeBar(context, section, clock)}
<div class="bar"><a class="brand" href="${context.url('')}">${isolateDirection(accountName)}<small>${frameTexts.product}</small></a>
${renderSearch(context, searched)}${renderUser(context)}</div>
<nav class="sections" aria-label="${frameTexts.navigation}"><ul>${sections.map((each) => renderSection(context, each, section))}</ul></nav></header>
<main id="content"><div class="heading"><h1>${title}</h1>${aside}</div>
${renderNotice(notice)}${content}<p class="note">${frameTexts.timesIn(context.timeZone)}</p></main>
${renderKeys()}<script defer src="${context.rootUrl(scriptPath)}"></script>`,
  );
}

/** Renders the help that the script shows. Browsers show no dialog that is not open. */
function renderKeys(): Markup {
  const { title, keys, close } = frameTexts.help;
  return html`<dialog class="keys" aria-labelledby="keys-title"><h2 id="keys-title">${title}</h2><dl>${keys.map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl><form method="dialog"><button class="plain">${close}</button></form></dialog>`;
}

/** Renders a page without an account: a heading and its content in one card. */
export function renderMessagePage(
  title: string,
  content: Markup,
  { rootUrl }: Pick<Links, 'rootUrl'>,
  { notice = null, isState = true }: { notice?: string | null; isState?: boolean } = {},
): string {
  return renderDocument(
    `${title} – ${frameTexts.product}`,
    html`<header class="top"><div class="bar"><a class="brand" href="${rootUrl('/')}">${frameTexts.product}</a></div></header>
<main class="narrow" id="content">${renderNotice(notice)}<section class="card${isState && ' state'}"><h1>${title}</h1>
${content}</section></main>`,
  );
}

function renderDocument(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no">
<link rel="icon" href="${raw(favicon)}"><style>${raw(dashboardStylesheet)}</style></head>
<body>${body}</body></html>
`.toString();
}

function renderModeBar(
  context: DashboardContext,
  section: Section | undefined,
  clock: ShownClock | undefined,
): Markup {
  const { account, mode, rootUrl, sandboxUntil } = context;
  const other = mode === 'test' ? 'live' : 'test';
  const link = rootUrl(`/${account}/${other}${section ? sectionPaths[section] : ''}`);
  return html`<div class="mode ${mode}"><strong>${frameTexts.modes[mode]}</strong> ${sandboxUntil === undefined ? '' : html`<span>${frameTexts.sandboxUntil} ${renderTime(context, sandboxUntil)}</span> `}${clock ? html`<a href="${context.url(clockPath)}">${nameClock(context, clock)}</a> ` : ''}<a href="${link}">${frameTexts.switchTo[other]}</a></div>`;
}

/** Returns the text of the link to the clock, with its time if it is ahead of the real time or moves. */
function nameClock({ timeZone }: DashboardContext, { now, offsetSeconds, status }: ShownClock): string {
  const { clock, clockAt, advancing } = frameTexts;
  const at = clockAt(formatShortMoment(Date.parse(now), timeZone));
  if (status === 'ready') return offsetSeconds > 0 ? at : clock;
  return `${at}, ${advancing}`;
}

function renderUser({ user, csrfToken, rootUrl }: DashboardContext): Markup {
  return html`<div class="user"><span>${isolateDirection(user.email)}</span>
<a href="${rootUrl('/accounts')}">${frameTexts.switchAccount}</a> <a href="${rootUrl('/sign-in/sessions')}">${frameTexts.signIns}</a>
${renderSignOut(rootUrl, csrfToken)}</div>`;
}

/** Renders the form that ends the session. */
export function renderSignOut(rootUrl: Links['rootUrl'], csrfToken: string): Markup {
  return html`<form method="post" action="${rootUrl('/sign-out')}">${renderHiddenInput('csrf', csrfToken)}<button class="link">${frameTexts.signOut}</button></form>`;
}

function renderSection(context: DashboardContext, section: Section, current: Section | undefined): Markup {
  const isCurrent = section === current ? html` aria-current="page"` : '';
  return html`<li><a href="${context.url(sectionPaths[section])}"${isCurrent}>${frameTexts.sections[section]}</a></li>`;
}

function renderNotice(notice: string | null): Markup | string {
  const text = notice !== null && Object.hasOwn(notices, notice) && notices[notice as keyof typeof notices];
  return text ? html`<p class="notice" role="status">${text}</p>` : '';
}
