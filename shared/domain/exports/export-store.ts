/**
 * Reads, lists and creates exports in the table, and links to their files.
 *
 * - At most five exports of an account and mode run at the same time. Each has a place, an item that its creation puts if it does not
 *   exist, and that its end deletes. So the limit also holds for requests at the same moment.
 */
import { ApiError } from '../../base/errors.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { AccountTime, RealTime } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import { bucket, bucketKeys } from '../../store/bucket.ts';
import { Command, type Reservation, requireNew } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import { isPermitted } from '../auth/permissions.ts';
import { type CreateExport, type Export, kindRuleOf, type ShownExport, showExport } from './export.ts';
import { exportType } from './record.ts';
import { createExport } from './transitions.ts';

/** How many exports of an account and mode run at the same time. */
const maxRunning = 5;

/** How long the link to a file works. A client follows it at once. */
const linkSeconds = 900;

/** Reads one export. */
export function readExport(owner: Owner, id: string): Promise<LoadedRecord<Export>> {
  return readRecord(exportType, owner, id);
}

/** Returns the export of a loaded record. @throws ApiError `export_not_found` */
export function requireExport({ record }: Pick<LoadedRecord<Export>, 'record'>): Export {
  if (!record) throw new ApiError('export_not_found');
  return record;
}

/**
 * Makes sure that a key may read the rows of a kind.
 * @throws ApiError `insufficient_permissions`
 */
export function requireKind({ rights }: Pick<Principal, 'rights'>, kind: Export['kind']): void {
  const missing =
    rights &&
    kindRuleOf(kind).permissions.find((permission) => !isPermitted(rights.permissionBits, permission));
  if (missing === undefined) return;
  const message = `The API key does not have the ${missing} permission, which an export of ${kind} needs. Use a key that has it.`;
  throw new ApiError('insufficient_permissions', { message });
}

/** Reads which places are taken. One call, strongly consistent. */
export async function readTakenSlots(owner: Owner): Promise<ReadonlySet<string>> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.exportSlot(owner, 1).pk },
  });
  return new Set(items.map(({ sk }) => String(sk)));
}

/** What the creation of an export depends on. */
interface NewExportOptions {
  readonly taken: ReadonlySet<string>;
  readonly timeZone: string;
  readonly now: AccountTime;
}

/**
 * Creates the command that creates an export, with the sequence number that authorization allocated. The command throws the errors of
 * `createExport`, and `export_limit_reached`.
 * @param options `taken` is from `readTakenSlots`, and `timeZone` that of the account
 */
export function createExportCommand(
  { owner, idKeys, seq }: Principal,
  body: CreateExport,
  { taken, timeZone, now }: NewExportOptions,
): Command<[Export], ShownExport> {
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'export' }, seq);
  const free = Array.from({ length: maxRunning }, (_, index) => index + 1).filter(
    (place) => !taken.has(tableKeys.exportSlot(owner, place).sk),
  );
  return new Command<[Export], ShownExport>(
    [{ type: exportType, owner, id, record: undefined }],
    (existing) => {
      requireNew(existing);
      const [slot] = free;
      if (slot === undefined) throw new ApiError('export_limit_reached');
      const change = createExport({ ...owner, id, seq, slot }, body, timeZone, now);
      const reservation: Reservation = {
        item: { ...tableKeys.exportSlot(owner, slot), id },
        refuse: () => new TakenSlotError(),
      };
      return { changes: [change], answer: showExport(change.record), reserves: [reservation] };
    },
    {
      resolveRefusal: async (refusal) => refusal instanceof TakenSlotError && free.shift() !== undefined,
    },
  );
}

/** Another request has taken the place meanwhile. The next one can be free. */
class TakenSlotError extends ApiError {
  constructor() {
    super('export_limit_reached');
  }
}

/** Reads the index of the list of all exports. */
export const readExportIndex = (owner: Owner): Promise<IndexView> => readListIndex(owner, 'export', []);

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readExportIndex`
 */
export async function listExportPage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
) {
  const { rows, total, count } = await listRecords(exportType, principal, view, {
    status: undefined,
    ...query,
  });
  const { offset, limit } = query;
  return {
    data: rows.map((row) => showExport(row)),
    pagination: paginationOf({ offset, limit, total, count }),
  };
}

/** Returns an export with links to its files, if it is completed and its files have not expired. No call. */
export async function showWithLinks(record: Export, now: RealTime): Promise<ShownExport> {
  const { account, id, status, parts, keptUntil = 0 } = record;
  if (status !== 'completed' || now >= keptUntil) return showExport(record);
  const links = parts.map(({ name }, index) =>
    bucket.linkTo(bucketKeys.export(account, id, name), {
      seconds: linkSeconds,
      disposition: `attachment; filename="${fileNameOf(record, index)}"`,
    }),
  );
  return showExport(record, await Promise.all(links));
}

/** Returns the name with which a file is saved. @param index the position of the file */
export function fileNameOf({ kind, mode, from, to, format, parts }: Export, index: number): string {
  const number = parts.length > 1 ? `-${String(index + 1).padStart(3, '0')}` : '';
  return `${kind}-${mode}-${from}-${to}${number}.${kind === 'documents' ? 'zip' : format}`;
}
