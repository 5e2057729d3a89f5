/**
 * Reads, lists and creates statements in the table.
 *
 * - One transaction stores a statement with all of its rows. It also puts an item that has the hash of the rows as its key, if there is
 *   none. So the same file twice is one statement, also if two people send it at the same time.
 * - What came of a row is stored by the row, and not by the statement (`row-use.ts`).
 */
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { AccountTime } from '../../base/time.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, type Reservation, requireNew } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { queryAll } from '../../store/query-pages.ts';
import { fromItem, type Item, type LoadedRecord, readItem, readRecord } from '../../store/records.ts';
import { defineItem, text } from '../../store/stored-fields.ts';
import { paymentReferenceId } from '../invoices/invoice-store.ts';
import { identifyRows } from './identify-rows.ts';
import { fromRowsItem, statementType, toRowsItems } from './record.ts';
import {
  type BankStatement,
  type NewStatement,
  type ShownStatement,
  type StatementRow,
  showStatement,
} from './statement.ts';
import { createStatement } from './transitions.ts';

/** Reads one statement, without its rows. */
export function readStatement(owner: Owner, id: string): Promise<LoadedRecord<BankStatement>> {
  return readRecord(statementType, owner, id);
}

/** Returns the statement of a loaded record. @throws ApiError `statement_not_found` */
export function requireStatement({ record }: Pick<LoadedRecord<BankStatement>, 'record'>): BankStatement {
  if (!record) throw new ApiError('statement_not_found');
  return record;
}

/** A statement with its rows, in the order in which they were sent. */
export interface StatementWithRows {
  readonly statement: BankStatement;
  readonly rows: readonly StatementRow[];
}

/**
 * Reads a statement with its rows. One call of up to 1 MB, strongly consistent.
 * @throws ApiError `statement_not_found`
 * @throws MalformedItemError
 */
export async function readStatementWithRows(owner: Owner, id: string): Promise<StatementWithRows> {
  const items = isRecordId('statement', id) ? await queryStatement(id) : [];
  const recordKey = tableKeys.record(id).sk;
  const record = fromItem(
    statementType,
    owner,
    items.find(({ sk }) => sk === recordKey),
  );
  const statement = requireStatement({ record });
  const parts = items.filter(({ sk }) => sk !== recordKey);
  if (parts.length !== statement.rowItems) throw new Error(`The rows of ${id} are missing.`);
  return { statement, rows: parts.flatMap(fromRowsItem) };
}

/** Reads the record of a statement and the items of its rows, in their order. */
const queryStatement = (id: string): Promise<Item[]> =>
  queryAll({ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': id } });

/** Reads the items of the rows of a statement, in their order. */
export const readRowItems = (id: string): Promise<Item[]> =>
  queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :rows)',
    ExpressionAttributeValues: { ':pk': id, ':rows': 'ROWS#' },
  });

const statementsAtOnce = 8;

/** Reads the rows of statements, by statement. @throws MalformedItemError */
export async function readRowsOfStatements(
  _: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly StatementRow[]>> {
  const limited = limitConcurrency(statementsAtOnce);
  const found = ids.map(async (id) => {
    const items = await limited(() => readRowItems(id));
    return [id, items.flatMap(fromRowsItem)] as const;
  });
  return new Map((await Promise.all(found)).filter(([, rows]) => rows.length > 0));
}

/** The rows of a new statement, and the item that says which statement has them. */
export interface IdentifiedRows {
  readonly hash: TableHash;
  /** Undefined: no statement has these rows. */
  readonly existing: BankStatement | undefined;
}

const parseContent = defineItem<{ readonly id: string }>(({ pk }) => String(pk), { id: text });

/** Returns the key of the item that says which statement has these rows, in any order. */
function contentKey(owner: Owner, hash: TableHash, rows: readonly Pick<StatementRow, 'id'>[]) {
  const ids = rows.map(({ id }) => id).sort();
  return tableKeys.statementContent(owner, hash('statement', ids.join()));
}

/** Reads the statement that has the rows of a body. Two calls in sequence at most, one if there is none. */
export async function findSameStatement(owner: Owner, body: NewStatement): Promise<IdentifiedRows> {
  const hash = await tableHasher();
  const key = contentKey(
    owner,
    hash,
    identifyRows(hash, body, () => undefined),
  );
  return { hash, existing: await readByContent(owner, key) };
}

async function readByContent(owner: Owner, key: ReturnType<typeof contentKey>) {
  const item = await readItem(key);
  return item && (await readStatement(owner, parseContent(item).id)).record;
}

/**
 * Creates the command that creates a statement, with the sequence number that authorization allocated. If another request has created a
 * statement with the same rows meanwhile, it answers with that one and changes nothing. The command throws the errors of
 * `createStatement`.
 */
export function createStatementCommand(
  { owner, idKeys, seq }: Principal,
  body: NewStatement,
  hash: TableHash,
  now: AccountTime,
): Command<[BankStatement], ShownStatement> {
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'statement' }, seq);
  const rows = identifyRows(hash, body, (reference) => paymentReferenceId({ owner, idKeys }, reference));
  const key = contentKey(owner, hash, rows);
  const items = toRowsItems(owner, id, rows);
  const reservation: Reservation = { item: { ...key, id }, refuse: () => new SameStatementError() };
  let same: BankStatement | undefined;
  return new Command<[BankStatement], ShownStatement>(
    [{ type: statementType, owner, id, record: undefined }],
    (existing) => {
      if (same) return { changes: [undefined], answer: showStatement(same) };
      requireNew(existing);
      const change = createStatement({ ...owner, id, seq, rowItems: items.length }, body, rows, now);
      return {
        changes: [change],
        answer: showStatement(change.record),
        puts: items,
        reserves: [reservation],
      };
    },
    {
      resolveRefusal: async (refusal) => {
        if (!(refusal instanceof SameStatementError)) return false;
        same = await readByContent(owner, key);
        return same !== undefined;
      },
    },
  );
}

/** Another request has created the statement. Nobody sees this error. */
class SameStatementError extends ApiError {
  constructor() {
    super('statement_not_found');
  }
}

/** Reads the index of the list of all statements. */
export const readStatementIndex = (owner: Owner): Promise<IndexView> => readListIndex(owner, 'statement', []);

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readStatementIndex`
 */
export async function listStatementPage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
) {
  const { rows, total, count } = await listRecords(statementType, principal, view, {
    status: undefined,
    ...query,
  });
  const { offset, limit } = query;
  return { data: rows.map(showStatement), pagination: paginationOf({ offset, limit, total, count }) };
}
