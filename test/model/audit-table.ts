/**
 * Checks the items of an owner's invoices once the background work is done: records, index pages, events, timers,
 * idempotency records and outbox must agree. Pure: it looks only at the items that it is given.
 */
import { createHash } from 'node:crypto';
import type { Resource } from '../../shared/base/ids.ts';
import { volumeNumberOf, volumeSize } from '../../shared/store/keys.ts';
import { indexStates } from '../../shared/store/lists/index-states.ts';
import { unpackCodes } from '../../shared/store/lists/volumes/volume.ts';
import { eventTextOf } from '../support/stored-bodies.ts';
import type { TestItem } from '../support/table.ts';

/** An invoice as the API showed it at one moment. */
export interface InvoiceSnapshot {
  readonly id: string;
  readonly customerId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly description: string;
  readonly dueDate: string;
  readonly paymentUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A version of an invoice, and the event that announced it. */
export interface InvoiceVersion {
  readonly eventType: string;
  readonly invoice: InvoiceSnapshot;
}

/** An invoice with all its versions, oldest first. */
export interface VersionedInvoice {
  readonly id: string;
  /** The sequence number by which lists are ordered. */
  readonly seq: number;
  readonly versions: readonly InvoiceVersion[];
}

/** `account#mode`. */
type OwnerName = string;

const belongsTo = (owner: OwnerName) => (item: TestItem) =>
  `${item.account}#${item.mode}` === owner ||
  String(item.pk).includes(owner) ||
  String(item.sk).includes(owner);

const isInvoice = ({ pk, sk }: TestItem) => sk === 'RECORD' && String(pk).startsWith('inv_');

/** Reads the versions of the owner's invoices from its events. Also returns where records and events disagree. */
export function readInvoiceVersions(
  all: readonly TestItem[],
  owner: OwnerName,
): { invoices: VersionedInvoice[]; violations: string[] } {
  const items = all.filter(belongsTo(owner));
  const events = items.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const violations = eventLogViolations(items, owner, events);
  const bodies = events.map((event) => JSON.parse(eventTextOf(event)));
  const invoices = items.filter(isInvoice).map((record) => {
    const own = bodies.filter(({ data }) => data.id === record.pk);
    own.sort((a, b) => a.objectVersion - b.objectVersion);
    const versions = own.map(({ type: eventType, data }): InvoiceVersion => ({ eventType, invoice: data }));
    const numbers = own.map(({ objectVersion }) => objectVersion).join();
    const expected = Array.from({ length: record.objectVersion }, (_, index) => index + 1).join();
    if (numbers !== expected)
      violations.push(`${record.pk} has the versions ${expected}, but events of ${numbers || 'none'}`);
    violations.push(...recordViolations(record, versions.at(-1)));
    return { id: record.pk, seq: record.seq, versions };
  });
  const known = new Set(invoices.map(({ id }) => id));
  const ofInvoices = bodies.filter(({ data }) => data.id.startsWith('inv_'));
  for (const { data } of ofInvoices)
    if (!known.has(data.id)) violations.push(`an event is about ${data.id}, which has no record`);
  return { invoices, violations };
}

/** Checks that the events have consecutive positions, and that cursor and pointers show them. */
function eventLogViolations(
  items: readonly TestItem[],
  owner: OwnerName,
  events: readonly TestItem[],
): string[] {
  const violations: string[] = [];
  events.forEach(({ sk }, index) => {
    if (Number(sk) !== index + 1) violations.push(`event number ${index + 1} has the position ${Number(sk)}`);
  });
  const cursor = items.find(({ pk }) => pk === `EVENTCURSOR#${owner}`)?.position ?? 0;
  if (cursor !== events.length)
    violations.push(`the cursor is ${cursor}, but there are ${events.length} events`);
  for (const { id, sk } of events) {
    const pointer = items.find(({ pk }) => pk === `EVENT#${id}`);
    if (pointer?.position !== Number(sk))
      violations.push(`event ${id} has the position ${Number(sk)}, but its pointer has ${pointer?.position}`);
  }
  return violations;
}

/** Checks that the record has the values that its last event announced. */
function recordViolations(record: TestItem, last: InvoiceVersion | undefined): string[] {
  if (!last) return [];
  const announced = { ...last.invoice } as Record<string, unknown>;
  return Object.keys(announced).flatMap((name) => {
    if (name === 'id' || name === 'paymentUrl') return [];
    const value = name.endsWith('edAt') ? new Date(record[name]).toISOString() : record[name];
    return value === announced[name]
      ? []
      : [`${record.pk}: ${name} is ${value}, but its last event has ${announced[name]}`];
  });
}

const pageSize = 256;
/** The sets of an index page, by the event type that adds an invoice to them. */
const sets: Readonly<Record<string, string>> = {
  'invoice.created': 'c',
  'invoice.overdue': 'o',
  'invoice.paid': 'p',
  'invoice.cancelled': 'x',
};

/** Checks what must follow from the versions of the invoices: index entries, timers, and an empty outbox. */
export function followUpViolations(
  all: readonly TestItem[],
  owner: OwnerName,
  invoices: readonly VersionedInvoice[],
  now: number,
): string[] {
  const items = all.filter(belongsTo(owner));
  const violations = items.flatMap(({ pk, sk }) =>
    String(pk).startsWith('OUTBOX#') ? [`the outbox item ${sk} is left`] : [],
  );
  const records = new Map(items.filter(isInvoice).map((item) => [item.pk, item]));
  const expected = new Set<string>();
  for (const { id, seq, versions } of invoices) {
    for (const { eventType } of versions) {
      const set = sets[eventType];
      if (!set) continue;
      for (const filterKey of ['', ...(records.get(id)?.filterKeys ?? [])]) {
        expected.add(`INDEX#${owner}#invoice${filterKey} ${set} ${seq}`);
      }
    }
    violations.push(...timerViolations(all, records.get(id) ?? {}, now));
  }
  const pages = items.filter(({ pk }) => `${pk}#`.startsWith(`INDEX#${owner}#invoice#`));
  return [...violations, ...indexViolations(pages, expected)];
}

/**
 * A page or volume that shows a later status of a record needs no earlier one.
 * @param expected the entries that the index pages must have, see `indexEntriesOf`
 */
export function indexViolations(pages: readonly TestItem[], expected: ReadonlySet<string>): string[] {
  const folded = pages.filter(({ sk }) => String(sk).startsWith('VOLUME#')).flatMap(foldedEntriesOf);
  const actual = new Set([...pages.flatMap(indexEntriesOf), ...folded]);
  const held = new Set([...actual].flatMap(earlierEntriesOf));
  const missing = [...expected].filter((entry) => !actual.has(entry) && !held.has(entry));
  const extra = [...actual].filter((entry) => !expected.has(entry));
  return [
    ...missing.map((entry) => `the index lacks the entry ${entry}`),
    ...extra.map((entry) => `the index has the wrong entry ${entry}`),
  ];
}

/** Timers of due dates that are further ahead are set by the daily reconciliation. */
const nearDueMs = 3 * 24 * 60 * 60 * 1000;

/** A pending invoice must not be past its due date, and must have a timer for a near one. */
function timerViolations(
  all: readonly TestItem[],
  { pk, status, overdueAt }: TestItem,
  now: number,
): string[] {
  if (status !== 'pending') return [];
  if (overdueAt <= now)
    return [`${pk} is pending, but should be overdue since ${(now - overdueAt) / 1000} s`];
  if (overdueAt - now > nearDueMs) return [];
  const timers = all.filter((item) => String(item.pk).startsWith('TIMER#') && item.reference === pk);
  return timers.some(({ due }) => due === overdueAt) ? [] : [`${pk} has no timer for its due date`];
}

/** Returns the entries of an index page as `<partition key> <set> <sequence number>`. */
function indexEntriesOf(item: TestItem): string[] {
  const page = Number(String(item.sk).slice('PAGE#'.length));
  return ['c', 'o', 'p', 'x', 'f'].flatMap((set) =>
    [...((item[set] ?? []) as Iterable<Uint8Array>)].map(
      ([low]) => `${item.pk} ${set} ${page * pageSize + (low ?? 0)}`,
    ),
  );
}

/** Returns the entries of a volume, as `indexEntriesOf`. */
function foldedEntriesOf({ pk, sk, sets: names, data }: TestItem): string[] {
  const first = volumeNumberOf(sk) * volumeSize;
  return [...unpackCodes(data)].flatMap((code, low) =>
    code === 0 ? [] : [`${pk} ${names[code - 1]} ${first + low}`],
  );
}

/** Returns the entries of the earlier statuses of a record in the same list. */
function earlierEntriesOf(entry: string): string[] {
  const [pk = '', set = '', seq] = entry.split(' ');
  const [, , , resource = ''] = pk.split('#');
  const order: readonly string[] = Object.values(indexStates[resource as Resource]);
  return order.slice(0, Math.max(0, order.indexOf(set))).map((earlier) => `${pk} ${earlier} ${seq}`);
}

/** Returns the idempotency record of a key, or undefined if it has none. */
export function findIdempotencyRecord(
  all: readonly TestItem[],
  owner: OwnerName,
  key: string,
): TestItem | undefined {
  const hash = createHash('sha256').update(key).digest('base64url');
  return all.find(({ pk }) => pk === `IDEMPOTENCY#${owner}#${hash}`);
}
