/**
 * Compares the payments of the last days with the books of payment providers, as a part of the daily reconciliation.
 *
 * - Each message is for one provider of an account and mode, and for some pages. It sends the message for the next pages,
 *   so the number of payments does not matter.
 * - Records and books are not read at one moment. So a difference counts only if a second comparison finds it, minutes later.
 * - The days of two reconciliations overlap. So what a provider that is down prevents today happens tomorrow.
 * - A confirmed difference is compared again every day, and stays in the report until it is resolved.
 */
import type { Owner } from '../../base/ids.ts';
import { logger, serializeError } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { readConnections } from '../../domain/payments/connections/connection-store.ts';
import { openProvider } from '../../domain/payments/connections/open-provider.ts';
import {
  type HostedProvider,
  type HostedProviderName,
  ProviderCallError,
} from '../../domain/payments/provider/hosted-provider.ts';
import type { ProviderDifference } from './difference.ts';
import { keepOpen, recheckOpen } from './open-differences.ts';
import { compareListedPage, comparePaymentPage, differenceNameOf } from './provider-differences.ts';
import { type AllocatedNumbers, readAllocatedNumbers } from './reconciliation-store.ts';
import { reportDifferences } from './report.ts';

/** The days that a reconciliation compares. A bank can approve a payment five days after the payer began it. */
const windowMs = 7 * 24 * 3_600_000;
/** How long a message starts to compare more pages, in milliseconds. The function's time-out is much longer. */
const batchMs = 20_000;
/** The wait before the second comparison, in milliseconds. */
const secondAfterMs = 5 * 60_000;
/** The wait before a provider that did not answer is asked again, and how often, so that a message never fails for this. */
const retryAfterMs = 15 * 60_000;
const maxTries = 4;
/** More differences than this have one cause. The message stays small. */
const maxCandidates = 200;

/** What is to be compared next. */
export interface BooksBatch extends Owner {
  readonly day: string;
  readonly books: BooksProgress;
}

interface BooksProgress {
  readonly provider: HostedProviderName;
  readonly since: Instant;
  /** The next page of the provider's list. Undefined for the first page. */
  readonly cursor?: string | undefined;
  /** The next page of the service's payments, once the provider's list has ended. */
  readonly offset?: number | undefined;
  /** What the first comparison has found so far. */
  readonly candidates: readonly string[];
  /** Whether this is the second comparison, which confirms the candidates. */
  readonly isSecond: boolean;
  readonly tries: number;
}

type Send = (batch: BooksBatch, waitMs?: number) => Promise<void>;

/** Sends a message for each provider that the account and mode is or was connected to. */
export async function beginBooks(owner: Owner, day: string, now: Instant, send: Send): Promise<void> {
  for (const { provider } of await readConnections(owner)) {
    const books = { provider, since: now - windowMs, candidates: [], isSecond: false, tries: 0 };
    await send({ ...owner, day, books });
  }
}

/** Compares pages for `forMs` milliseconds, at least one page, and sends the message for what is left. */
export async function reconcileBooks(
  { account, mode, day, books }: BooksBatch,
  now: Instant,
  send: Send,
  forMs = batchMs,
): Promise<void> {
  const owner = { account, mode };
  const numbers = await readAllocatedNumbers(owner);
  const provider = await openProvider(owner, books.provider);
  if (!numbers || !provider) return;
  const end = performance.now() + forMs;
  const listed = new Set<string>();
  let progress: BooksProgress = books;
  let isEnded = false;
  try {
    if (isFirst(books)) await report(owner, day, provider, await recheckOpen(owner, provider, now), now);
    do {
      const page = await comparePage(owner, numbers, provider, progress, listed, now);
      const found = page.differences.filter(
        (each) => !books.isSecond || books.candidates.includes(differenceNameOf(each)),
      );
      if (books.isSecond) await report(owner, day, provider, found, now);
      const candidates = books.isSecond
        ? books.candidates
        : [...new Set([...progress.candidates, ...found.map(differenceNameOf)])].slice(0, maxCandidates);
      progress = { ...progress, ...page.next, candidates, tries: 0 };
      isEnded = page.next === undefined;
    } while (!isEnded && performance.now() < end);
  } catch (error) {
    // A fault of this service is not left to the next day. The message fails, and an alarm follows.
    if (!(error instanceof ProviderCallError)) throw error;
    return retryLater({ ...owner, day, books: progress }, error, send);
  }
  if (!isEnded) return send({ ...owner, day, books: progress });
  if (books.isSecond || progress.candidates.length === 0) return;
  const second = { ...progress, cursor: undefined, offset: undefined, isSecond: true };
  await send({ ...owner, day, books: second }, secondAfterMs);
}

interface ComparedPage {
  readonly differences: readonly ProviderDifference[];
  /** Undefined at the end. */
  readonly next: Pick<BooksProgress, 'cursor' | 'offset'> | undefined;
}

/** Compares the next page: of the provider's list first, and then of the service's payments. Notes what the list has. */
async function comparePage(
  owner: Owner,
  numbers: AllocatedNumbers,
  provider: HostedProvider,
  { since, cursor, offset }: BooksProgress,
  listed: Set<string>,
  now: Instant,
): Promise<ComparedPage> {
  if (offset !== undefined) {
    const { differences, next } = await comparePaymentPage(owner, numbers, provider, {
      since,
      offset,
      listed,
    });
    return { differences, next: next === undefined ? undefined : { offset: next } };
  }
  const { references, differences, next } = await compareListedPage(owner, provider, { since, now, cursor });
  for (const reference of references) listed.add(reference);
  return { differences, next: next === undefined ? { cursor: undefined, offset: 0 } : { cursor: next } };
}

/** Whether a message is the first one of its provider, account and mode. */
const isFirst = ({ cursor, offset, isSecond }: BooksProgress): boolean =>
  cursor === undefined && offset === undefined && !isSecond;

/** Reports confirmed differences, and keeps them for the next days. */
async function report(
  { account, mode }: Owner,
  day: string,
  { name }: HostedProvider,
  confirmed: readonly ProviderDifference[],
  now: Instant,
): Promise<void> {
  if (confirmed.length === 0) return;
  await keepOpen(name, confirmed);
  await reportDifferences(day, confirmed, now);
  for (const { evidence: _, ...difference } of confirmed) logger.error('difference', { ...difference });
  logger.info('books compared', { account, mode, ...metricFields({ Differences: confirmed.length }) });
}

async function retryLater(batch: BooksBatch, error: ProviderCallError, send: Send): Promise<void> {
  const { account, mode, books } = batch;
  const { provider, tries } = books;
  logger.warn('the books of a provider could not be read', {
    account,
    mode,
    provider,
    error: serializeError(error),
  });
  if (tries < maxTries) await send({ ...batch, books: { ...books, tries: tries + 1 } }, retryAfterMs);
}
