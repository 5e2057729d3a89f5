/** GET /pay/:id/reminders: asks whether the reader of a reminder wants no more of them. Its address has a token of that mail. */
import * as routes from '../../shared/api/routes.ts';
import { isUnsubscribeToken } from '../../shared/domain/mails/unsubscribe-token.ts';
import { createPaymentPageHandler } from '../../shared/web/pages/payment-page-handler.ts';

export const handler = createPaymentPageHandler(routes.showReminders, async ({ query }) => {
  const [mail, token] = [String(query.mail), String(query.token)];
  if (!(await isUnsubscribeToken(mail, token))) return { status: 404, view: { kind: 'not_found' } };
  return { status: 200, view: { kind: 'reminders', query: `?${new URLSearchParams({ mail, token })}` } };
});
