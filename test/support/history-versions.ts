/**
 * The sequential model of an invoice, and who made each of its states: every state must follow from the one before
 * by one operation (or by the clock), and every operation must have made one state at most.
 */
import type { Chain, ShownInvoice, Version } from './audit-table.ts';
import type { History } from './history.ts';
import { nameOf, type Operation } from './history-operations.ts';
import type { Making } from './history-order.ts';

const changeable = ['amount', 'description', 'dueDate'] as const;

/** The state that an update leads to, but for `updatedAt`. */
function updated(invoice: ShownInvoice, body: Readonly<Record<string, unknown>>): ShownInvoice {
  const fields = changeable.filter((name) => body[name] !== undefined);
  return { ...invoice, ...Object.fromEntries(fields.map((name) => [name, body[name]])) };
}

const isSame = (a: ShownInvoice | undefined, b: ShownInvoice | undefined) =>
  JSON.stringify({ ...a, updatedAt: '' }) === JSON.stringify({ ...b, updatedAt: '' });

/** What is wrong with the chain by itself. */
export function chainFaults({ id, versions }: Chain): string[] {
  return versions.flatMap(({ type, invoice }, index) => {
    const fault = (text: string) => [`${id}, version ${index + 1} (${type}): ${text}`];
    const before = versions[index - 1]?.invoice;
    if (!before) {
      if (type !== 'invoice.created' || invoice.status !== 'pending') return fault('is no beginning');
      return invoice.createdAt === invoice.updatedAt ? [] : fault('was updated when it was created');
    }
    if (invoice.updatedAt <= before.updatedAt) return fault('updatedAt is not later');
    const rule = rules[type];
    if (!rule?.from.includes(before.status)) return fault(`follows ${before.status}`);
    const expected = rule.to === before.status ? invoice : { ...before, status: rule.to };
    if (!isSame(invoice, expected) || invoice.status !== rule.to) return fault('changed what it must not');
    const fixed = ['id', 'customerId', 'currency', 'paymentUrl', 'createdAt'] as const;
    return fixed.flatMap((name) => (invoice[name] === before[name] ? [] : fault(`changed ${name}`)));
  });
}

const rules: Readonly<Record<string, { from: readonly string[]; to: string }>> = {
  'invoice.updated': { from: ['pending'], to: 'pending' },
  'invoice.overdue': { from: ['pending'], to: 'overdue' },
  'invoice.paid': { from: ['pending', 'overdue'], to: 'paid' },
  'invoice.cancelled': { from: ['pending', 'overdue'], to: 'cancelled' },
};

/** Who made each version of the chain, or that nobody did. */
export function makersOf(
  chain: Chain,
  operations: readonly Operation[],
  history: History,
): { makings: Making[]; faults: string[] } {
  const faults: string[] = [];
  const candidates = chain.versions.map((_, index) =>
    operations.filter((operation) => canHaveMade(operation, chain.versions, index)),
  );
  const matched = match(candidates);
  const makings = chain.versions.map(({ type, invoice }, index): Making => {
    if (type === 'invoice.overdue') return madeOverdue(chain.versions[index - 1], history);
    // The moment is that of its payment's completion.
    if (type === 'invoice.paid') return { after: 0, latest: 0, by: 'a payment' };
    const maker = matched[index];
    if (!maker) {
      faults.push(`${chain.id}, version ${index + 1} (${type}, ${invoice.description}): nobody made it`);
      return { after: 0, latest: 0, by: 'nobody' };
    }
    const begins = (candidates[index] ?? []).map(({ begin }) => begin);
    return { after: Math.min(...begins), latest: Math.max(...begins), by: nameOf(maker) };
  });
  const used = new Set(matched);
  for (const operation of operations) {
    if (operation.outcome === 'done' && !used.has(operation)) faults.push(...unusedFaults(operation, chain));
  }
  return { makings, faults };
}

