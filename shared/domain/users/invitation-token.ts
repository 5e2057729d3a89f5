/**
 * Makes the tokens of invitations from their ids, so that the function that sends mails can make the link, too. The table has only the
 * hash of a token.
 */
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import { invitationTokenOf } from './members.ts';

/** Returns the token of the invitation with an id. It is a keyed hash, so nobody without the secret of the deployment can make it. */
export async function invitationTokenFor(account: string, id: string): Promise<string> {
  const halves = await Promise.all(
    ['1', '2'].map((half) => tableHash('invitation', `${account}#${id}#${half}`)),
  );
  return invitationTokenOf(Buffer.concat(halves.map((half) => Buffer.from(half, 'base64url'))));
}
