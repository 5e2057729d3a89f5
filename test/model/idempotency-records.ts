/**
 * Checks the idempotency records in the table against the history. A record exists if and only if its operation took
 * effect, and it holds the response of that operation.
 */
import { createHash } from 'node:crypto';
import { answerTextOf } from '../support/stored-bodies.ts';
import type { TestItem } from '../support/table.ts';
import type { StoredRecords } from './check.ts';
import type { History } from './history.ts';
import { describeOperation, groupIntoOperations, type Operation } from './operations.ts';

/** @param otherKeys idempotency keys of requests that took effect and are not in the history */
export function idempotencyRecordViolations(
  items: readonly TestItem[],
  owner: string,
  stored: StoredRecords,
  { calls }: History,
  otherKeys: readonly string[] = [],
): string[] {
  const keyed = groupIntoOperations(calls.filter((call) => call.owner === owner && call.key !== undefined));
  const prefix = `IDEMPOTENCY#${owner}#`;
  const records = new Map(items.filter(({ pk }) => pk.startsWith(prefix)).map((item) => [item.pk, item]));
  const byKey = Map.groupBy(keyed, ({ first }) => first.key ?? '');
  const createdNames = namesOfCreatedRecords(stored);
  const found = new Set<string>();
  const partitionKeyOf = (key: string) => `${prefix}${createHash('sha256').update(key).digest('base64url')}`;
  const violations = [...byKey].flatMap(([key, operations]) => {
    const record = records.get(partitionKeyOf(key));
    if (record) found.add(key);
    const pending =
      record && !record.final
        ? [
            `the idempotency record of ${key} has no response yet, only the pending operation ${record.pendingOperation}`,
          ]
        : [];
    return [
      ...pending,
      ...operations.flatMap((operation) => operationViolations(operation, operations, record, createdNames)),
    ];
  });
  for (const key of otherKeys) {
    if (records.has(partitionKeyOf(key))) found.add(key);
    else violations.push(`${key} has no idempotency record`);
  }
  if (found.size !== records.size)
    violations.push(`there are ${records.size} idempotency records, but only ${found.size} known keys`);
  return violations;
}

/** @param sharing all operations with the same idempotency key */
function operationViolations(
  operation: Operation,
  sharing: readonly Operation[],
  record: TestItem | undefined,
  createdNames: ReadonlySet<unknown>,
): string[] {
  const { outcome, responseText, first } = operation;
  const name = `${describeOperation(operation)} (${first.key})`;
  if (outcome === 'succeeded' && !record) return [`${name} took effect, but has no idempotency record`];
  if (outcome === 'succeeded')
    return record && answerTextOf(record) === responseText
      ? []
      : [
          `${name} returned ${responseText}, but its idempotency record holds ${record && answerTextOf(record)}`,
        ];
  const mayHaveRecord = sharing.some((other) => other.outcome !== 'refused');
  if (record && !mayHaveRecord) return [`${name} was refused, but has an idempotency record`];
  const { description, reference, reason } = first.body ?? {};
  const tookEffect = first.kind !== 'update' && createdNames.has(description ?? reference ?? reason);
  if (!record && tookEffect) return [`${name} took effect without a response, but has no idempotency record`];
  return [];
}

/** Returns the names that the random clients gave to the created records. Each creation has a name of its own. */
function namesOfCreatedRecords({ invoices, payments, refunds }: StoredRecords): ReadonlySet<unknown> {
  return new Set<unknown>([
    ...invoices.map(({ versions }) => versions[0]?.invoice.description),
    ...payments.flatMap(({ initial }) => initial.reference ?? []),
    ...refunds.map(({ initial }) => initial.reason),
  ]);
}
