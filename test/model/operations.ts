/**
 * Groups calls into operations and checks the responses to repeated calls.
 *
 * Calls with the same idempotency key and the same request are one operation, which takes effect at most once. A call
 * without a key is an operation of its own.
 */
import {
  callKinds,
  describeCall,
  errorCodeOf,
  hasUnknownOutcome,
  type RecordedCall,
  wasSuccessful,
} from './history.ts';

export interface Operation {
  readonly calls: readonly RecordedCall[];
  readonly first: RecordedCall;
  /** The position at which its first call started. */
  readonly start: number;
  /** The position at which the first successful response arrived. Infinity if none did. */
  readonly end: number;
  /** `succeeded`: a client received a success. `unknown`: it may have taken effect. `refused`: it had no effect. */
  readonly outcome: 'succeeded' | 'unknown' | 'refused';
  /** The body of the first successful response. */
  readonly responseText: string | undefined;
}

/** Error codes whose reason no later state removes. */
const permanentErrors = new Set(['invoice_not_pending', 'invoice_already_cancelled', 'invoice_already_paid']);
const isWrite = ({ kind }: RecordedCall) => callKinds[kind].action === 'write';

export function groupIntoOperations(calls: readonly RecordedCall[]): Operation[] {
  const groups = Map.groupBy(calls.filter(isWrite), (call) => {
    const { owner, key, kind, invoice, payment, body, label } = call;
    return JSON.stringify(key === undefined ? [label] : [owner, key, kind, invoice, payment, body]);
  });
  return [...groups.values()].map((group): Operation => {
    const successes = group.filter(wasSuccessful);
    const isPermanentlyRefused = group.some(
      (call) => call.key !== undefined && permanentErrors.has(errorCodeOf(call)),
    );
    const isUnknown = !isPermanentlyRefused && group.some(hasUnknownOutcome);
    return {
      calls: group,
      first: group[0] as RecordedCall,
      start: Math.min(...group.map(({ start }) => start)),
      end: Math.min(...successes.map(({ end }) => end)),
      outcome: successes.length > 0 ? 'succeeded' : isUnknown ? 'unknown' : 'refused',
      responseText: successes[0]?.response?.text,
    };
  });
}

/** Returns the violations in the responses to calls with an idempotency key. */
export function idempotencyKeyViolations(operations: readonly Operation[]): string[] {
  const keyed = operations.filter(({ first }) => first.key !== undefined);
  const violations = keyed.flatMap(repetitionViolations);
  for (const sharing of Map.groupBy(keyed, ({ first }) => `${first.owner} ${first.key}`).values()) {
    const succeeded = sharing.filter(({ outcome }) => outcome === 'succeeded');
    if (succeeded.length > 1) {
      const names = sharing.map(describeOperation).join(' and ');
      violations.push(`two different requests with one idempotency key took effect: ${names}`);
    }
    for (const operation of sharing) {
      const others = sharing.filter((other) => other !== operation && other.outcome !== 'refused');
      for (const call of operation.calls) {
        if (errorCodeOf(call) !== 'idempotency_key_reused') continue;
        if (!others.some(({ start }) => start < call.end)) {
          violations.push(
            `${call.label} failed with idempotency_key_reused, but no other request had used its key`,
          );
        }
      }
    }
  }
  return violations;
}

function repetitionViolations(operation: Operation): string[] {
  const successes = operation.calls.filter(wasSuccessful);
  if (successes.length === 0) return [];
  const name = describeOperation(operation);
  const violations: string[] = [];
  const bodies = new Set(successes.map(({ response }) => `${response?.status} ${response?.text}`));
  if (bodies.size > 1)
    violations.push(`${name}: replayed responses have different bytes: ${[...bodies].join(' / ')}`);
  const originals = successes.filter(({ response }) => !response?.replayed);
  if (originals.length > 1)
    violations.push(`${name}: ${originals.length} responses for one key are not marked as replays`);
  for (const call of operation.calls) {
    const code = errorCodeOf(call);
    const isLater = call.start > operation.end && code !== '';
    if (isLater || permanentErrors.has(code) || code === 'idempotency_key_reused') {
      violations.push(`${name} succeeded, but its repeated call ${call.label} was refused with ${code}`);
    }
  }
  return violations;
}

/** Names the operation in violation messages. */
export const describeOperation = ({ first }: Operation): string => describeCall(first);
