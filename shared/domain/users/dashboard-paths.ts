/** Makes the paths of the dashboard that mails and commands link to, too. */
import type { Mode } from '../../base/ids.ts';

/** Returns the path of a page of an account and mode. `path` begins with a slash, and `''` is the overview. */
export function accountPath(account: string, mode: Mode, path: string): string {
  return `/${account}/${mode}${path}`;
}

/** Returns the path of an invitation. It contains the token, so only the invited person may see it. */
export function invitationPath(account: string, token: string): string {
  return `/sign-in/invitation?${new URLSearchParams({ account, token })}`;
}
