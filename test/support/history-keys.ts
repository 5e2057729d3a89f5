/** Idempotency records against the history: one exists if and only if its operation took effect, and holds its answer. */
import { createHash } from 'node:crypto';
import type { History } from './history.ts';
import type { Told } from './history-check.ts';
import { nameOf, type Operation, operationsOf } from './history-operations.ts';
import type { TestItem } from './table.ts';

/** @param otherKeys with which something took effect that the history does not tell of */
export function keyAuditFaults(
  items: readonly TestItem[],
  owner: string,
  told: Told,
  { calls }: History,
  otherKeys: readonly string[] = [],
): string[] {
  const keyed = operationsOf(calls.filter((call) => call.owner === owner && call.key !== undefined));
  const prefix = `IDEMPOTENCY#${owner}#`;
  const own = new Map(items.filter(({ pk }) => pk.startsWith(prefix)).map((item) => [item.pk, item]));
  const byKey = Map.groupBy(keyed, ({ first }) => first.key ?? '');
  const made = namesOf(told);
  const found = new Set<string>();
  const recordOf = (key: string) => `${prefix}${createHash('sha256').update(key).digest('base64url')}`;
  const faults = [...byKey].flatMap(([key, operations]) => {
    const record = own.get(recordOf(key));
    if (record) found.add(key);
    const open =
      record && !record.final ? [`${key} has no answer yet, only the intent ${record.intent}`] : [];
    return [
      ...open,
      ...operations.flatMap((operation) => operationFaults(operation, operations, record, made)),
    ];
  });
  for (const key of otherKeys) {
    if (own.has(recordOf(key))) found.add(key);
    else faults.push(`${key} has no idempotency record`);
  }
  if (found.size !== own.size) faults.push(`${own.size} idempotency records, ${found.size} keys`);
  return faults;
}

function operationFaults(
  operation: Operation,
  sharing: readonly Operation[],
  record: TestItem | undefined,
  made: ReadonlySet<unknown>,
): string[] {
  const { outcome, text, first } = operation;
  const name = `${nameOf(operation)} (${first.key})`;
  if (outcome === 'done' && !record) return [`${name} took effect, and has no idempotency record`];
  if (outcome === 'done')
    return record?.body === text ? [] : [`${name} was answered ${text}, kept is ${record?.body}`];
  const mayHave = sharing.some((other) => other.outcome !== 'refused');
  if (record && !mayHave) return [`${name} was refused, and has an idempotency record`];
  const { description, reference, reason } = first.body ?? {};
  const isMade = first.kind !== 'update' && made.has(description ?? reference ?? reason);
  if (!record && isMade) return [`${name} took effect without an answer, and has no idempotency record`];
  return [];
}

/** The names that creations give to what they make, and nobody else does. */
function namesOf({ invoices, payments, refunds }: Told): ReadonlySet<unknown> {
  return new Set<unknown>([
    ...invoices.map(({ versions }) => versions[0]?.invoice.description),
    ...payments.flatMap(({ first }) => first.reference ?? []),
    ...refunds.map(({ first }) => first.reason),
  ]);
}
