/** Compares the documents of an account and mode as a part of the daily reconciliation, one batch for each message. */
import type { Owner } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { beginDocuments, compareDocuments, type DocumentsProgress } from './document-differences.ts';
import { reportDifferences } from './report.ts';

/** What is to be compared next. */
export interface DocumentsBatch extends Owner {
  readonly day: string;
  readonly documents: DocumentsProgress;
}

type Send = (batch: DocumentsBatch) => Promise<void>;

/** How long a message starts to compare more documents, in milliseconds. The function's time-out is much longer. */
const batchMs = 20_000;

/** Compares documents from the first one that is due. */
export async function beginComparison(owner: Owner, day: string, now: Instant, send: Send): Promise<void> {
  const { account, mode } = owner;
  await reconcileDocuments({ account, mode, day, documents: await beginDocuments(owner, now) }, now, send);
}

/** Compares documents for `forMs` milliseconds, at least one page of them, and sends the message for what is left. */
export async function reconcileDocuments(
  { account, mode, day, documents }: DocumentsBatch,
  now: Instant,
  send: Send,
  forMs = batchMs,
): Promise<void> {
  const owner = { account, mode };
  const { differences, next } = await compareDocuments(owner, documents, now, forMs);
  await reportDifferences(day, differences, now);
  for (const { evidence: _, ...difference } of differences) logger.error('difference', { ...difference });
  if (differences.length > 0)
    logger.info('documents compared', { ...owner, ...metricFields({ Differences: differences.length }) });
  if (next) await send({ ...owner, day, documents: next });
}
