/**
 * What clients meant: calls under one key with the same request are one operation, which takes effect once or not
 * at all. Checks what repetitions must have been answered.
 */
import { type Call, callKinds, callName, codeOf, isDone, isOpen } from './history.ts';

export interface Operation {
  readonly calls: readonly Call[];
  readonly first: Call;
  readonly begin: number;
  /** When it was first answered with success; Infinity if it never was. */
  readonly end: number;
  /** `done`: a success was answered. `open`: it may have taken effect. `refused`: it cannot have. */
  readonly outcome: 'done' | 'open' | 'refused';
  /** The success. */
  readonly text: string | undefined;
}

/** Refusals that no later state takes back. */
const finalErrors = new Set(['invoice_not_pending', 'invoice_already_cancelled', 'invoice_already_paid']);
const isWrite = ({ kind }: Call) => callKinds[kind].does === 'write';

export function operationsOf(calls: readonly Call[]): Operation[] {
  const groups = Map.groupBy(calls.filter(isWrite), (call) => {
    const { owner, key, kind, invoice, payment, body, label } = call;
    return JSON.stringify(key === undefined ? [label] : [owner, key, kind, invoice, payment, body]);
  });
  return [...groups.values()].map((group): Operation => {
    const done = group.filter(isDone);
    const refusedForGood = group.some((call) => call.key !== undefined && finalErrors.has(codeOf(call)));
    const open = !refusedForGood && group.some(isOpen);
    return {
      calls: group,
      first: group[0] as Call,
      begin: Math.min(...group.map(({ begin }) => begin)),
      end: Math.min(...done.map(({ end }) => end)),
      outcome: done.length > 0 ? 'done' : open ? 'open' : 'refused',
      text: done[0]?.answer?.text,
    };
  });
}

/** What is wrong with the answers under each key. */
export function keyFaults(operations: readonly Operation[]): string[] {
  const keyed = operations.filter(({ first }) => first.key !== undefined);
  const faults = keyed.flatMap(repetitionFaults);
  for (const sharing of Map.groupBy(keyed, ({ first }) => `${first.owner} ${first.key}`).values()) {
    const effective = sharing.filter(({ outcome }) => outcome === 'done');
    if (effective.length > 1) {
      faults.push(`two requests under one key took effect: ${sharing.map(nameOf).join(' and ')}`);
    }
    for (const one of sharing) {
      const others = sharing.filter((other) => other !== one && other.outcome !== 'refused');
      for (const call of one.calls) {
        if (codeOf(call) !== 'idempotency_key_reused') continue;
        if (!others.some(({ begin }) => begin < call.end)) {
          faults.push(`${call.label}: its key is said to be used, and no other request has used it`);
        }
      }
    }
  }
  return faults;
}

function repetitionFaults(operation: Operation): string[] {
  const done = operation.calls.filter(isDone);
  if (done.length === 0) return [];
  const name = nameOf(operation);
  const faults: string[] = [];
  const answers = new Set(done.map(({ answer }) => `${answer?.status} ${answer?.text}`));
  if (answers.size > 1) faults.push(`${name}: replays with other bytes: ${[...answers].join(' / ')}`);
  const firsthand = done.filter(({ answer }) => !answer?.replayed);
  if (firsthand.length > 1) faults.push(`${name}: ${firsthand.length} answers under one key are no replays`);
  for (const call of operation.calls) {
    const code = codeOf(call);
    const isLater = call.begin > operation.end && code !== '';
    if (isLater || finalErrors.has(code) || code === 'idempotency_key_reused') {
      faults.push(`${name}: took effect under its key, and ${call.label} was refused: ${code}`);
    }
  }
  return faults;
}

export const nameOf = ({ first }: Operation): string => callName(first);
