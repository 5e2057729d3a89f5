/**
 * Keeps what a user typed into a form that cannot be carried out: the session has ended, or the sign-in is too old.
 *
 * - The values are in the page, as hidden fields, and nowhere else. The user signs in in another tab. Then the page sends
 *   them again, without a CSRF token, and the dashboard shows the form with these values. So an action always needs another
 *   click, on a form that shows what it sends.
 * - The values go back only to a request for which the browser names the dashboard's own origin, and only to the user of the
 *   form. So no other site can fill in a form, and no other user sees the values in one.
 * - The form keeps its attempt. If it took effect before the session ended, it has no second effect. API keys and invitations
 *   are the exception: their secret follows from the session, so a second one is made, and the list shows both.
 */
import { html } from 'hono/html';
import { isCsrfToken } from '../../domain/users/session.ts';
import {
  answerMessage,
  type BrowserSession,
  linksOf,
  type RequestContext,
  renderSignInButton,
} from './base-app.ts';
import type { DashboardAction } from './definitions.ts';
import { renderHiddenInput } from './forms.ts';
import { isFromOwnPage, type ReceivedForm, receiveForm, type SentForm } from './sent-form.ts';
import { typedFormTexts } from './texts.ts';

/** Where the tab of the sign-in ends. */
export const signedInPath = '/sign-in/done';

/**
 * The form of a POST.
 *
 * - `fresh`: a page of this session sent it, so the action is carried out.
 * - `kept`: the user sent it in an earlier session. It is only shown again.
 * - `foreign`: all others, also a form without an attempt. It has no effect.
 */
type PostedForm =
  | {
      readonly kind: 'fresh' | 'kept';
      readonly form: SentForm;
      /** What remains of it if the user must sign in first. Undefined if nothing can remain. */
      readonly remains: ReceivedForm | undefined;
    }
  | { readonly kind: 'foreign'; readonly remains?: undefined };

/** Reads the form of a POST. @param browser undefined: no session, so a form can be kept for any user */
export async function readPostedForm(
  c: RequestContext,
  action: DashboardAction,
  browser: BrowserSession | undefined,
): Promise<PostedForm> {
  const form = await receiveForm(c);
  if (!form?.attempt) return { kind: 'foreign' };
  const remains = keepTyped(c, action, form);
  if (browser && isCsrfToken(browser.id, form.csrf)) return { kind: 'fresh', form, remains };
  const isOwn = remains && (!browser || remains.sender === browser.session.user);
  return isOwn ? { kind: 'kept', form: remains, remains } : { kind: 'foreign' };
}

/** Returns a form with the fields that remain, or undefined if nothing can remain. */
function keepTyped(
  c: RequestContext,
  { typed, fields: names = [], optionalFields = [] }: DashboardAction,
  form: ReceivedForm,
): ReceivedForm | undefined {
  if (!typed || !form.sender || !isFromOwnPage(c)) return undefined;
  const kept = [...names, ...optionalFields].filter((name) => !typed.secrets?.includes(name));
  const fields = [...form.fields].filter(([name]) => kept.includes(name));
  return { ...form, fields: new URLSearchParams(fields) };
}

/**
 * Answers with the page that keeps a form until the user has signed in.
 * @param isNew the user must prove their identity again
 */
export function answerKeptForm(
  c: RequestContext,
  message: 'session_ended' | 'needs_new_sign_in',
  { fields, attempt, sender }: ReceivedForm,
  isNew: boolean,
): Response | Promise<Response> {
  const { rootUrl } = linksOf(c);
  const action = rootUrl(new URL(c.req.url).pathname);
  const inputs = [...fields, ['sender', sender] as const, ['attempt', attempt] as const].map(
    ([name, value]) => renderHiddenInput(name, value),
  );
  const button = renderSignInButton({ rootUrl }, signedInPath, {
    text: typedFormTexts.signIn,
    isNew,
    isNewTab: true,
  });
  const steps = html`<p>${typedFormTexts.hint}</p><ol class="steps"><li>${button}</li>
<li><form method="post" action="${action}">${inputs}<button class="plain">${typedFormTexts.showAgain}</button></form></li></ol>`;
  return answerMessage(c, message, 403, steps, typedFormTexts.explanations[message]);
}
