/**
 * The daily reconciliation: begun once a day, it goes through an account's numbers in stretches, each of which sends
 * the message for the next, so that it does not matter how many there are. A message that is lost is made up for the
 * day after.
 */
import { type Mode, modes } from '../ids.ts';
import { logger } from '../log.ts';
import { measured } from '../metrics.ts';
import { send } from '../store/queues.ts';
import { type Instant, toTimestamp } from '../time.ts';
import { type Difference, identityOf } from './difference.ts';
import type { Place } from './facts.ts';
import { firstPlace, look, lookAgain, pagesFrom } from './looks.ts';
import { isBegun, reportBegin, reportDifferences, reportEnd } from './report.ts';
import { inParts, readAccountIds, readNumbers } from './store.ts';

/** A message: a stretch of pages, beginning at a place, or one page that is to be looked at again. */
export interface Stretch extends Place {
  /** Whose report it belongs to, such as `2027-01-31`. */
  readonly day: string;
  /** Records compared before. */
  readonly records: number;
  /** Identities of what was found when this page was looked at before, of what has stood since, and how often that was. */
  readonly again?: Again;
}

interface Again {
  readonly suspects: readonly string[];
  readonly known: readonly string[];
  readonly looks: number;
}

const sendsAtOnce = 100;
/** For so long a run goes on to further pages: far less than its time-out. */
const stretchMs = 20_000;
/** Before each further look: longer than the sweep needs for what the stream has failed to publish. */
const waitsMs = [3, 6, 12, 15].map((minutes) => minutes * 60_000);

/** Begins the day's reconciliation, if that has not been done: a message for each account and mode. */
export async function beginReconciliation(now: Instant): Promise<void> {
  const day = toTimestamp(now).slice(0, 10);
  if (await isBegun(day)) return;
  let owners = 0;
  for await (const accounts of readAccountIds()) {
    const begin = (account: string, mode: Mode) =>
      sendStretch({ account, mode, ...firstPlace, day, records: 0 });
    await inParts(
      accounts.flatMap((account) => modes.map((mode) => [account, mode] as const)),
      sendsAtOnce,
      (part) => Promise.all(part.map((owner) => begin(...owner))),
    );
    owners += accounts.length * modes.length;
  }
  await reportBegin(day, owners, now);
  logger.info('reconciliation', { day, owners, ...measured({ Reconciliations: 1 }) });
}

/** Goes through pages for `forMs`, at least one; messages see to the next, and to a further look at what disagrees. */
export async function reconcile(stretch: Stretch, now: Instant, forMs = stretchMs): Promise<void> {
  if (stretch.again) return reconcileAgain(stretch, stretch.again, now);
  const end = performance.now() + forMs;
  const { account, mode, day } = stretch;
  const numbers = await readNumbers(stretch);
  if (!numbers) return;
  let { records } = stretch;
  let pages = 0;
  for await (const place of pagesFrom(stretch, numbers)) {
    if (pages > 0 && performance.now() >= end) {
      await sendStretch({ ...place, day, records });
      return logRecords(stretch, records);
    }
    const seen = await look(place, numbers);
    records += seen.records;
    pages += 1;
    await sendAgain({ ...place, day, records: 0 }, seen.found, [], 0);
  }
  await reportEnd(day, { account, mode }, records, now);
  logRecords(stretch, records);
}

async function reconcileAgain(
  stretch: Stretch,
  { suspects, known, looks }: Again,
  now: Instant,
): Promise<void> {
  const { standing, open } = await lookAgain(stretch, new Set(suspects), new Set(known));
  await reportDifferences(stretch.day, standing, now);
  await sendAgain(stretch, open, [...known, ...standing.map(identityOf)], looks);
  for (const { evidence: _, ...difference } of standing) logger.error('difference', { ...difference });
  const { account, mode } = stretch;
  logger.info('looked again', { account, mode, ...measured({ Differences: standing.length }) });
}

/** What still changes after the last look is looked at the day after; what is never published has an alarm of its own. */
async function sendAgain(
  stretch: Stretch,
  found: readonly Difference[],
  known: readonly string[],
  looks: number,
): Promise<void> {
  const waitMs = waitsMs[looks];
  if (found.length === 0 || waitMs === undefined) return;
  await sendStretch(
    { ...stretch, again: { suspects: found.map(identityOf), known, looks: looks + 1 } },
    waitMs,
  );
}

const sendStretch = (stretch: Stretch, waitMs?: number) =>
  send('reconciliation', stretch, waitMs, stretch.account);

function logRecords({ account, mode, records: before }: Stretch, records: number): void {
  logger.info('reconciled', { account, mode, ...measured({ RecordsReconciled: records - before }) });
}
