/** Lists schedules, and what came of the times of one. */
import type { Owner } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { Principal } from '../../store/account-state.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { queryPages } from '../../store/query-pages.ts';
import { type Item, readItems } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { fromOccurrenceItem, fromTemplateItem, scheduleType } from './record.ts';
import {
  type ListOccurrences,
  type Schedule,
  type ScheduleTemplate,
  showOccurrence,
  showSchedule,
} from './schedule.ts';

/** Reads the index of the list of schedules. */
export const readScheduleIndex = (owner: Owner): Promise<IndexView> => readListIndex(owner, 'schedule', []);

/**
 * Reads one page of the list as the API shows it, newest first, with the exact total.
 * @param view the index of the list, from `readScheduleIndex`
 */
export async function listSchedulePage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
) {
  const { data, pagination } = await readSchedulePage(principal, view, query);
  return { data: data.map(({ schedule, template }) => showSchedule(schedule, template)), pagination };
}

/** Reads the same page with what is stored. A schedule whose invoice cannot be read is left out. */
export async function readSchedulePage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
) {
  const { rows, total, count } = await listRecords(scheduleType, principal, view, {
    status: undefined,
    ...query,
  });
  const templates = await readTemplates(rows.map(({ id }) => id));
  const { offset, limit } = query;
  return {
    data: leaveOutMalformed(
      rows.map((row) => {
        const template = templates.get(row.id);
        return template instanceof MalformedItemError ? template : { schedule: row, template };
      }),
    ),
    pagination: paginationOf({ offset, limit, total, count }),
  };
}

/** Reads the invoices of up to 100 schedules, by schedule. */
export async function readTemplates(
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScheduleTemplate | MalformedItemError>> {
  const items = ids.length === 0 ? [] : await readItems(ids.map(tableKeys.scheduleTemplate));
  return new Map(items.map((item) => [String(item.pk), parseOrError(item, fromTemplateItem)]));
}

/** Keys have six digits. */
const lastNumber = 1_000_000;

/** Returns a page of what came of the times of a schedule, newest first. Items that cannot be read are left out. */
export async function listOccurrences(schedule: Schedule, { limit, before }: ListOccurrences) {
  const end = Math.min(Math.max(before ?? lastNumber, 1), lastNumber);
  const found: Item[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': schedule.id,
      ':first': tableKeys.occurrence(schedule.id, 0).sk,
      ':last': tableKeys.occurrence(schedule.id, end - 1).sk,
    },
    ScanIndexForward: false,
    Limit: limit + 1,
  })) {
    found.push(...items);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  // The key says the number, also of an item that cannot be read.
  const [last] = /\d+$/.exec(String(page.at(-1)?.sk ?? '')) ?? [];
  return {
    data: leaveOutMalformed(page.map((item) => parseOrError(item, fromOccurrenceItem))).map((each) =>
      showOccurrence(schedule, each),
    ),
    cursor: {
      hasMore: found.length > limit,
      next: last === undefined ? null : String(Number(last)),
    },
  };
}
