/**
 * What must hold in the table of invoices once the background has run: records, index pages, events, timers,
 * idempotency records and outbox tell one story. Pure: it judges the items that it is given.
 */
import { createHash } from 'node:crypto';
import type { TestItem } from './table.ts';

export interface ShownInvoice {
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

/** A state that an invoice has had, and the event that announced it. */
export interface Version {
  readonly type: string;
  readonly invoice: ShownInvoice;
}

/** All states of one invoice, in order. */
export interface Chain {
  readonly id: string;
  readonly seq: number;
  readonly versions: readonly Version[];
}

/** `account#mode`. */
type OwnerName = string;

const belongsTo = (owner: OwnerName) => (item: TestItem) =>
  `${item.account}#${item.mode}` === owner ||
  String(item.pk).includes(owner) ||
  String(item.sk).includes(owner);

const isInvoice = ({ pk, sk }: TestItem) => sk === 'RECORD' && String(pk).startsWith('inv_');

/** The states of the owner's invoices, as its events tell them, and what is wrong with records and events. */
export function readChains(
  all: readonly TestItem[],
  owner: OwnerName,
): { chains: Chain[]; faults: string[] } {
  const items = all.filter(belongsTo(owner));
  const faults: string[] = [];
  const events = items.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  events.forEach(({ sk }, index) => {
    if (Number(sk) !== index + 1) faults.push(`event position ${Number(sk)} stands in place ${index + 1}`);
  });
  const cursor = items.find(({ pk }) => pk === `EVENTCURSOR#${owner}`)?.position ?? 0;
  if (cursor !== events.length) faults.push(`the cursor is ${cursor}, there are ${events.length} events`);
  for (const { id, sk } of events) {
    const pointer = items.find(({ pk }) => pk === `EVENT#${id}`);
    if (pointer?.position !== Number(sk)) faults.push(`event ${id}: its pointer shows ${pointer?.position}`);
  }
  const bodies = events.map(({ body }) => JSON.parse(body));
  const chains = items.filter(isInvoice).map((record) => {
    const own = bodies.filter(({ data }) => data.id === record.pk);
    own.sort((a, b) => a.objectVersion - b.objectVersion);
    const versions = own.map(({ type, data }): Version => ({ type, invoice: data }));
    const numbers = own.map(({ objectVersion }) => objectVersion).join();
    const expected = Array.from({ length: record.objectVersion }, (_, index) => index + 1).join();
    if (numbers !== expected)
      faults.push(`${record.pk}: versions ${expected}, events of ${numbers || 'none'}`);
    faults.push(...recordFaults(record, versions.at(-1)));
    return { id: record.pk, seq: record.seq, versions };
  });
  const known = new Set(chains.map(({ id }) => id));
  const ofInvoices = bodies.filter(({ data }) => data.id.startsWith('inv_'));
  for (const { data } of ofInvoices)
    if (!known.has(data.id)) faults.push(`an event of ${data.id}, no record`);
  return { chains, faults };
}

function recordFaults(record: TestItem, last: Version | undefined): string[] {
  if (!last) return [];
  const shown = { ...last.invoice } as Record<string, unknown>;
  return Object.keys(shown).flatMap((name) => {
    if (name === 'id' || name === 'paymentUrl') return [];
    const value = name.endsWith('edAt') ? new Date(record[name]).toISOString() : record[name];
    return value === shown[name]
      ? []
      : [`${record.pk}: ${name} is ${value}, its last event says ${shown[name]}`];
  });
}

const pageSize = 256;
const sets: Readonly<Record<string, string>> = {
  'invoice.created': 'c',
  'invoice.overdue': 'o',
  'invoice.paid': 'p',
  'invoice.cancelled': 'x',
};

/** Everything that follows from the chains: index pages, timers, an empty outbox. */
export function auditFollowUps(
  all: readonly TestItem[],
  owner: OwnerName,
  chains: readonly Chain[],
  now: number,
): string[] {
  const items = all.filter(belongsTo(owner));
  const faults = items.flatMap(({ pk, sk }) =>
    String(pk).startsWith('OUTBOX#') ? [`outbox item ${sk} is left`] : [],
  );
  const records = new Map(items.filter(isInvoice).map((item) => [item.pk, item]));
  const expected = new Set<string>();
  for (const { id, seq, versions } of chains) {
    for (const { type } of versions) {
      const set = sets[type];
      if (!set) continue;
      for (const dimension of ['', ...(records.get(id)?.dimensions ?? [])]) {
        expected.add(`INDEX#${owner}#invoice${dimension} ${set} ${seq}`);
      }
    }
    faults.push(...timerFaults(all, records.get(id) ?? {}, now));
  }
  const pages = items.filter(({ pk }) => `${pk}#`.startsWith(`INDEX#${owner}#invoice#`));
  const actual = new Set(pages.flatMap(elementsOf));
  for (const element of expected) if (!actual.has(element)) faults.push(`the index lacks ${element}`);
  for (const element of actual) if (!expected.has(element)) faults.push(`the index has ${element} wrongly`);
  return faults;
}

/** A pending invoice has its timer; one that is due is pending no more. */
function timerFaults(all: readonly TestItem[], { pk, status, overdueAt }: TestItem, now: number): string[] {
  if (status !== 'pending') return [];
  if (overdueAt <= now) return [`${pk} is pending, overdue since ${(now - overdueAt) / 1000} s`];
  const timers = all.filter((item) => String(item.pk).startsWith('TIMER#') && item.reference === pk);
  return timers.some(({ due }) => due === overdueAt) ? [] : [`${pk} has no timer for its due date`];
}

/** The members of an index page's sets: list, set and number. */
export function elementsOf(item: TestItem): string[] {
  const page = Number(String(item.sk).slice('PAGE#'.length));
  return ['c', 'o', 'p', 'x', 'f'].flatMap((set) =>
    [...((item[set] ?? []) as Iterable<Uint8Array>)].map(
      ([low]) => `${item.pk} ${set} ${page * pageSize + (low ?? 0)}`,
    ),
  );
}

/** The idempotency record of a key, if there is one. */
export function idempotencyOf(
  all: readonly TestItem[],
  owner: OwnerName,
  key: string,
): { status: number; body: string } | undefined {
  const hash = createHash('sha256').update(key).digest('base64url');
  const found = all.find(({ pk }) => pk === `IDEMPOTENCY#${owner}#${hash}`);
  return found && { status: found.status, body: found.body };
}
