/**
 * What a batch handler's answer means, by Lambda's rules for partial batch failures, the same for streams and queues.
 */

/**
 * The identifiers of `ids` that failed. A missing or empty answer or list means that all succeeded; an identifier
 * that is empty, absent or not of this batch, or an answer of another shape, means that all of it failed.
 */
export function failedOf(ids: readonly string[], answer: unknown): ReadonlySet<string> {
  if (answer === null || answer === undefined) return new Set();
  if (typeof answer !== 'object') return new Set(ids);
  const failures = (answer as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) return new Set(ids);
  const failed = failures.map((failure) => failure?.itemIdentifier);
  return failed.every((id) => ids.includes(id)) ? new Set(failed) : new Set(ids);
}
