/**
 * Finds a record by its ID, for the kinds that nothing else leads to. Each kind has the read that finds it in two calls in sequence.
 *
 * - A record is shown as its own endpoint shows it, to the same readers. A deleted or expired record is not found.
 * - A malformed record is left out.
 */
import {
  dayOfStatementRow,
  idPatternOf,
  isRecordId,
  type Owner,
  recordId,
  timeOfAuditEntry,
} from '../../base/ids.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import type { IdKeys } from '../../store/account-state.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import {
  fromItem,
  fromItems,
  type RecordBase,
  type RecordType,
  readItems,
  readRecord,
} from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { readKeySummary } from '../accounts/key-names.ts';
import { isNoticeKind } from '../accounts/notice-settings.ts';
import { readAuditEntry } from '../audit/audit-store.ts';
import type { Permission } from '../auth/permissions.ts';
import { readDocument } from '../documents/document-store.ts';
import { draftType } from '../drafts/record.ts';
import { readEvent } from '../events/log-store.ts';
import { kindRuleOf } from '../exports/export.ts';
import { exportType } from '../exports/record.ts';
import { readMail } from '../mails/mail-store.ts';
import { readRowUse } from '../payments/row-use-store.ts';
import { productType } from '../products/record.ts';
import { scheduleType } from '../schedules/record.ts';
import { statusOf } from '../schedules/schedule.ts';
import { statementType } from '../statements/record.ts';
import { rowStatusOf } from '../statements/statement.ts';
import { readStatementWithRows } from '../statements/statement-store.ts';
import { isExpired } from '../webhooks/delivery.ts';
import { deliveryType, webhookType } from '../webhooks/record.ts';
import { readWebhooks } from '../webhooks/webhook-store.ts';
import { type IdType, idKinds, type SearchResult } from './search.ts';

/** Who searches an ID, and when. */
export interface IdSearch {
  readonly owner: Owner;
  readonly idKeys: IdKeys;
  readonly now: Instant;
  readonly mayRead: (permission: Permission) => boolean;
}

type Asked = IdSearch & {
  readonly id: string;
  /** The index of the statements, for the ID of a row. */
  readonly statements: IndexView | undefined;
};

/** What a result shows of a record. The rest is null. */
type Shown = {
  readonly [Field in Exclude<keyof SearchResult, 'createdAt'>]?: SearchResult[Field] | undefined;
} & { readonly createdAt: Instant };

const finders: Readonly<Record<IdType, (asked: Asked) => Promise<Shown | undefined>>> = {
  draft: (asked) =>
    findRecord(draftType, asked, ({ status, content, invoiceId, createdAt }) => {
      if (status === 'deleted') return undefined;
      const { buyer, customerId, amount, currency, reference } = content ?? {};
      return { status, name: buyer?.name, customerId, invoiceId, amount, currency, reference, createdAt };
    }),
  schedule: (asked) =>
    findRecord(scheduleType, asked, (schedule) => ({
      status: statusOf(schedule),
      createdAt: schedule.createdAt,
    })),
  document: async ({ owner, id }) => {
    const found = await readDocument(owner, id);
    if (!found) return undefined;
    const { invoiceId, number, issuedAt, content } = found;
    const { buyer, amount, currency } = content;
    const { name, customerId } = buyer;
    return { name, customerId, invoiceId, reference: number, amount, currency, createdAt: issuedAt };
  },
  mail: async ({ owner, id, mayRead }) => {
    const mail = await readMail(owner, id);
    if (!mail || (isNoticeKind(mail.kind) && !mayRead('account:read'))) return undefined;
    const { to, state, invoiceId, createdAt } = mail;
    return { name: to, status: state, invoiceId, createdAt };
  },
  product: (asked) =>
    findRecord(productType, asked, ({ status, isArchived, name, createdAt }) =>
      status === 'deleted' ? undefined : { status: isArchived ? 'archived' : status, name, createdAt },
    ),
  statement: (asked) =>
    findRecord(statementType, asked, ({ status, bank, currency, createdAt }) => ({
      status,
      name: bank,
      currency,
      createdAt,
    })),
  statement_row: findRow,
  export: (asked) =>
    findRecord(exportType, asked, ({ status, kind, createdAt }) =>
      kindRuleOf(kind).permissions.every(asked.mayRead) ? { status, name: kind, createdAt } : undefined,
    ),
  webhook: (asked) =>
    findRecord(webhookType, asked, ({ status, url, createdAt }) => ({ status, name: url, createdAt })),
  delivery: findDelivery,
  event: async ({ owner, id, now }) => {
    const event = await readEvent(owner, id, now);
    return event && { name: event.type, createdAt: Date.parse(JSON.parse(event.body).timestamp) };
  },
  audit_entry: async ({ owner, id, now }) => {
    const entry = await readAuditEntry(owner, id, now);
    return entry && { name: entry.action, status: entry.outcome, createdAt: timeOfAuditEntry(id) };
  },
  api_key: ({ owner, id, now }) => readKeySummary(owner, id, now),
};

