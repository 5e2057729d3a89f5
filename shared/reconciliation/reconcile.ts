/**
 * Runs the daily reconciliation by queue messages. Each message is for one batch of pages and sends the message for the
 * next batch, so the number of pages does not matter.
 *
 * - A lost message loses nothing for good: the reconciliation of the next day checks the same pages.
 */
import { type Mode, modes } from '../ids.ts';
import { logger } from '../log.ts';
import { metricFields } from '../metrics.ts';
import { sendMessage } from '../store/queues.ts';
import { type Instant, toTimestamp } from '../time.ts';
import { comparePage, confirmDifferences, firstPage, listPagesFrom } from './compare-pages.ts';
import { type Difference, identityOf } from './difference.ts';
import type { PageLocation } from './facts.ts';
import { hasBegun, reportBegin, reportDifferences, reportEnd } from './report.ts';
import { mapInChunks, readAccountIds, readAllocatedNumbers } from './store.ts';

/** A batch: the pages from a location on, or one page to check again. */
export interface ReconciliationBatch extends PageLocation {
  /** The day of the report, such as `2027-01-31`. */
  readonly day: string;
  /** The number of records that earlier batches compared. */
  readonly records: number;
  /** Set if the batch checks one page again. */
  readonly recheck?: Recheck;
}

interface Recheck {
  /** The identities of the differences that the previous check found. */
  readonly candidates: readonly string[];
  /** The identities of the differences that are already confirmed. */
  readonly confirmed: readonly string[];
  /** The number of rechecks, including this one. */
  readonly checks: number;
}

/** A batch as the queue carries it. The field names never change, because queued messages keep them. */
interface BatchMessage extends Omit<ReconciliationBatch, 'recheck'> {
  readonly again?: {
    readonly suspects: readonly string[];
    readonly known: readonly string[];
    readonly looks: number;
  };
}

/** Converts a batch to its queue message. */
function toMessage({ recheck, ...batch }: ReconciliationBatch): BatchMessage {
  if (!recheck) return batch;
  const { candidates, confirmed, checks } = recheck;
  return { ...batch, again: { suspects: candidates, known: confirmed, looks: checks } };
}

/** Returns the batch in the body of a queue message. */
export function fromMessage(body: string): ReconciliationBatch {
  const { again, ...batch } = JSON.parse(body) as BatchMessage;
  if (!again) return batch;
  const { suspects, known, looks } = again;
  return { ...batch, recheck: { candidates: suspects, confirmed: known, checks: looks } };
}

const sendsAtOnce = 100;
/** How long a run starts to compare more pages, in milliseconds. The function's time-out is much longer. */
const batchMs = 20_000;
/** The wait before each recheck, in milliseconds. The sweep relays what the stream's consumer missed in less time. */
const waitsMs = [3, 6, 12, 15].map((minutes) => minutes * 60_000);

/** Begins the reconciliation of the day: sends a message for each account and mode. Does nothing if it has begun. */
export async function beginReconciliation(now: Instant): Promise<void> {
  const day = toTimestamp(now).slice(0, 10);
  if (await hasBegun(day)) return;
  let owners = 0;
  for await (const accounts of readAccountIds()) {
    const begin = (account: string, mode: Mode) =>
      sendBatch({ account, mode, ...firstPage, day, records: 0 });
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
 * Compares pages for `forMs` milliseconds, at least one page. Sends a message for the next page, and one for the
 * recheck of each page with candidates.
 */
export async function reconcileBatch(
  batch: ReconciliationBatch,
  now: Instant,
  forMs = batchMs,
): Promise<void> {
  if (batch.recheck) return recheckPage(batch, batch.recheck, now);
  const end = performance.now() + forMs;
  const { account, mode, day } = batch;
  const numbers = await readAllocatedNumbers(batch);
  if (!numbers) return;
  let { records } = batch;
  let pages = 0;
  for await (const location of listPagesFrom(batch, numbers)) {
    if (pages > 0 && performance.now() >= end) {
      await sendBatch({ ...location, day, records });
      return logRecords(batch, records);
    }
    const compared = await comparePage(location, numbers);
    records += compared.records;
    pages += 1;
    await sendRecheck({ ...location, day, records: 0 }, compared.candidates, [], 0);
  }
  await reportEnd(day, { account, mode }, records, now);
  logRecords(batch, records);
}

async function recheckPage(
  batch: ReconciliationBatch,
  { candidates, confirmed: before, checks }: Recheck,
  now: Instant,
): Promise<void> {
  const { confirmed, unconfirmed } = await confirmDifferences(batch, new Set(candidates), new Set(before));
  await reportDifferences(batch.day, confirmed, now);
  await sendRecheck(batch, unconfirmed, [...before, ...confirmed.map(identityOf)], checks);
  for (const { evidence: _, ...difference } of confirmed) logger.error('difference', { ...difference });
  const { account, mode } = batch;
  logger.info('page rechecked', { account, mode, ...metricFields({ Differences: confirmed.length }) });
}

/**
 * Sends the message for the next recheck of a page, if there are candidates. After the last recheck, changing records
 * wait for the reconciliation of the next day. Outbox items that are never relayed have their own alarm.
 */
async function sendRecheck(
  batch: ReconciliationBatch,
  found: readonly Difference[],
  confirmed: readonly string[],
  checks: number,
): Promise<void> {
  const waitMs = waitsMs[checks];
  if (found.length === 0 || waitMs === undefined) return;
  await sendBatch(
    { ...batch, recheck: { candidates: found.map(identityOf), confirmed, checks: checks + 1 } },
    waitMs,
  );
}

const sendBatch = (batch: ReconciliationBatch, waitMs?: number) =>
  sendMessage('reconciliation', toMessage(batch), waitMs, batch.account);

function logRecords({ account, mode, records: before }: ReconciliationBatch, records: number): void {
  logger.info('reconciled', { account, mode, ...metricFields({ RecordsReconciled: records - before }) });
}
