/** Waits for parallel work in which the failure of one part must not stop the others. */

/**
 * Waits until all promises have settled. Then throws if any of them was rejected.
 * @throws the reason of the rejected promise, or an `AggregateError` if several were rejected
 */
export async function throwAfterAllSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${work.length} failed.`);
}
