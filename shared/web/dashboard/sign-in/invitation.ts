/** Shows an invitation to an account, and accepts it. The link of the invitation contains its token. */
import { html } from 'hono/html';
import type { AuditOrigin } from '../../../base/audit-origin.ts';
import { isAccountId } from '../../../base/ids.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { accountPath, invitationPath } from '../../../domain/users/dashboard-paths.ts';
import { changeMembers, readMembers } from '../../../domain/users/member-store.ts';
import {
  type AccountMembers,
  acceptInvitation,
  MemberError,
  requireInvitation,
} from '../../../domain/users/members.ts';
import { userIdOf } from '../../../domain/users/session.ts';
import { redirectToSignIn } from '../app.ts';
import {
  answerMessage,
  type BrowserSession,
  linksOf,
  type RequestContext,
  readBrowserSession,
  renderSignInButton,
} from '../base-app.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderMessagePage, renderSignOut } from '../frame.ts';
import { readSentForm } from '../sent-form.ts';
import { frameTexts, refusalTexts, roleTexts, signInTexts } from '../texts.ts';

const { invitation: texts } = signInTexts;

/** GET: shows what the user accepts. */
export async function showInvitation(c: RequestContext): Promise<Response> {
  const { account = '', token = '' } = c.req.query();
  const browser = await readBrowserSession(c);
  if (!browser) return redirectToSignIn(c, invitationPath(account, token));
  const { session } = browser;
  return answer(c, browser, account, async () => {
    const [members, profile] = await Promise.all([readMembers(account), readAccount(account)]);
    const { role } = requireInvitation(members, token, session, c.env.startedAt);
    const fields = html`${renderHiddenInput('account', account)}${renderHiddenInput('token', token)}`;
    const { rootUrl } = linksOf(c);
    const form = renderForm(browser, {
      action: rootUrl('/sign-in/invitation'),
      submit: texts.accept,
      content: fields,
    });
    const content = html`<p>${texts.explanation(session.email, roleTexts[role].name.toLowerCase())}</p>${form}`;
    return c.html(renderMessagePage(texts.title(profile?.name ?? account), content, { rootUrl }));
  });
}

/** POST: makes the user a member. The same form again leads to the account. */
export async function acceptInvitationForm(c: RequestContext): Promise<Response> {
  const browser = await readBrowserSession(c);
  if (!browser) return answerMessage(c, 'session_ended', 403, renderSignInButton(linksOf(c), '/'));
  const sent = await readSentForm(c, browser);
  if (!sent) return answerMessage(c, 'refused_form', 403);
  const [account, token] = [sent.fields.get('account') ?? '', sent.fields.get('token') ?? ''];
  return answer(c, browser, account, async () => {
    const { session } = browser;
    if ((await readAccount(account))?.isInMaintenance) return answerMessage(c, 'maintenance', 503);
    const origin: AuditOrigin = {
      actor: { type: 'user', id: userIdOf(session) },
      action: 'member.join',
      requestId: c.env.requestId,
      // This function cannot hash addresses: it does not read the deployment secret.
      source: null,
    };
    const accept = (current: AccountMembers) => acceptInvitation(current, token, session, c.env.startedAt);
    await changeMembers(account, accept, origin);
    return redirectToAccount(c, account, '?notice=joined');
  });
}

async function answer(
  c: RequestContext,
  { csrfToken }: BrowserSession,
  account: string,
  accept: () => Promise<Response>,
): Promise<Response> {
  try {
    if (!isAccountId(account)) throw new MemberError('unknown_invitation');
    return await accept();
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    // The user opens the link again, or sends the form again.
    if (error.refusal === 'already_member') return redirectToAccount(c, account);
    const { rootUrl } = linksOf(c);
    const content = html`<p>${refusalTexts[error.refusal]}</p>${renderSignOut(rootUrl, csrfToken)}`;
    return c.html(renderMessagePage(frameTexts.problem, content, { rootUrl }), 403);
  }
}

function redirectToAccount(c: RequestContext, account: string, query = ''): Response {
  return c.redirect(`${linksOf(c).rootUrl(accountPath(account, 'test', ''))}${query}`, 303);
}
