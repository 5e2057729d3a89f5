/**
 * Exports everything that an account has stored, in both modes, as the API shows it.
 *
 * - Records are found by their sequence numbers, so an export is complete even if a list lacks a record.
 * - Each line has a cursor. An export that was interrupted continues after the cursor of its last line.
 * - An export is no snapshot: each record is as it was when its line was read.
 * - It contains no secrets, no card data and no payment URLs, which are addresses of the service. Only documents have theirs, because
 *   their hashes are those of all they say.
 * - Of a malformed record it contains the id and what is wrong, in a line of the type `malformed`.
 * - It contains no checkouts: their payments and invoices have all that merchants need of them.
 */

import { type Mode, modes, type Owner, type Resource, recordId } from '../../base/ids.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { readSeller } from '../../domain/accounts/seller-store.ts';
import { type Customer, showCustomer } from '../../domain/customers/customer.ts';
import { showDocument } from '../../domain/documents/document.ts';
import { readAllDocuments } from '../../domain/documents/document-store.ts';
import { readInvoiceNumbers } from '../../domain/documents/invoice-number-store.ts';
import { type Draft, showDraft } from '../../domain/drafts/draft.ts';
import { showEvent } from '../../domain/events/event.ts';
import { isEventExpired, logStart, readLog } from '../../domain/events/log-store.ts';
import { toWholePayment } from '../../domain/exports/rows.ts';
import { type Invoice, showWholeInvoice } from '../../domain/invoices/invoice.ts';
import { showMail } from '../../domain/mails/mail.ts';
import { readAllMails } from '../../domain/mails/mail-store.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { type Product, showProduct } from '../../domain/products/product.ts';
import { type Refund, showRefund } from '../../domain/refunds/refund.ts';
import { type Schedule, type ScheduleTemplate, showSchedule } from '../../domain/schedules/schedule.ts';
import { readTemplates } from '../../domain/schedules/schedule-list-store.ts';
import { type BankStatement, type StatementRow, showStatement } from '../../domain/statements/statement.ts';
import { readRowsOfStatements } from '../../domain/statements/statement-store.ts';
import { showIn } from '../../domain/versions/convert.ts';
import { newestApiVersion } from '../../domain/versions/versions.ts';
import { showDelivery } from '../../domain/webhooks/delivery.ts';
import { queryDeliveriesFrom } from '../../domain/webhooks/delivery-store.ts';
import { showWebhook } from '../../domain/webhooks/webhook.ts';
import { readAllWebhooks } from '../../domain/webhooks/webhook-store.ts';
import { type NumberedRecord, type NumberedType, readRecords } from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { recordTypes } from '../reconciliation/read-facts.ts';
import { readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';

/** The types of lines with a cursor, in the order of the export. */
const types = [
  'invoice',
  'payment',
  'refund',
  'webhook',
  'delivery',
  'event',
  'customer',
  'document',
  'product',
  'draft',
  'mail',
  'statement',
  'schedule',
] as const;
type ExportType = (typeof types)[number];

export interface ExportLine {
  /** `end` is the type of the last line of a complete export. */
  readonly type: 'account' | ExportType | 'malformed' | 'end';
  readonly mode?: Mode;
  /** Where the line is in the export: mode, type, and the position within the type. */
  readonly cursor?: string;
  readonly data?: object;
}

interface ExportPosition {
  readonly mode: Mode;
  readonly type: ExportType;
  readonly at: string;
}

/** Parses the cursor of a line. Returns undefined if it has another form. */
export function parseExportCursor(cursor: string): ExportPosition | undefined {
  const [, modeName, typeName, at] = /^(\w+)\/(\w+)\/(.+)$/.exec(cursor) ?? [];
  const mode = modes.find((known) => known === modeName);
  const type = types.find((known) => known === typeName);
  const pattern = type && positionPatterns[type];
  return mode && type && at && pattern?.test(at) ? { mode, type, at } : undefined;
}

const number = /^\d{1,15}$/;
const positionPatterns: Readonly<Record<ExportType, RegExp>> = {
  invoice: number,
  payment: number,
  refund: number,
  webhook: /^wh_[0-9a-z]+$/,
  delivery: /^wh_[0-9a-z]+\/dlv_[0-9a-z]+$/,
  event: number,
  customer: number,
  document: /^doc_[0-9a-z]+$/,
  product: number,
  draft: number,
  mail: /^mail_[0-9a-z]+$/,
  statement: number,
  schedule: number,
};

/**
 * Yields the lines of the export.
 * @param after the position of the last line of an interrupted export; undefined for a new export
 * @throws Error if the account does not exist
 */
export async function* exportAccount(
  accountId: string,
  after: ExportPosition | undefined,
  now: Instant,
): AsyncGenerator<ExportLine> {
  const account = await readAccount(accountId);
  if (!account) throw new Error(`There is no account ${accountId}.`);
  if (!after) {
    const { isClosing: _, isInMaintenance: __, createdAt, closedAt, ...settings } = account;
    const closed = closedAt === undefined ? null : toTimestamp(closedAt);
    const seller = (await readSeller(accountId)) ?? null;
    const times = { createdAt: toTimestamp(createdAt), closedAt: closed };
    yield { type: 'account', data: { ...settings, ...times, seller } };
  }
  for (const mode of modes) {
    for (const type of types) {
      const order = after ? compareParts({ mode, type }, after) : 1;
      if (order < 0) continue;
      const lines = linesOf({ account: accountId, mode }, type, order === 0 ? after?.at : undefined, now);
      for await (const [at, data] of lines) {
        const cursor = `${mode}/${type}/${at}`;
        if (data instanceof MalformedItemError)
          yield { type: 'malformed', mode, cursor, data: { type, id: data.item, problem: data.message } };
        else yield { type, mode, cursor, data };
      }
    }
  }
  yield { type: 'end' };
}

type Part = Pick<ExportPosition, 'mode' | 'type'>;

/** Returns the distance of two parts in the order of the export. */
function compareParts(one: Part, other: Part): number {
  const indexOf = ({ mode, type }: Part) => modes.indexOf(mode) * types.length + types.indexOf(type);
  return indexOf(one) - indexOf(other);
}

type Lines = AsyncGenerator<readonly [at: string, data: object | MalformedItemError]>;

function linesOf(owner: Owner, type: ExportType, after: string | undefined, now: Instant): Lines {
  switch (type) {
    case 'invoice':
      return recordLines<Invoice>(owner, type, after, showNumbered, readInvoiceNumbers);
    case 'payment':
      return recordLines<Payment>(owner, type, after, toWholePayment);
    case 'refund':
      return recordLines<Refund>(owner, type, after, showRefund);
    case 'customer':
      return recordLines<Customer>(owner, type, after, showIfActive);
    case 'product':
      return recordLines<Product>(owner, type, after, showProductIfActive);
    case 'draft':
      return recordLines<Draft>(owner, type, after, showIfOpen);
    case 'statement':
      return recordLines<BankStatement, readonly StatementRow[]>(
        owner,
        type,
        after,
        showWithRows,
        readRowsOfStatements,
      );
    case 'schedule':
      return recordLines<Schedule, ScheduleTemplate | MalformedItemError>(
        owner,
        type,
        after,
        showWithTemplate,
        (_, ids) => readTemplates(ids),
      );
    case 'webhook':
      return webhookLines(owner, after);
    case 'delivery':
      return deliveryLines(owner, after);
    case 'event':
      return eventLines(owner, after, now);
    case 'document':
      return documentLines(owner, after);
    case 'mail':
      return mailLines(owner, after);
  }
}

const batchSize = 100;

/** @param readBeside reads what is stored beside records, by their ids */
async function* recordLines<T extends NumberedRecord, Beside = string>(
  owner: Owner,
  resource: Resource,
  after: string | undefined,
  show: (record: T, beside: Beside | null) => object | undefined,
  readBeside: (owner: Owner, ids: readonly string[]) => Promise<ReadonlyMap<string, Beside>> = async () =>
    new Map(),
): Lines {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return;
  const type = recordTypes[resource] as unknown as NumberedType<T>;
  const last = numbers.allocated[resource];
  for (let first = Number(after ?? 0) + 1; first <= last; first += batchSize) {
    const seqs = Array.from({ length: Math.min(batchSize, last - first + 1) }, (_, index) => first + index);
    const ids = seqs.map((seq) => recordId(numbers.idKeys.of(seq), { ...owner, resource }, seq));
    const [{ records, malformed }, beside] = await Promise.all([
      readRecords(type, owner, ids),
      readBeside(owner, ids),
    ]);
    for (const [index, id] of ids.entries()) {
      const record = records.get(id);
      const data = malformed.get(id) ?? (record && show(record, beside.get(id) ?? null));
      if (data) yield [String(seqs[index]), data];
    }
  }
}

/** What came of a row is in its payments. */
const showWithRows = (statement: BankStatement, rows: readonly StatementRow[] | null) => ({
  ...showStatement(statement),
  rows: (rows ?? []).map(({ invoices: _, ...row }) => row),
});

/** What it has made is in the invoices and drafts. */
const showWithTemplate = (schedule: Schedule, template: ScheduleTemplate | MalformedItemError | null) =>
  template instanceof MalformedItemError ? template : showSchedule(schedule, template ?? undefined);

const showNumbered = (invoice: Invoice, number: string | null) => ({ ...showWholeInvoice(invoice), number });

/** A deleted customer has no data. */
const showIfActive = (customer: Customer) =>
  customer.status === 'active' ? showCustomer(customer) : undefined;

const showProductIfActive = (product: Product) =>
  product.status === 'active' ? showProduct(product) : undefined;

/** The invoice of a finalized draft has its data. */
const showIfOpen = (draft: Draft) => (draft.status === 'open' ? showDraft(draft) : undefined);

async function* webhookLines(owner: Owner, after = ''): Lines {
  const { webhooks, malformed } = await readAllWebhooks(owner);
  const lines = [
    ...webhooks.map((webhook) => [webhook.id, showWebhook(webhook)] as const),
    ...malformed.map((error) => [error.item, error] as const),
  ].sort(byId);
  for (const line of lines) if (line[0] > after) yield line;
}

/** The deliveries of the endpoints that exist. Those of a deleted endpoint have no owner any more, and expire. */
async function* deliveryLines(owner: Owner, after = '/'): Lines {
  const [afterWebhook = '', afterDelivery = ''] = after.split('/');
  const { webhooks, malformed } = await readAllWebhooks(owner);
  const ids = [...webhooks.map(({ id }) => id), ...malformed.map(({ item }) => item)].sort();
  for (const webhook of ids) {
    if (webhook < afterWebhook) continue;
    let from = webhook === afterWebhook ? afterDelivery : '';
    for (let more = true; more; ) {
      const page = await queryDeliveriesFrom(owner, webhook, { from: from || 'dlv_', limit: batchSize });
      const lines = [
        ...page.deliveries.map(
          (delivery) => [delivery.id, { webhookId: webhook, ...showDelivery(delivery) }] as const,
        ),
        ...page.malformed.map((error) => [error.item, error] as const),
      ].sort(byId);
      for (const [id, data] of lines) if (id !== from) yield [`${webhook}/${id}`, data];
      more = page.more;
      from = page.last ?? from;
    }
  }
}

async function* eventLines(owner: Owner, after: string | undefined, now: Instant): Lines {
  let from = { ...logStart, position: Number(after ?? 0) };
  for (let more = true; more; ) {
    const page = await readLog(owner, { order: 'oldest first', from }, batchSize, now);
    for (const event of page.events) {
      if (isEventExpired(event, now)) continue;
      if ('malformed' in event) yield [String(event.position), event.malformed];
      else yield [String(event.position), showIn(newestApiVersion, 'events', showEvent(event))];
    }
    more = page.more;
    from = page.events.at(-1) ?? from;
  }
}

async function* documentLines(owner: Owner, after = ''): Lines {
  for await (const documents of readAllDocuments(owner, after)) {
    for (const [id, document] of documents)
      yield [id, document instanceof MalformedItemError ? document : showDocument(document)];
  }
}

async function* mailLines(owner: Owner, after = ''): Lines {
  for await (const mails of readAllMails(owner, after)) {
    for (const [id, mail] of mails)
      yield [
        id,
        mail instanceof MalformedItemError ? mail : { ...showMail(mail), message: mail.message ?? null },
      ];
  }
}

const byId = ([one]: readonly [id: string, ...unknown[]], [other]: readonly [id: string, ...unknown[]]) =>
  one < other ? -1 : 1;
