/**
 * Runs the daily reconciliation by queue messages. Each message is for one batch of pages and sends the message for the
 * next batch, so the number of pages does not matter.
 *
 * - A lost message loses nothing for good: the reconciliation of the next day checks the same pages.
 * - A part that fails gets a message of its own, so the other parts of the account go on: a bad record must not keep the due
 *   dates of other invoices without timers. If calls to AWS fail, nothing else would work either, and the whole message arrives again.
 */

import { type Mode, modes, type Owner } from '../../base/ids.ts';
import { logger, serializeError } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { deploymentOwner } from '../../domain/audit/audit-store.ts';
import { readAccountIds } from '../../store/account-directory.ts';
import { sendMessage } from '../../store/queues.ts';
import { findAuditDifferences } from './audit-differences.ts';
import {
  type Comparison,
  isBooks,
  isDocuments,
  isJournal,
  isRecheck,
  type Progress,
  type Recheck,
  type ReconciliationBatch,
} from './batch.ts';
import {
  comparePlannedPage,
  confirmDifferences,
  firstPage,
  type PageResult,
  planPages,
} from './compare-pages.ts';
import {
  type AuditDifference,
  type Difference,
  type ItemDifference,
  identityOf,
  type KeyDifference,
} from './difference.ts';
import type { PlannedPage } from './digest.ts';
import { advanceLastDay, putLastDay, readLastDay } from './digest-store.ts';
import type { PageLocation } from './facts.ts';
import { isolate } from './isolate.ts';
import { findItemDifferences } from './item-differences.ts';
import { findKeyDifferences } from './key-differences.ts';
import { beginBooks, reconcileBooks } from './reconcile-books.ts';
import { beginComparison, reconcileDocuments } from './reconcile-documents.ts';
import { beginJournal, continueJournal } from './reconcile-journal.ts';
import { mapInChunks, readAllocatedNumbers } from './reconciliation-store.ts';
import { hasBegun, reportBegin, reportDifferences, reportEnd } from './report.ts';

const sendsAtOnce = 100;
/** How long a run starts to compare more pages, in milliseconds. The function's time-out is much longer. */
const batchMs = 20_000;
/** The wait before each recheck, in milliseconds. The sweep relays what the stream's consumer missed in less time. */
const waitsMs = [3, 6, 12, 15].map((minutes) => minutes * 60_000);

/** Begins the reconciliation of the day: sends a message for each account and mode, and one for the log of the deployment. Does nothing if it has begun. */
export async function beginReconciliation(now: Instant): Promise<void> {
  const day = toTimestamp(now).slice(0, 10);
  if (await hasBegun(day)) return;
  let owners = 0;
  await sendBatch({ ...deploymentOwner, day });
  for await (const accounts of readAccountIds()) {
    const begin = (account: string, mode: Mode) => sendBatch({ account, mode, day });
    await mapInChunks(
      accounts.flatMap((account) => modes.map((mode) => [account, mode] as const)),
      sendsAtOnce,
      (chunk) => Promise.all(chunk.map((owner) => begin(...owner))),
    );
    owners += accounts.length * modes.length;
  }
  await reportBegin(day, owners, now);
  logger.info('reconciliation', { day, owners, ...metricFields({ Reconciliations: 1 }) });
}

/**
 * Carries out a batch. Of a comparison, compares pages for `forMs` milliseconds, at least one page, and sends a message for the
 * next page.
 * @param now on the clock of this process
 * @param forMs how long to start more pages, in milliseconds
 * @throws the failure of a call to AWS, or of the only part of the batch. The message then arrives again.
 */
export async function reconcileBatch(
  batch: ReconciliationBatch,
  now: Instant,
  forMs = batchMs,
): Promise<void> {
  if (isBooks(batch)) return reconcileBooks(batch, now, sendBatch, forMs);
  if (isDocuments(batch)) return reconcileDocuments(batch, now, sendBatch, forMs);
  if (isJournal(batch)) return continueJournal(batch, now, sendBatch, forMs);
  if (isRecheck(batch)) return recheckPage(batch, now);
  const { account, mode, day, part } = batch;
  if (account === deploymentOwner.account) return compareAuditLog(deploymentOwner, day, now);
  const end = performance.now() + forMs;
  const numbers = await readAllocatedNumbers(batch);
  if (!numbers) return;
  if (part === 'beginning') return compareBeginning(batch, now);
  const owner = { account, mode };
  const progress = batch.progress ?? (await startOf(batch));
  const { full, since } = progress;
  const days = since === undefined ? undefined : { since, day };
  const compare = async (planned: PlannedPage): Promise<PageResult> => {
    const compared = await comparePlannedPage(planned, numbers, { full, days, now });
    const { resource, page } = planned;
    await sendRecheck({ ...owner, resource, page, day }, compared.candidates, [], 0);
    return compared;
  };
  const pages = planPages({ ...owner, ...progress }, numbers);
  if (part === 'page') {
    const { value: only } = await pages.next();
    if (only) await compare(only);
    return;
  }
  if (!batch.progress)
    await isolated({ ...owner, day, part: 'beginning' }, () => compareBeginning(batch, now));
  let { records, remembered } = progress;
  let isFirst = true;
  for await (const planned of pages) {
    const from = { resource: planned.resource, page: planned.page, full, since };
    if (!isFirst && performance.now() >= end) {
      await sendBatch({ ...owner, day, progress: { ...from, records, remembered } });
      return logRecords(owner, records - progress.records, remembered - progress.remembered);
    }
    isFirst = false;
    const alone = { ...owner, day, part: 'page', progress: { ...from, records: 0, remembered: 0 } } as const;
    const compared = await isolated(alone, () => compare(planned));
    records += compared?.records ?? 0;
    remembered += compared?.remembered ?? 0;
  }
  await reportEnd(day, owner, { records, remembered, full }, now);
  if (full) await putLastDay(owner, day);
  else if (days) await advanceLastDay(owner, days);
  logRecords(owner, records - progress.records, remembered - progress.remembered);
}

