/**
 * Makes the files of an export, after the export is stored. A worker calls it.
 *
 * - The first step fixes the set of rows. Each further step reads some rows, stores them as a file, and then commits the file with the
 *   position up to which it has read. So a step that a crash interrupts runs again, and no row is missing or in two files.
 * - Documents become archives of some PDFs each. A further step joins them into one. S3
 *   stores it when all of it is there, so no record ever names a part of it.
 * - Of two workers with the same export, one commits a step. The other one goes on after it.
 * - A run ends before its function does, and leaves the next run a timer.
 */
import type { Clock } from '../../base/clock.ts';
import { toRealTime } from '../../base/clock.ts';
import { remainingMs } from '../../base/deadline.ts';
import { logger, serializeError } from '../../base/log.ts';
import { type RealTime, now as readNow, toTimestamp } from '../../base/time.ts';
import { instantIn, instantOf } from '../../domain/accounts/fiscal-year.ts';
import type { Export, ExportFailure } from '../../domain/exports/export.ts';
import type { ExportKind } from '../../domain/exports/export-kinds.ts';
import { exportType } from '../../domain/exports/record.ts';
import { beginExport, continueExport, failExport, replaceParts } from '../../domain/exports/transitions.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { type Change, Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { tableKeys } from '../../store/keys.ts';
import { readRecordOfAnyAccount } from '../../store/records.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { type ArchiveDocuments, type JoinArchives, joinParts, storePart } from './export-file.ts';
import { auditSource, documentsSource, journalSource } from './log-rows.ts';
import {
  customersSource,
  invoicesSource,
  linesSource,
  paymentsSource,
  refundsSource,
} from './numbered-rows.ts';
import { type RowScope, type RowSource, TooManyRecordsError } from './row-source.ts';
import { statementSource } from './statement-rows.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The bucket keeps files for this long (`infra/bucket.ts`). */
const keptMs = 7 * dayMs;
/** An export that is not ready then fails. */
const maxAgeMs = dayMs;
/** A step ends at this number of rows. So a file has some megabytes. */
const rowsPerPart = 5_000;
/** The same for an archive of documents. */
const documentsPerPart = 25;
/** A step reads for at most so long, and needs some seconds more to store its file. */
const readingMs = 10_000;
const storingMs = 17_000;
const stepMs = readingMs + storingMs;
/** Archives that are joined in one step become one archive, so this step has most of the time of a run. */
const joiningMs = 45_000;

const sources: Readonly<Record<ExportKind, RowSource>> = {
  invoices: invoicesSource,
  lines: linesSource,
  payments: paymentsSource,
  refunds: refundsSource,
  customers: customersSource,
  journal: journalSource,
  documents: documentsSource,
  audit: auditSource,
  statement: statementSource,
};

/** What a run depends on. */
export interface ExportTools {
  readonly archiveDocuments: ArchiveDocuments;
  readonly joinArchives: JoinArchives;
  /** A step ends at this number of rows. Default: as many as fit a file well. */
  readonly rowsPerPart?: number;
}

/** Handles the timer of an export. @throws the error of a call that can succeed later */
export async function makeExport(timer: TimerMessage, now: RealTime, tools: ExportTools): Promise<void> {
  let record = (await readRecordOfAnyAccount(exportType, timer.reference))?.record;
  do {
    record = record && (await takeStep(record, now, tools));
  } while (record?.status === 'running' && remainingMs() > (isRead(record) ? joiningMs : stepMs));
  if (record?.status === 'running') {
    const due = readNow();
    await setTimer({ due, kind: 'export', reference: record.id }, due);
  }
  await completeTimer(timer);
}

/** Takes the next step. Returns the record as it is then. */
async function takeStep(record: Export, now: RealTime, tools: ExportTools): Promise<Export | undefined> {
  if (record.status !== 'running') return record;
  const clock = await clockOfRecord(record, record.createdAt, now);
  if (now - toRealTime(clock, record.createdAt) > maxAgeMs) return fail(record, 'timed_out', clock);
  const scope = scopeOf(record);
  const { until } = record;
  if (until === undefined) {
    const last = await sources[record.kind].lastOf(scope, clock);
    const set = { asOf: clock.account, until: last, keptUntil: clock.real + keptMs };
    return commitChange(record, (present) => beginExport(present, set), clock);
  }
  return isRead(record) ? joinFiles(record, clock, tools) : makePart(scope, until, clock, tools);
}

