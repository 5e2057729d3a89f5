/**
 * Reads the result of a batch handler by Lambda's rules for partial batch failures. Streams and queues use the same
 * rules.
 */

/**
 * Returns the identifiers in `ids` whose records failed.
 *
 * - A missing or empty result or list means that all records succeeded.
 * - A result of another shape means that all records failed. So does an identifier that is empty, missing or unknown.
 */
export function failedIds(ids: readonly string[], result: unknown): ReadonlySet<string> {
  if (result === null || result === undefined) return new Set();
  if (typeof result !== 'object') return new Set(ids);
  const failures = (result as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) return new Set(ids);
  const failed = failures.map((failure) => failure?.itemIdentifier);
  return failed.every((id) => ids.includes(id)) ? new Set(failed) : new Set(ids);
}
