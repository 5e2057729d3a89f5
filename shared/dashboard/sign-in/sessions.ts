/** Shows the sessions of the user, and ends all of them. */
import { html } from 'hono/html';
import { endAllSessions, listSessions } from '../../users/session-store.ts';
import { redirectToSignIn } from '../app.ts';
import {
  answerMessage,
  linksOf,
  type RequestContext,
  readBrowserSession,
  renderSignInButton,
  setSessionCookie,
} from '../base-app.ts';
import { renderBadge, renderTable, renderTime } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { renderMessagePage } from '../frame.ts';
import { readSentForm } from '../sent-form.ts';
import { signInTexts } from '../texts.ts';

const path = '/sign-in/sessions';
const { sessions: texts } = signInTexts;

/** GET: lists the sessions. */
export async function showSessions(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, path);
  const { rootUrl } = linksOf(c);
  const sessions = await listSessions(browser.session.user, c.env.startedAt);
  const columns = [{ title: texts.started }, { title: texts.browser }];
  const rows = sessions.map(({ hash, startedAt, browser: name }) => [
    html`${renderTime(startedAt)} ${hash === browser.session.hash && renderBadge(texts.current, 'good')}`,
    html`<bdi>${name}</bdi>`,
  ]);
  const form = renderForm(browser, { action: rootUrl(path), submit: texts.endAll, style: 'danger' });
  const content = html`<p>${texts.explanation}</p>${renderTable(texts.table, columns, rows)}${form}`;
  return c.html(renderMessagePage(texts.title, content, { rootUrl }, { isState: false }));
}

/** POST: ends all sessions of the user, including this one. */
export async function endAllSessionsForm(c: RequestContext): Promise<Response> {
  const links = linksOf(c);
  const browser = await readBrowserSession(c);
  if (!browser) return answerMessage(c, 'session_ended', 403, renderSignInButton(links, path));
  if (!(await readSentForm(c, browser))) return answerMessage(c, 'refused_form', 403);
  await endAllSessions(browser.session.user, c.env.startedAt);
  setSessionCookie(c, '');
  return c.redirect(`${links.rootUrl('/sign-in')}?notice=sessions_ended`, 303);
}
