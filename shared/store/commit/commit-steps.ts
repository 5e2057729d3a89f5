/** The steps of a commit: what follows from what happened. `commit.ts` takes them. */
import type { RecordBase } from '../records.ts';
import type { IdempotencyRecord } from './idempotency-records.ts';
import type { WriteResult } from './write-decision.ts';

/** With the waits between them, about 20 seconds of version conflicts. */
export const maxConflicts = 30;
/** After the first conflicts, the command decides again immediately, on the records that made the write fail. */
const immediateConflicts = 2;

type Records = readonly (RecordBase | undefined)[];

/** What a commit knows between two steps. */
export interface CommitState {
  readonly records: Records;
  readonly hasKey: boolean;
  /**
   * The request may be refused on these records. Under a key, they must be read together with the key's record, so that a
   * repetition never fails on the state that its own first attempt left.
   */
  readonly mayRefuse: boolean;
  /** The request that the decision completes has its answer, or has expired. */
  readonly isAlreadyCompleted: boolean;
  readonly conflicts: number;
}

export type CommitStep =
  /** Decide on the records of the state, and write the decision. */
  | { readonly do: 'decide' }
  /** Read the records again, after a wait that grows with the conflicts. */
  | { readonly do: 'wait and read' }
  /** Read the records and the key's record at one moment. */
  | { readonly do: 'read snapshot' }
  /** Read the record of the key, to answer with it, or else with the error. */
  | { readonly do: 'read key'; readonly error: unknown }
  /** The last step: return the answer of the decision, or the stored answer, or throw. */
  | { readonly do: 'answer' }
  | { readonly do: 'replay'; readonly idempotency: IdempotencyRecord }
  | { readonly do: 'throw'; readonly error: unknown };

/** What a step led to. */
export type CommitOutcome =
  | WriteResult
  | { readonly kind: 'not decided'; readonly error: unknown }
  | { readonly kind: 'read'; readonly records: Records }
  | {
      readonly kind: 'snapshot';
      readonly records: Records;
      readonly idempotency?: IdempotencyRecord | undefined;
    }
  | {
      readonly kind: 'key read';
      readonly error: unknown;
      readonly idempotency?: IdempotencyRecord | undefined;
    };

/**
 * Returns the state of a commit before its first step, which is to decide.
 * @param namesNoRecord whether an id has no form of an id. Then no earlier attempt of the request had an effect
 */
export const initialState = (records: Records, hasKey: boolean, namesNoRecord: boolean): CommitState => ({
  records,
  hasKey,
  mayRefuse: !hasKey || namesNoRecord,
  isAlreadyCompleted: false,
  conflicts: 0,
});

/** Returns the state after an outcome, and the next step. */
export function nextStep(
  state: CommitState,
  outcome: CommitOutcome,
): { readonly state: CommitState; readonly step: CommitStep } {
  const step = (next: CommitStep, changed: Partial<CommitState> = {}) => ({
    state: { ...state, ...changed },
    step: next,
  });
  switch (outcome.kind) {
    case 'written':
      return step({ do: 'answer' });
    case 'not decided':
      return step(state.mayRefuse ? { do: 'throw', error: outcome.error } : { do: 'read snapshot' });
    case 'key taken':
      return step({ do: 'replay', idempotency: outcome.idempotency });
    case 'refused':
      // The item is never deleted. So if this request put it before, the record of its key exists now.
      return step({ do: state.hasKey ? 'read key' : 'throw', error: outcome.error });
    case 'key read':
      return step(replayOr(outcome.idempotency, { do: 'throw', error: outcome.error }));
    case 'snapshot':
      return step(replayOr(outcome.idempotency, { do: 'decide' }), {
        records: outcome.records,
        mayRefuse: true,
      });
    case 'read':
      return step({ do: 'decide' }, { records: outcome.records });
    case 'already completed':
      return afterConflict({ ...state, isAlreadyCompleted: true });
    case 'version conflict':
      return afterConflict({ ...state, records: outcome.records });
  }
}

function afterConflict(state: CommitState): { readonly state: CommitState; readonly step: CommitStep } {
  const conflicts = state.conflicts + 1;
  return {
    state: { ...state, conflicts, mayRefuse: !state.hasKey },
    step:
      conflicts === maxConflicts
        ? { do: 'throw', error: new Error(`The records had ${maxConflicts} version conflicts.`) }
        : { do: conflicts > immediateConflicts ? 'wait and read' : 'decide' },
  };
}

const replayOr = (idempotency: IdempotencyRecord | undefined, other: CommitStep): CommitStep =>
  idempotency ? { do: 'replay', idempotency } : other;
