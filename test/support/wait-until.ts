/** Waits for conditions, so that no test needs to sleep for a fixed time. */

/**
 * Calls `condition` every `everyMs` milliseconds until it returns a truthy value, and returns that value. An error counts
 * as false.
 * @param what names the condition in the error message
 * @throws after `deadlineMs` milliseconds, with the last error of `condition`
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 300_000, everyMs = 20 }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  let lastError: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  } while (performance.now() < end);
  const text = lastError instanceof Error ? lastError.message : String(lastError);
  const reason = lastError === undefined ? '' : ` (last error: ${text})`;
  throw new Error(`This did not happen within ${deadlineMs} ms: ${what}${reason}.`);
}
