/**
 * Waits for conditions, so that no test sleeps for a time.
 */

/**
 * Asks `condition` again and again until it is truthy, and returns what it answered then. What it throws counts as
 * not yet. Rejects after `deadlineMs`, naming `what` was awaited and the last thing that was thrown.
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  { deadlineMs = 60_000, everyMs = 20 }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  let last: unknown;
  do {
    try {
      const answer = await condition();
      if (answer) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  } while (performance.now() < end);
  const reason = last === undefined ? '' : ` (last: ${last instanceof Error ? last.message : String(last)})`;
  throw new Error(`Not within ${deadlineMs} ms: ${what}${reason}`);
}
