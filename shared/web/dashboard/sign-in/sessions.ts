/** Shows the sessions of the user, and ends one or all of them. */
import { html } from 'hono/html';
import { endAllSessions, endSessionOf, listSessions } from '../../../domain/users/session-store.ts';
import { formatMoment } from '../../pages/dates.ts';
import { redirectToSignIn } from '../app.ts';
import {
  answerMessage,
  linksOf,
  type RequestContext,
  readBrowserSession,
  renderSignInButton,
  setSessionCookie,
} from '../base-app.ts';
import { renderBadge, renderTable } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderMessagePage } from '../frame.ts';
import { readSentForm } from '../sent-form.ts';
import { signInTexts } from '../texts.ts';
import { inUtc, renderTime } from '../times.ts';

const path = '/sign-in/sessions';
const endPath = `${path}/end`;
const { sessions: texts } = signInTexts;

/** GET: lists the sessions. */
export async function showSessions(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, path);
  const { rootUrl } = linksOf(c);
  const sessions = await listSessions(browser.session.user, c.env.startedAt);
  const columns = [texts.browser, texts.actions, texts.started, texts.used].map((title) => ({ title }));
  const rows = sessions.map(({ hash, startedAt, usedAt, browser: name }) => [
    html`<bdi>${name}</bdi>`,
    hash === browser.session.hash
      ? renderBadge(texts.current, 'good')
      : renderForm(browser, {
          action: rootUrl(endPath),
          submit: texts.end,
          content: renderHiddenInput('session', hash),
          style: 'danger small',
          label: texts.endLabel(name, formatMoment(startedAt)),
        }),
    renderTime(inUtc, startedAt),
    renderTime(inUtc, usedAt),
  ]);
  const form = renderForm(browser, { action: rootUrl(path), submit: texts.endAll, style: 'danger' });
  const content = html`<p>${texts.explanation}</p>${renderTable(texts.table, columns, rows)}${form}`;
  const notice = c.req.query('notice') ?? null;
  return c.html(renderMessagePage(texts.title, content, { rootUrl }, { notice, isState: false }));
}

/** POST: ends one session of the user. A session that has ended meanwhile stays so. */
export async function endSessionForm(c: RequestContext): Promise<Response> {
  const links = linksOf(c);
  const browser = await readBrowserSession(c);
  if (!browser) return answerMessage(c, 'session_ended', 403, renderSignInButton(links, path));
  const sent = await readSentForm(c, browser);
  if (!sent) return answerMessage(c, 'refused_form', 403);
  await endSessionOf(browser.session.user, sent.fields.get('session') ?? '');
  return c.redirect(`${links.rootUrl(path)}?notice=session_ended`, 303);
}

/** POST: ends all sessions of the user, including this one. */
export async function endAllSessionsForm(c: RequestContext): Promise<Response> {
  const links = linksOf(c);
  const browser = await readBrowserSession(c);
  if (!browser) return answerMessage(c, 'session_ended', 403, renderSignInButton(links, path));
  if (!(await readSentForm(c, browser))) return answerMessage(c, 'refused_form', 403);
  await endAllSessions(browser.session.user);
  setSessionCookie(c, '');
  return c.redirect(`${links.rootUrl('/sign-in')}?notice=sessions_ended`, 303);
}
