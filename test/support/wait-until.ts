/** Waits for conditions, so that no test needs to sleep for a fixed time. */

/** Most conditions send requests, which slow down what they wait for. So each pause is longer than the one before, up to this. */
const longestPauseMs = 250;

/**
 * Calls `condition` until it returns a truthy value, and returns that value. An error counts as false.
 * @param what names the condition in the error message
 * @param everyMs the pause between two calls, if it is to be the same each time
 * @throws after `deadlineMs` milliseconds, with the last error of `condition`
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 300_000, everyMs }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  let lastError: unknown;
  let pauseMs = everyMs ?? 20;
  do {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = everyMs ?? Math.min(pauseMs * 1.25, longestPauseMs);
  } while (performance.now() < end);
  const text = lastError instanceof Error ? lastError.message : String(lastError);
  const reason = lastError === undefined ? '' : ` (last error: ${text})`;
  throw new Error(`This did not happen within ${deadlineMs} ms: ${what}${reason}.`);
}
