/** Reads the rows of what is in logs: the journal, documents and the audit log. */
import type { Instant } from '../../base/time.ts';
import {
  auditRetentionMs,
  monthsFrom,
  readStoredEntries,
  toAuditEntry,
} from '../../domain/audit/audit-store.ts';
import { showAuditEntry } from '../../domain/audit/entry.ts';
import { summarizeDocument } from '../../domain/documents/document.ts';
import type { StoredDocument } from '../../domain/documents/document-item.ts';
import { readAllDocuments } from '../../domain/documents/document-store.ts';
import { positionOf, toJournalEntry } from '../../domain/journal/journal-item.ts';
import { showEntry } from '../../domain/journal/journal-store.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed, noteLeftOut } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import {
  isInRange,
  matchesExportFilters,
  type RowBatch,
  type RowScope,
  type RowSource,
} from './row-source.ts';

/** How many items one query reads. So a batch is small. */
const itemsPerQuery = 500;

/** Each one is a file of an archive, so a batch has few. */
const documentsPerBatch = 25;

/** Returns the sort key of the newest item of a partition. Undefined: it has none. */
async function newestIn(pk: string): Promise<string | undefined> {
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ScanIndexForward: false,
    Limit: 1,
  }))
    for (const { sk } of items) return String(sk);
  return undefined;
}

/** Yields the items after a sort key, up to another one, oldest first. */
async function* itemsAfter(pk: string, after: string, until: string): AsyncGenerator<Item[]> {
  if (after >= until) return;
  yield* queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :until',
    // `after` itself is left out below.
    ExpressionAttributeValues: { ':pk': pk, ':after': after, ':until': until },
    Limit: itemsPerQuery,
  });
}

/** Returns a batch with what can be read. Undefined: all items were read before. */
function batchOf<T>(
  items: readonly Item[],
  after: string | undefined,
  parse: (item: Item) => T,
  toRows: (parsed: T, item: Item) => readonly object[],
): RowBatch | undefined {
  const unread = items.filter(({ sk }) => after === undefined || String(sk) > after);
  const last = unread.at(-1);
  if (!last) return undefined;
  let leftOut = 0;
  const rows = unread.flatMap((item) => {
    const parsed = parseOrError(item, parse);
    if (!(parsed instanceof MalformedItemError)) return toRows(parsed, item);
    leftOut += 1;
    noteLeftOut([parsed]);
    return [];
  });
  return { cursor: String(last.sk), rows, leftOut };
}

/** A row for each line of an entry. */
export const journalSource: RowSource = {
  lastOf: async ({ owner }) => (await newestIn(tableKeys.journalEntry(owner, 0).pk)) ?? '',
  async *read(scope, after, until) {
    const { pk, sk } = tableKeys.journalEntry(scope.owner, 0);
    for await (const items of itemsAfter(pk, after ?? sk, until)) {
      const batch = batchOf(items, after, toJournalEntry, (entry, item) => {
        const { lines, ...shown } = showEntry(positionOf(item), entry);
        const rows = lines.map((line) => ({ ...shown, ...line }));
        return isInRange(scope, entry.at) ? rows.filter((row) => matchesExportFilters(scope, row)) : [];
      });
      if (batch) yield batch;
    }
  },
};

/** Documents in the order of their issue. */
export const documentsSource: RowSource = {
  lastOf: async ({ owner }) => (await newestIn(tableKeys.document(owner, '').pk)) ?? '',
  async *read(scope, after, until) {
    for await (const page of readAllDocuments(scope.owner, after ?? '')) {
      const inSet = page.filter(([id]) => id <= until);
      for (let start = 0; start < inSet.length; start += documentsPerBatch) {
        const some = inSet.slice(start, start + documentsPerBatch);
        const documents = leaveOutMalformed(some.map(([, document]) => document));
        yield {
          cursor: some.at(-1)?.[0] ?? until,
          rows: documents.filter((each) => isSelected(scope, each)).map(summarizeDocument),
          leftOut: some.length - documents.length,
        };
      }
    }
  },
};

function isSelected(scope: RowScope, { issuedAt, invoiceId, content }: StoredDocument): boolean {
  return isInRange(scope, issuedAt) && matchesExportFilters(scope, { invoiceId, currency: content.currency });
}

/** The audit log is kept for 400 days. Its ids begin with the time, so the last one of an instant ends the set. */
export const auditSource: RowSource = {
  lastOf: async (_, { real }) => String(real),
  async *read(scope, after, until) {
    const last = Number(until);
    const months = monthsFrom(last, Math.max(scope.from, last - auditRetentionMs)).reverse();
    for (const month of months) {
      for await (const items of readStoredEntries(scope.owner, month, after ?? '')) {
        const batch = batchOf(items, after, toAuditEntry, (entry) => {
          const shown = showAuditEntry(entry);
          const at: Instant = Date.parse(shown.timestamp);
          return isInRange(scope, at) && at <= last ? [shown] : [];
        });
        if (batch) yield batch;
      }
    }
  },
};