/** Reads a record with the read of its own endpoint. */
async function findRecord<T extends RecordBase>(
  type: RecordType<T>,
  { owner, id }: Asked,
  show: (record: T) => Shown | undefined,
): Promise<Shown | undefined> {
  const { record } = await readRecord(type, owner, id);
  return record && show(record);
}

/** The id of a delivery does not say which endpoint has it. An account and mode has 20 endpoints at most. */
async function findDelivery({ owner, id, now }: Asked): Promise<Shown | undefined> {
  const webhooks = await readWebhooks(owner);
  const keys = webhooks.map((webhook) => tableKeys.delivery(webhook.id, id));
  const [item] = keys.length === 0 ? [] : await readItems(keys);
  const endpoint = webhooks.find((webhook) => tableKeys.delivery(webhook.id, id).pk === item?.pk);
  const delivery = endpoint && fromItem(deliveryType(endpoint.id), owner, item);
  if (!delivery || isExpired(delivery, now)) return undefined;
  const { eventType, status, createdAt } = delivery;
  return { name: eventType, status, parentId: endpoint.id, createdAt };
}

/** So many of the newest statements are examined for a row about which nobody has decided. */
const maxStatements = 100;
/** So many of them can have the day of the row. */
const maxOfDay = 5;

/** The statement of a row is known once somebody has decided about the row. Before, it is one of those that have its day. */
async function findRow({ owner, idKeys, id, statements }: Asked): Promise<Shown | undefined> {
  const { seqs = [] } = statements?.select(undefined, 0, maxStatements) ?? {};
  const ids = seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: 'statement' }, seq));
  const [{ record: use }, items] = await Promise.all([
    readRowUse(owner, id),
    ids.length === 0 ? [] : readItems(ids.map(tableKeys.record)),
  ]);
  const { records, malformed } = fromItems(statementType, owner, items);
  noteLeftOut(malformed.values());
  const day = new Date(dayOfStatementRow(id)).toISOString().slice(0, 10);
  const ofDay = [...records.values()].filter(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
  const candidates = use ? [use.statementId] : ofDay.slice(0, maxOfDay).map((statement) => statement.id);
  const found = await Promise.all(candidates.map((each) => readStatementWithRows(owner, each)));
  for (const { statement, rows } of found) {
    const row = rows.find((each) => each.id === id);
    if (!row) continue;
    const { name, reference, amount } = row;
    const { currency, createdAt } = statement;
    const status = rowStatusOf(use);
    return { name, reference, amount, currency, status, parentId: statement.id, createdAt };
  }
  return undefined;
}

const hasIdOf = (type: IdType, id: string): boolean =>
  type === 'api_key' ? idPatternOf('key').test(id) : isRecordId(idKinds[type].resource, id);

/**
 * Returns the record that has an ID, if the caller may read its kind.
 * @param statements the index of the statements, for the ID of a row
 */
export async function findById(
  search: IdSearch,
  id: string,
  statements: IndexView | undefined,
): Promise<SearchResult | undefined> {
  const type = (Object.keys(idKinds) as IdType[]).find((each) => hasIdOf(each, id));
  if (!type || !search.mayRead(idKinds[type].permission)) return undefined;
  try {
    const shown = await finders[type]({ ...search, id, statements });
    return shown && toFoundById(type, id, shown);
  } catch (error) {
    if (!(error instanceof MalformedItemError)) throw error;
    noteLeftOut([error]);
    return undefined;
  }
}

function toFoundById(type: IdType, id: string, shown: Shown): SearchResult {
  const { name, customerId, invoiceId, parentId, reference, amount, currency, status, createdAt } = shown;
  return {
    type,
    id,
    matchedBy: 'id',
    name: name ?? null,
    customerId: customerId ?? null,
    invoiceId: invoiceId ?? null,
    parentId: parentId ?? null,
    reference: reference ?? null,
    amount: amount ?? null,
    currency: currency ?? null,
    status: status ?? null,
    createdAt: toTimestamp(createdAt),
  };
}
