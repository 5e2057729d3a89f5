/**
 * Models an invoice as a state machine and finds the cause of each of its versions.
 *
 * - Each version must follow from the version before it by one allowed transition.
 * - Each version must have a cause: one operation, a payment, or the clock.
 * - Each operation made one version at most.
 */
import type { InvoiceSnapshot, InvoiceVersion, VersionedInvoice } from './audit-table.ts';
import type { History } from './history.ts';
import type { Cause } from './linearization.ts';
import { describeOperation, type Operation } from './operations.ts';

const updatableFields = ['amount', 'description', 'dueDate'] as const;

/** Returns the invoice with the fields of an update's body; `updatedAt` stays as it is. */
function applyUpdate(invoice: InvoiceSnapshot, body: Readonly<Record<string, unknown>>): InvoiceSnapshot {
  const fields = updatableFields.filter((name) => body[name] !== undefined);
  return { ...invoice, ...Object.fromEntries(fields.map((name) => [name, body[name]])) };
}

/** Whether both show the same invoice, apart from `updatedAt`. */
const isSame = (a: InvoiceSnapshot | undefined, b: InvoiceSnapshot | undefined) =>
  JSON.stringify({ ...a, updatedAt: '' }) === JSON.stringify({ ...b, updatedAt: '' });

/** The allowed transitions, by the event that announces them. */
const transitions: Readonly<Record<string, { from: readonly string[]; to: string }>> = {
  'invoice.updated': { from: ['pending'], to: 'pending' },
  'invoice.overdue': { from: ['pending'], to: 'overdue' },
  'invoice.paid': { from: ['pending', 'overdue'], to: 'paid' },
  'invoice.cancelled': { from: ['pending', 'overdue'], to: 'cancelled' },
};

const constantFields = ['id', 'customerId', 'currency', 'paymentUrl', 'createdAt'] as const;

/** Returns a violation for each version that does not follow from the version before it. */
export function transitionViolations({ id, versions }: VersionedInvoice): string[] {
  return versions.flatMap(({ eventType, invoice }, index) => {
    const violation = (text: string) => [`${id}, version ${index + 1} (${eventType}) ${text}`];
    const previous = versions[index - 1]?.invoice;
    if (!previous) {
      if (eventType !== 'invoice.created' || invoice.status !== 'pending')
        return violation('is the first version, but not a creation');
      return invoice.createdAt === invoice.updatedAt ? [] : violation('has updatedAt other than createdAt');
    }
    if (invoice.updatedAt <= previous.updatedAt)
      return violation('has no later updatedAt than the version before');
    const transition = transitions[eventType];
    if (!transition?.from.includes(previous.status)) return violation(`follows status ${previous.status}`);
    const expected = transition.to === previous.status ? invoice : { ...previous, status: transition.to };
    if (!isSame(invoice, expected) || invoice.status !== transition.to)
      return violation('changed a field that must not change');
    return constantFields.flatMap((name) =>
      invoice[name] === previous[name] ? [] : violation(`changed ${name}`),
    );
  });
}

/** Finds the cause of each version of the invoice, and returns a violation for each version without one. */
export function assignInvoiceCauses(
  stored: VersionedInvoice,
  operations: readonly Operation[],
  history: History,
): { causes: Cause[]; violations: string[] } {
  const { id, versions } = stored;
  const violations: string[] = [];
  const candidates = versions.map((_, index) =>
    operations.filter((operation) => canHaveMade(operation, stored, index)),
  );
  const assigned = assignOperations(candidates);
  const causes = versions.map(({ eventType, invoice }, index): Cause => {
    if (eventType === 'invoice.overdue') return causeOfOverdue(versions[index - 1], history);
    // Its bounds are those of the payment's completion, which is in the same transaction.
    if (eventType === 'invoice.paid')
      return { earliestStart: 0, latestStart: 0, description: 'a payment started' };
    const operation = assigned[index];
    if (!operation) {
      violations.push(
        `${id}, version ${index + 1} (${eventType}, ${invoice.description}): no operation made it`,
      );
      return { earliestStart: 0, latestStart: 0, description: 'no operation started' };
    }
    const starts = (candidates[index] ?? []).map(({ start }) => start);
    return {
      earliestStart: Math.min(...starts),
      latestStart: Math.max(...starts),
      description: `${describeOperation(operation)} started`,
    };
  });
  const used = new Set(assigned);
  for (const operation of operations) {
    if (operation.outcome === 'succeeded' && !used.has(operation))
      violations.push(...unusedOperationViolations(operation, stored));
  }
  return { causes, violations };
}

/** A successful operation that made no version must be an update that changes nothing. */
function unusedOperationViolations(operation: Operation, { id, versions }: VersionedInvoice): string[] {
  const { first, responseText = '' } = operation;
  const shown = JSON.parse(responseText) as InvoiceSnapshot;
  if (first.kind === 'update' && isSame(applyUpdate(shown, first.body ?? {}), shown)) return [];
  const status = versions.at(-1)?.invoice.status;
  return [
    `${describeOperation(operation)} succeeded with ${responseText}, but had no effect of its own on ${id}, which is ${status}`,
  ];
}

