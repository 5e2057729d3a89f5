/** Tests each step of a commit: what follows from each outcome in each state. */
import { expect, test } from '@jest/globals';
import { ApiError } from '../../../shared/base/errors.ts';
import {
  type CommitOutcome,
  type CommitState,
  initialState,
  maxConflicts,
  nextStep,
} from '../../../shared/store/commit/commit-steps.ts';
import type { IdempotencyRecord } from '../../../shared/store/commit/idempotency-records.ts';

const error = new ApiError('invoice_already_paid');
const idempotency: IdempotencyRecord = {
  final: false,
  fingerprint: 'f',
  pendingOperation: 'pay_1',
};
const before = [{ id: 'inv_1', version: 1 }] as never;
const after = [{ id: 'inv_1', version: 2 }] as never;
const keyless = initialState(before, false, false);
const keyed = initialState(before, true, false);
const conflicts = (state: CommitState, count: number) => ({ ...state, conflicts: count });

test.each<[string, CommitState, CommitOutcome, object, Partial<CommitState>]>([
  ['a written decision is the answer', keyed, { kind: 'written' }, { do: 'answer' }, {}],
  ['without a key, a refusal is final', keyless, { kind: 'not decided', error }, { do: 'throw', error }, {}],
  [
    'under a key, a refusal needs a snapshot',
    keyed,
    { kind: 'not decided', error },
    { do: 'read snapshot' },
    {},
  ],
  [
    'a refusal of a request that names no record is final',
    initialState(before, true, true),
    { kind: 'not decided', error },
    { do: 'throw', error },
    {},
  ],
  [
    'a snapshot with an answer is replayed',
    keyed,
    { kind: 'snapshot', records: after, idempotency },
    { do: 'replay', idempotency },
    { records: after, mayRefuse: true },
  ],
  [
    'a snapshot without an answer is decided on, and may refuse',
    keyed,
    { kind: 'snapshot', records: after },
    { do: 'decide' },
    { records: after, mayRefuse: true },
  ],
  [
    'a refusal on a snapshot is final',
    { ...keyed, mayRefuse: true },
    { kind: 'not decided', error },
    { do: 'throw', error },
    {},
  ],
  [
    'a key that is taken is replayed',
    keyed,
    { kind: 'key taken', idempotency },
    { do: 'replay', idempotency },
    {},
  ],
  [
    'an item that exists refuses without a key',
    keyless,
    { kind: 'refused', error },
    { do: 'throw', error },
    {},
  ],
  [
    'an item that exists may be that of the first attempt',
    keyed,
    { kind: 'refused', error },
    { do: 'read key', error },
    {},
  ],
  [
    'the key of the first attempt is replayed',
    keyed,
    { kind: 'key read', error, idempotency },
    { do: 'replay', idempotency },
    {},
  ],
  [
    'without a first attempt, the item refuses',
    keyed,
    { kind: 'key read', error },
    { do: 'throw', error },
    {},
  ],
  [
    'after a conflict, the command decides on what made the write fail',
    keyed,
    { kind: 'version conflict', records: after },
    { do: 'decide' },
    { records: after, conflicts: 1, mayRefuse: false },
  ],
  [
    'after a conflict, the snapshot is old',
    { ...keyed, mayRefuse: true },
    { kind: 'version conflict', records: after },
    { do: 'decide' },
    { records: after, conflicts: 1, mayRefuse: false },
  ],
  [
    'without a key, every state may refuse',
    keyless,
    { kind: 'version conflict', records: after },
    { do: 'decide' },
    { records: after, conflicts: 1, mayRefuse: true },
  ],
  [
    'after the second conflict, the command decides immediately',
    conflicts(keyed, 1),
    { kind: 'version conflict', records: after },
    { do: 'decide' },
    { records: after, conflicts: 2 },
  ],
  [
    'after the third conflict, the records are read after a wait',
    conflicts(keyed, 2),
    { kind: 'version conflict', records: after },
    { do: 'wait and read' },
    { records: after, conflicts: 3 },
  ],
  [
    'records that are read again are decided on',
    conflicts(keyed, 3),
    { kind: 'read', records: after },
    { do: 'decide' },
    { records: after },
  ],
  [
    'a request that has its answer is not completed again',
    keyless,
    { kind: 'already completed' },
    { do: 'decide' },
    { isAlreadyCompleted: true, conflicts: 1 },
  ],
  [
    'the last conflict ends the commit',
    conflicts(keyed, maxConflicts - 1),
    { kind: 'version conflict', records: after },
    { do: 'throw', error: expect.any(Error) },
    { records: after, conflicts: maxConflicts },
  ],
])('%s', (_, state, outcome, step, changed) => {
  expect(nextStep(state, outcome)).toEqual({ state: { ...state, ...changed }, step });
});
