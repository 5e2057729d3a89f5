/**
 * Makes and checks the proof that a user has signed in with a browser before. Only this browser keeps it, so the table holds nothing about
 * browsers. It gives no access: without it, members get a notice of the sign-in.
 */
import { isSigned, signItem } from './signed-item.ts';

const itemOf = (user: string) => ({ knownBrowserOf: user });

/** Returns the proof for a user. @throws Error if the signing secret cannot be read */
export async function proveBrowser(user: string): Promise<string> {
  const { signature } = await signItem(itemOf(user));
  return String(signature);
}

/** Whether a text is the proof for a user. */
export const isBrowserProof = (user: string, proof: string): Promise<boolean> =>
  isSigned({ ...itemOf(user), signature: proof });