/** Whether all documents are in archives. These are joined then. */
const isRead = ({ kind, cursor, until }: Export): boolean => kind === 'documents' && cursor === until;

/** Joins as many archives as the run has time for. */
function joinFiles(record: Export, clock: Clock, { joinArchives }: ExportTools) {
  return withStorage(record, clock, async () => {
    const joined = await joinParts(record, joinArchives, Math.max(readingMs, remainingMs() - storingMs));
    return commitChange(record, (present) => replaceParts(present, joined, clock.account), clock);
  });
}

async function makePart(
  scope: RowScope,
  until: string,
  clock: Clock,
  { archiveDocuments, rowsPerPart: wanted }: ExportTools,
): Promise<Export | undefined> {
  const { record } = scope;
  const most = wanted ?? (record.kind === 'documents' ? documentsPerPart : rowsPerPart);
  return withStorage(record, clock, async () => {
    const { rows, step } = await readRows(scope, until, clock, most);
    const isEmptyFile = step.isLast && record.parts.length === 0;
    const part = rows.length > 0 || isEmptyFile ? await storePart(record, rows, archiveDocuments) : undefined;
    // Archives are joined before the export is complete.
    const isToJoin = step.isLast && record.kind === 'documents' && record.parts.length > 0;
    const taken = isToJoin ? { ...step, part, cursor: until, isLast: false } : { ...step, part };
    return commitChange(record, (present) => continueExport(present, taken, clock.account), clock);
  });
}

/** Returns what a step returns. An export fails if its storage is gone, or if it has too many records. */
async function withStorage(record: Export, clock: Clock, step: () => Promise<Export | undefined>) {
  try {
    return await step();
  } catch (error) {
    if (error instanceof TooManyRecordsError) return fail(record, 'too_large', clock);
    if (!isLostStorage(error)) throw error;
    logger.error('export without storage', { export: record.id, error: serializeError(error) });
    return fail(record, 'storage_unavailable', clock);
  }
}

/** Reads the rows of one file. @param most it ends at this number of rows */
async function readRows(scope: RowScope, until: string, clock: Clock, most: number) {
  const { kind, cursor } = scope.record;
  const asOf = toTimestamp(clock.account);
  const begunAt = performance.now();
  const rows: object[] = [];
  let step = { cursor: cursor ?? until, leftOut: 0, isLast: true };
  for await (const batch of sources[kind].read(scope, cursor, until)) {
    for (const row of batch.rows) rows.push({ ...row, asOf });
    const isLast = rows.length < most && performance.now() - begunAt < readingMs;
    step = { cursor: batch.cursor, leftOut: step.leftOut + batch.leftOut, isLast };
    if (!isLast) break;
  }
  return { rows, step };
}

/** The codes of S3 for a bucket that does not exist, or that the function must not write. No repetition helps. */
const lostStorage = ['NoSuchBucket', 'AccessDenied', 'AllAccessDisabled'];

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList */
const isLostStorage = (error: unknown): boolean =>
  error instanceof Error && (lostStorage.includes(error.name) || error.name.startsWith('KMS.'));

const fail = (record: Export, failure: ExportFailure, clock: Clock) =>
  commitChange(record, (present) => failExport(present, failure, clock.account), clock);

/**
 * Commits a step, if the export is as the step has read it. The end of an export frees its place.
 * @returns the export as it is then. Undefined: it does not exist
 */
function commitChange(
  record: Export,
  change: (present: Export) => Change<Export>,
  clock: Clock,
): Promise<Export | undefined> {
  const { account, mode, id, version } = record;
  const owner = { account, mode };
  const command = new Command<[Export], Export | undefined>(
    [{ type: exportType, owner, id, record }],
    (present) => {
      if (!present || present.version !== version) return { changes: [undefined], answer: present };
      const next = change(present);
      const isEnd = next.record.status !== 'running';
      const deletes = isEnd ? [tableKeys.exportSlot(owner, record.slot)] : [];
      return { changes: [next], answer: next.record, deletes };
    },
  );
  return commitInBackground(command, clock);
}

/** The range begins with the first day and ends with the last one, in the time zone of the export. */
function scopeOf(record: Export): RowScope {
  const { account, mode, timeZone, from, to } = record;
  return {
    owner: { account, mode },
    record,
    from: instantIn(timeZone, from, 0),
    end: instantOf(timeZone, Date.parse(`${to}T00:00:00Z`) + dayMs),
  };
}
