/**
 * Makes the tokens in the links that stop reminders. A token is a keyed hash of its mail, so only its readers have it. It holds for
 * ever, because people keep their mails.
 */
import { timingSafeEqual } from 'node:crypto';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';

const tokenOf = (mailId: string): Promise<string> => tableHash('mails:unsubscribe', mailId);

/** Returns the address of the page that stops reminders. @param paymentUrl the address of the payment page of the invoice */
export async function unsubscribeUrl(paymentUrl: string, mailId: string): Promise<string> {
  const query = new URLSearchParams({ mail: mailId, token: await tokenOf(mailId) });
  return `${paymentUrl}/reminders?${query}`;
}

/** Whether a token is that of a mail. */
export async function isUnsubscribeToken(mailId: string, token: string): Promise<boolean> {
  const [expected, sent] = [Buffer.from(await tokenOf(mailId)), Buffer.from(token)];
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}