/** Does a part of a batch as `isolate` does. If it fails because of what it reads, sends a message for this part alone. */
const isolated = <T>(rest: Comparison, work: () => Promise<T>): Promise<T | undefined> =>
  isolate(work, (error) => {
    const { account, mode, progress } = rest;
    const { resource, page } = progress ?? {};
    logger.error('not compared', { account, mode, resource, page, error: serializeError(error) });
    return sendBatch(rest);
  });

/**
 * Compares what belongs to no page: the entries of API keys, the audit log, and other items. Sends the message for the journal, begins with
 * the documents, and sends the messages for the books of providers.
 */
async function compareBeginning({ account, mode, day }: Comparison, now: Instant): Promise<void> {
  const owner = { account, mode };
  await compareKeys(owner, day, now);
  await compareAuditLog(owner, day, now);
  await beginJournal(owner, day, sendBatch);
  await reportFound('items parsed', owner, day, await findItemDifferences(owner, now), now);
  await beginComparison(owner, day, now, sendBatch);
  await beginBooks(owner, day, now, sendBatch);
}

async function compareKeys(owner: Owner, day: string, now: Instant): Promise<void> {
  await reportFound('API keys compared', owner, day, await findKeyDifferences(owner), now);
}

async function compareAuditLog(owner: Owner, day: string, now: Instant): Promise<void> {
  await reportFound('audit log verified', owner, day, await findAuditDifferences(owner, now), now);
}

async function reportFound(
  message: string,
  owner: Owner,
  day: string,
  differences: readonly (KeyDifference | AuditDifference | ItemDifference)[],
  now: Instant,
): Promise<void> {
  await reportDifferences(day, differences, now);
  for (const difference of differences) logger.error('difference', { ...difference });
  if (differences.length > 0)
    logger.info(message, { ...owner, ...metricFields({ Differences: differences.length }) });
}

async function startOf({ account, mode }: Comparison): Promise<Progress> {
  const since = await readLastDay({ account, mode });
  return { ...firstPage, records: 0, remembered: 0, full: since === undefined, since };
}

async function recheckPage(
  { candidates, confirmed: before, checks, ...location }: Recheck,
  now: Instant,
): Promise<void> {
  const { confirmed, unconfirmed } = await confirmDifferences(location, new Set(candidates), new Set(before));
  await reportDifferences(location.day, confirmed, now);
  await sendRecheck(location, unconfirmed, [...before, ...confirmed.map(identityOf)], checks);
  for (const { evidence: _, ...difference } of confirmed) logger.error('difference', { ...difference });
  const { account, mode } = location;
  logger.info('page rechecked', { account, mode, ...metricFields({ Differences: confirmed.length }) });
}

/**
 * Sends the message for the next recheck of a page, if there are candidates. After the last recheck, changing records
 * wait for the reconciliation of the next day. Outbox items that are never relayed have their own alarm.
 */
async function sendRecheck(
  location: PageLocation & { readonly day: string },
  found: readonly Difference[],
  confirmed: readonly string[],
  checks: number,
): Promise<void> {
  const waitMs = waitsMs[checks];
  if (found.length === 0 || waitMs === undefined) return;
  await sendBatch({ ...location, candidates: found.map(identityOf), confirmed, checks: checks + 1 }, waitMs);
}

const sendBatch = (batch: ReconciliationBatch, waitMs?: number) =>
  sendMessage('reconciliation', { body: batch, delayMs: waitMs, group: batch.account });

function logRecords({ account, mode }: Owner, records: number, remembered: number): void {
  const metrics = metricFields({ RecordsReconciled: records });
  logger.info('reconciled', { account, mode, remembered, ...metrics });
}