/** Whether the operation makes an invoice. A replacement also cancels another one, in the same transaction. */
export const isCreation = ({ first }: Operation): boolean =>
  first.kind === 'create' || first.kind === 'replace';

/** Each version is later than the one before, also if the clock is not. */
const laterTime = (time: string, previous = ''): string =>
  time > previous ? time : new Date(Date.parse(previous) + 1).toISOString();

function canHaveMade(operation: Operation, { id, versions }: VersionedInvoice, index: number): boolean {
  const { first, outcome, responseText } = operation;
  const { eventType, invoice } = versions[index] as InvoiceVersion;
  if (outcome === 'refused') return false;
  const response =
    responseText === undefined ? undefined : (JSON.parse(responseText) as Record<string, unknown>);
  if (first.kind === 'cancel') {
    return eventType === 'invoice.cancelled' && (!response || response.deletedAt === invoice.updatedAt);
  }
  const previous = versions[index - 1]?.invoice;
  if (first.kind === 'replace' && first.invoice === id) {
    const time = response && laterTime(String(response.createdAt), previous?.updatedAt);
    return eventType === 'invoice.cancelled' && (!response || time === invoice.updatedAt);
  }
  if (response && response.updatedAt !== invoice.updatedAt) return false;
  if (isCreation(operation))
    return eventType === 'invoice.created' && isSame(applyUpdate(invoice, first.body ?? {}), invoice);
  return (
    eventType === 'invoice.updated' &&
    previous !== undefined &&
    isSame(applyUpdate(previous, first.body ?? {}), invoice)
  );
}

/**
 * Assigns an operation to each version by bipartite matching, so that as many versions as possible get an operation of
 * their own. Operations that ended earlier are preferred, so those with a successful response come first.
 *
 * @param candidates for each version the operations that can have made it
 * @returns the operation of each version, or undefined where none is left
 */
export function assignOperations(candidates: readonly (readonly Operation[])[]): (Operation | undefined)[] {
  const versionOf = new Map<Operation, number>();
  const assign = (version: number, tried: Set<Operation>): boolean => {
    const ordered = [...(candidates[version] ?? [])].sort(
      (a, b) => Number(b.end < a.end) - Number(a.end < b.end),
    );
    for (const operation of ordered) {
      if (tried.has(operation)) continue;
      tried.add(operation);
      const other = versionOf.get(operation);
      if (other !== undefined && !assign(other, tried)) continue;
      versionOf.set(operation, version);
      return true;
    }
    return false;
  };
  candidates.forEach((_, version) => {
    assign(version, new Set());
  });
  const assigned: (Operation | undefined)[] = candidates.map(() => undefined);
  for (const [operation, version] of versionOf) assigned[version] = operation;
  return assigned;
}

const dayMs = 24 * 60 * 60 * 1000;

/** An invoice becomes overdue at its due date. If that was past when the invoice was created, it gets one more day. */
function causeOfOverdue(previous: InvoiceVersion | undefined, history: History): Cause {
  const createdAt = Date.parse(previous?.invoice.createdAt ?? '');
  const dueAt = Date.parse(previous?.invoice.dueDate ?? '');
  return causedByClock(dueAt > createdAt ? dueAt : createdAt + dayMs, history);
}

/** Returns the cause of a version that the service makes by itself once the clock shows `instant`. */
export function causedByClock(instant: number, { clock }: History): Cause {
  const position = clock.find(({ now }) => now >= instant)?.position ?? Number.POSITIVE_INFINITY;
  return { earliestStart: position, latestStart: position, description: 'the clock reached its time' };
}

/**
 * Checks that each creation made one invoice if it succeeded, and none if it was refused. The random clients give each
 * invoice a description of its own, by which it is found.
 */
export function creationViolations(
  invoices: readonly VersionedInvoice[],
  operations: readonly Operation[],
): string[] {
  const byDescription = Map.groupBy(invoices, ({ versions }) => versions[0]?.invoice.description ?? '');
  return operations.flatMap((operation) => {
    const { first, outcome, responseText } = operation;
    if (!isCreation(operation)) return [];
    const name = describeOperation(operation);
    const created = byDescription.get(String(first.body?.description)) ?? [];
    if (created.length > 1) return [`${name} took effect ${created.length} times`];
    if (created.length > 0 && outcome === 'refused') return [`${name} was refused, but took effect`];
    if (outcome !== 'succeeded') return [];
    const [invoice] = created;
    if (!invoice) return [`${name} succeeded, but its effect is lost`];
    const [version] = invoice.versions;
    const text = JSON.stringify(version?.invoice);
    return responseText === text ? [] : [`${name} returned ${responseText}, but created ${text}`];
  });
}
