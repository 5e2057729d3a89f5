/**
 * Compares the journal of an account and mode as a part of the daily reconciliation. Each message folds the journal for some time, and
 * sends the message for what is left.
 *
 * - The message names a checkpoint of the fold. It is deleted after the next message was sent. So a message that arrives again either
 *   does the same once more, or finds that another invocation has continued.
 * - An account that changes during each try is compared again minutes later. If all of that fails, the report names it, and the
 *   reconciliation of the next day compares it.
 */
import type { Owner } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { beginFold, compareJournal, hasSums } from './compare-journal.ts';
import type { FoldedJournal } from './folded-journal.ts';
import { type Checkpoint, deleteCheckpoint, putCheckpoint, readCheckpoint } from './journal-checkpoint.ts';
import { rebuildSums } from './rebuild-sums-store.ts';
import { reportDifferences, reportNotCompared } from './report.ts';

/** The comparison of a journal, or what is left of it. */
export interface JournalBatch extends Owner {
  readonly day: string;
  readonly journal: JournalProgress;
}

export interface JournalProgress {
  /** What is folded so far. Undefined: nothing. */
  readonly checkpoint?: Checkpoint | undefined;
  /** How many messages could not compare all, because the account changed. */
  readonly tries: number;
}

type Send = (batch: JournalBatch, waitMs?: number) => Promise<void>;

/** How long a message folds the journal, in milliseconds. The function's time-out is much longer. */
const batchMs = 20_000;
/** The wait before an account that changes is compared again, in milliseconds. */
const waitsMs = [3, 6, 12, 15].map((minutes) => minutes * 60_000);

/** Sends the message that compares the journal, if there is one. */
export async function beginJournal({ account, mode }: Owner, day: string, send: Send): Promise<void> {
  if (await hasSums({ account, mode })) await send({ account, mode, day, journal: { tries: 0 } });
}

/**
 * Folds the journal for `forMs` milliseconds, at least one entry. At its end, reports what differs, and builds sums again that differ.
 * Otherwise sends the message for what is left.
 * @throws MalformedItemError if an item cannot be read; the failure of a call to AWS. The message then arrives again.
 */
export async function continueJournal(
  { account, mode, day, journal }: JournalBatch,
  now: Instant,
  send: Send,
  forMs = batchMs,
): Promise<void> {
  const owner = { account, mode };
  const { checkpoint, tries } = journal;
  const end = performance.now() + forMs;
  const fold = checkpoint ? await readCheckpoint(owner, checkpoint) : await beginFold(owner);
  if (!fold) return logger.info('journal continued elsewhere', { ...owner, day });
  const sendRest = async (next: number, waitMs?: number) => {
    const rest = { checkpoint: await putCheckpoint(owner, fold, now), tries: next };
    await send({ ...owner, day, journal: rest }, waitMs);
  };
  const isComplete = await compareAndRebuild(owner, day, fold, now, end);
  const waitMs = waitsMs[tries];
  if (isComplete === undefined) await sendRest(tries);
  else if (!isComplete && waitMs !== undefined) await sendRest(tries + 1, waitMs);
  else if (!isComplete) {
    logger.error('not compared', { ...owner, part: 'journal' });
    await reportNotCompared(day, owner, 'journal', now);
  }
  if (checkpoint) await deleteCheckpoint(owner, checkpoint);
}

/** Compares and reports. @returns whether all is compared. Undefined: the time was over before */
async function compareAndRebuild(
  owner: Owner,
  day: string,
  fold: FoldedJournal,
  now: Instant,
  end: number,
): Promise<boolean | undefined> {
  const { differences, isRebuildDue, status } = await compareJournal(owner, fold, false, end);
  if (status === 'unfinished') return undefined;
  await reportDifferences(day, differences, now);
  for (const { evidence: _, ...difference } of differences) logger.error('difference', { ...difference });
  if (differences.length > 0)
    logger.info('journal compared', { ...owner, ...metricFields({ Differences: differences.length }) });
  const isRebuilt = !isRebuildDue || (await rebuildSums(owner, fold));
  return status === 'complete' && isRebuilt;
}
