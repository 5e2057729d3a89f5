/** Idempotency records against the history: one exists if and only if its operation took effect, and holds its answer. */
import { type Chain, idempotencyOf } from './audit-table.ts';
import type { History } from './history.ts';
import { nameOf, type Operation, operationsOf } from './history-operations.ts';
import type { TestItem } from './table.ts';

export function keyAuditFaults(
  items: readonly TestItem[],
  owner: string,
  chains: readonly Chain[],
  { calls }: History,
): string[] {
  const keyed = operationsOf(calls.filter((call) => call.owner === owner && call.key !== undefined));
  const prefix = `IDEMPOTENCY#${owner}#`;
  const own = items.filter(({ pk }) => pk.startsWith(prefix));
  const byKey = Map.groupBy(keyed, ({ first }) => first.key ?? '');
  const found = new Set<string>();
  const faults = [...byKey].flatMap(([key, operations]) => {
    const record = idempotencyOf(own, owner, key);
    if (record) found.add(key);
    return operations.flatMap((operation) => operationFaults(operation, operations, record, chains));
  });
  if (found.size !== own.length) faults.push(`${own.length} idempotency records, ${found.size} keys`);
  return faults;
}

function operationFaults(
  operation: Operation,
  sharing: readonly Operation[],
  record: { status: number; body: string } | undefined,
  chains: readonly Chain[],
): string[] {
  const { outcome, text, first } = operation;
  const name = `${nameOf(operation)} (${first.key})`;
  if (outcome === 'done' && !record) return [`${name} took effect, and has no idempotency record`];
  if (outcome === 'done')
    return record?.body === text ? [] : [`${name} was answered ${text}, kept is ${record?.body}`];
  const mayHave = sharing.some((other) => other.outcome !== 'refused');
  if (record && !mayHave) return [`${name} was refused, and has an idempotency record`];
  if (!record && first.kind === 'create' && chains.some((chain) => isOf(chain, first.body?.description))) {
    return [`${name} took effect without an answer, and has no idempotency record`];
  }
  return [];
}

const isOf = ({ versions }: Chain, description: unknown) => versions[0]?.invoice.description === description;
