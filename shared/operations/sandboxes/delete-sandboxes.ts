/**
 * Deletes the sandboxes that have ended. Each run continues where the last one stopped:
 *
 * 1. The account is closed. The work in progress then has a day to end, and stored answers expire meanwhile.
 * 2. The members, the webhook endpoints and the records are deleted. Each record is deleted only in the version that was read,
 *    so background work that changes it fails and finds no record. The same transaction notes the items that follow from it.
 * 3. An hour later, nothing writes such items any more: they are deleted, then lists, documents, events, keys and account states.
 * 4. The profile loses its settings and stays, so the id is never used again.
 *
 * All steps can be repeated, also by two runs at the same time. Only stored answers, the audit log, reports of the
 * reconciliation, timers of deleted records and requests to fold their lists stay for a while. They expire, or cause one message and
 * are gone. Their partitions are those of all accounts, so this function may not delete them.
 */

import { isOfSandbox, modes } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import { closeAccount, readAccount } from '../../domain/accounts/account-store.ts';
import { deleteMembers } from '../../domain/users/member-store.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import { readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import { deleteAllRecords } from './delete-records.ts';
import { deleteRemains } from './delete-remains.ts';
import { type EndedSandbox, endSandbox, markEmptied, readEndedSandboxes } from './sandbox-store.ts';

/** How long the work in progress of a closed sandbox may take, in milliseconds. Stored answers live for 24 hours. */
export const sandboxDrainMs = 25 * 60 * 60 * 1000;
/** Much longer than any function runs that still works with a deleted record, in milliseconds. */
export const sandboxSettleMs = 30 * 60 * 1000;

/** Continues the deletion of each sandbox that has ended. @throws the failures, after all sandboxes were tried */
export async function deleteEndedSandboxes(now: Instant): Promise<void> {
  const failures: unknown[] = [];
  for (const sandbox of await readEndedSandboxes(now))
    await continueDeletion(sandbox, now).catch((error) => failures.push(error));
  await throwAfterAllSettled(failures.map((failure) => Promise.reject(failure)));
}

async function continueDeletion(sandbox: EndedSandbox, now: Instant): Promise<void> {
  const { accountId, until, emptiedAt } = sandbox;
  const account = await readAccount(accountId);
  if (!account || account.isInMaintenance) return;
  if (!isOfSandbox(accountId) || account.sandboxUntil !== until || until > now)
    throw new Error(`${accountId} is not a sandbox that has ended, so it is not deleted.`);
  if (account.closedAt === undefined || account.isClosing) {
    await closeAccount(accountId, now);
    logger.info('sandbox closed', { account: accountId });
    return;
  }
  if (now < account.closedAt + sandboxDrainMs) return;
  await requireNoLiveData(accountId);
  if (emptiedAt === undefined) {
    await deleteMembers(accountId);
    await deleteAllRecords(sandbox);
    if (await hasUnrelayed(accountId)) return;
    await markEmptied(sandbox, now);
    return;
  }
  if (now < emptiedAt + sandboxSettleMs || (await hasUnrelayed(accountId))) return;
  await deleteRemains(accountId, account.createdAt, now);
  if (await endSandbox(sandbox, now))
    logger.info('sandbox deleted', { account: accountId, ...metricFields({ DeletedSandboxes: 1 }) });
}

/** @throws Error if live mode has allocated a number, which it cannot while it is closed */
async function requireNoLiveData(account: string): Promise<void> {
  const numbers = await readAllocatedNumbers({ account, mode: 'live' });
  if (numbers && Object.values(numbers.allocated).some((last) => last > 0))
    throw new Error(`The sandbox ${account} has data in live mode, so it is not deleted.`);
}

async function hasUnrelayed(account: string): Promise<boolean> {
  for (const mode of modes) if ((await readUnrelayed({ account, mode })).length > 0) return true;
  return false;
}