/** An answered change that made no state must be an update with nothing new in it. */
function unusedFaults(operation: Operation, { id, versions }: Chain): string[] {
  const { first, text = '' } = operation;
  const shown = JSON.parse(text) as ShownInvoice;
  if (first.kind === 'update' && isSame(updated(shown, first.body ?? {}), shown)) return [];
  const last = versions.at(-1)?.invoice;
  return [
    `${nameOf(operation)} of ${id} was answered and has no effect of its own: ${text}, ${last?.status}`,
  ];
}

function canHaveMade(operation: Operation, versions: readonly Version[], index: number): boolean {
  const { first, outcome, text } = operation;
  const { type, invoice } = versions[index] as Version;
  if (outcome === 'refused') return false;
  const answer = text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  if (first.kind === 'cancel') {
    return type === 'invoice.cancelled' && (!answer || answer.deletedAt === invoice.updatedAt);
  }
  if (answer && answer.updatedAt !== invoice.updatedAt) return false;
  if (first.kind === 'create')
    return type === 'invoice.created' && isSame(updated(invoice, first.body ?? {}), invoice);
  const before = versions[index - 1]?.invoice;
  return (
    type === 'invoice.updated' && before !== undefined && isSame(updated(before, first.body ?? {}), invoice)
  );
}

/** A maker for each state, given who may have made it. Each gets an operation of its own, as far as that is possible; answered ones come first. */
export function match(candidates: readonly (readonly Operation[])[]): (Operation | undefined)[] {
  const versionOf = new Map<Operation, number>();
  const place = (version: number, tried: Set<Operation>): boolean => {
    const ordered = [...(candidates[version] ?? [])].sort(
      (a, b) => Number(b.end < a.end) - Number(a.end < b.end),
    );
    for (const operation of ordered) {
      if (tried.has(operation)) continue;
      tried.add(operation);
      const other = versionOf.get(operation);
      if (other !== undefined && !place(other, tried)) continue;
      versionOf.set(operation, version);
      return true;
    }
    return false;
  };
  candidates.forEach((_, version) => {
    place(version, new Set());
  });
  const matched: (Operation | undefined)[] = candidates.map(() => undefined);
  for (const [operation, version] of versionOf) matched[version] = operation;
  return matched;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Not before the clock has reached the due date; one that was past when it was set has a day's grace. */
function madeOverdue(before: Version | undefined, history: History): Making {
  const set = Date.parse(before?.invoice.createdAt ?? '');
  const due = Date.parse(before?.invoice.dueDate ?? '');
  return madeByClock(due > set ? due : set + dayMs, history);
}

/** What the service does by itself, once the clock shows `from`. */
export function madeByClock(from: number, { clock }: History): Making {
  const after = clock.find(({ now }) => now >= from)?.at ?? Number.POSITIVE_INFINITY;
  return { after, latest: after, by: 'the clock' };
}

/** Creations that took effect, and those that may have, by the description that is theirs alone. */
export function creationFaults(chains: readonly Chain[], operations: readonly Operation[]): string[] {
  const byDescription = Map.groupBy(chains, ({ versions }) => versions[0]?.invoice.description ?? '');
  return operations.flatMap((operation) => {
    const { first, outcome, text } = operation;
    if (first.kind !== 'create') return [];
    const made = byDescription.get(String(first.body?.description)) ?? [];
    if (made.length > 1) return [`${nameOf(operation)} took effect ${made.length} times`];
    if (made.length > 0 && outcome === 'refused') return [`${nameOf(operation)} was refused and took effect`];
    if (outcome !== 'done') return [];
    const [chain] = made;
    if (!chain) return [`${nameOf(operation)} was answered and is lost`];
    const [begun] = chain.versions;
    const shown = JSON.stringify(begun?.invoice);
    return text === shown ? [] : [`${nameOf(operation)} was answered ${text}, it made ${shown}`];
  });
}
