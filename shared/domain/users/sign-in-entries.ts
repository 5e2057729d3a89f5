/** Records sign-ins in the audit log: those of users in the logs of their accounts, and failed ones in the log of the deployment. */

import { changedSettings } from '../../base/audit-origin.ts';
import { modes } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { listAccountsOfUser } from './member-store.ts';

/** The field of an entry that says that the browser has no cookie of an earlier sign-in of the user. */
export const newBrowserField = 'newBrowser';

/** How a user has signed in: with a new session, or again in a session, as an action of consequence requires. */
export interface SignInRecord {
  readonly action: 'user.sign_in' | 'user.step_up';
  readonly requestId: string;
  /** The browser has no cookie of an earlier sign-in of the user. */
  readonly isNewBrowser?: boolean;
}

/** With the items of the sessions, a transaction has at most 100 actions. */
const entriesAtOnce = 96;

/**
 * Returns the actions that record a sign-in in both modes of each account of the user, for the transaction of the session. If the
 * user has more than 48 accounts, the entries of the others are stored at once. So no session begins without an entry.
 */
export async function signInActions(
  user: string,
  browser: string,
  { action, requestId, isNewBrowser = false }: SignInRecord,
  at: Instant,
): Promise<TransactionItem[]> {
  const accounts = await listAccountsOfUser(user);
  const owners = accounts.flatMap((account) => modes.map((mode) => ({ account, mode })));
  // The function that signs users in cannot hash addresses: it does not read the deployment secret.
  const origin = { actor: { type: 'user', id: user }, action, requestId, source: null } as const;
  const changes = changedSettings(undefined, { browser, ...(isNewBrowser && { [newBrowserField]: true }) });
  const actions = entryActions(owners, origin, { resource: user, changes, at });
  while (actions.length > entriesAtOnce) await writeTransaction(actions.splice(0, entriesAtOnce));
  return actions;
}

/** How many failed sign-ins one instance records in a minute. Anybody can cause them. */
export const failedSignInsPerMinute = 5;

const counts = { minute: 0, recorded: 0, leftOut: 0 };

/**
 * Records that a sign-in failed, in the log of the deployment, because nobody knows who it was. Beyond the limit of a minute, only
 * counts it. The next entry says how many were left out.
 * @param reason the failure, such as `sign_in_refused`
 */
export async function recordFailedSignIn(reason: string, requestId: string, at: Instant): Promise<void> {
  const minute = Math.floor(at / 60_000);
  if (minute !== counts.minute) Object.assign(counts, { minute, recorded: 0 });
  if (counts.recorded >= failedSignInsPerMinute) {
    counts.leftOut += 1;
    return;
  }
  counts.recorded += 1;
  const leftOut = counts.leftOut > 0 ? counts.leftOut : undefined;
  counts.leftOut = 0;
  const actor = { type: 'user', id: null } as const;
  const origin = { actor, action: 'user.sign_in', requestId, source: null } as const;
  const changes = changedSettings(undefined, { reason, leftOut });
  await writeTransaction(
    entryActions(['deployment'], origin, { outcome: 'failed', resource: null, changes, at }),
  );
}
