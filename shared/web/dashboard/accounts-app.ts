/** Serves the dashboard's start, which leads to the user's first account, the list of the user's accounts, and the script. */
import { html } from 'hono/html';
import type { GatewayApp } from '../../api/http/hono-handler.ts';
import { readAccounts } from '../../domain/accounts/account-store.ts';
import { accountPath } from '../../domain/users/dashboard-paths.ts';
import { listAccountsOfUser } from '../../domain/users/member-store.ts';
import { redirectToSignIn } from './app.ts';
import { answerMessage, linksOf, type RequestContext, readBrowserSession } from './base-app.ts';
import { renderId } from './elements.ts';
import { renderMessagePage, renderSignOut } from './frame.ts';
import { script, scriptPath } from './script.ts';
import { frameTexts } from './texts.ts';

/** Adds the routes to an app. */
export function addAccountRoutes(app: GatewayApp): GatewayApp {
  return app
    .get('/', showStart)
    .get('/accounts', showAccounts)
    .get(scriptPath, (c) => c.body(script, 200, { 'Content-Type': 'text/javascript' })) as GatewayApp;
}

async function showStart(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, '/');
  const { rootUrl } = linksOf(c);
  const [first] = await listAccountsOfUser(browser.session.user);
  return first === undefined
    ? answerMessage(c, 'no_account', 200, renderSignOut(rootUrl, browser.csrfToken))
    : c.redirect(rootUrl(accountPath(first, 'test', '')), 303);
}

async function showAccounts(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, '/accounts');
  const { rootUrl } = linksOf(c);
  const signOut = renderSignOut(rootUrl, browser.csrfToken);
  const ids = await listAccountsOfUser(browser.session.user);
  if (ids.length === 0) return answerMessage(c, 'no_account', 200, signOut);
  const accounts = await readAccounts(ids);
  const links = accounts.map(
    (account) =>
      html`<li><a href="${rootUrl(accountPath(account.accountId, 'test', ''))}"><bdi>${account.name}</bdi></a> ${renderId(account.accountId)}</li>`,
  );
  const content = html`<ul class="menu">${links}</ul>${signOut}`;
  const notice = c.req.query('notice') ?? null;
  return c.html(
    renderMessagePage(frameTexts.switchAccount, content, { rootUrl }, { notice, isState: false }),
  );
}
