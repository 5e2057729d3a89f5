/** Work of which one part's failure must not keep the others from being done. */

/** Waits for all of them to end; then throws an `AggregateError` of the failures, if there were any. */
export async function allOrThrow(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${work.length} failed.`);
}
