/** Keeps what one part of a comparison cannot read from the other parts. */
import { isCausedByInput } from '../../store/transactions.ts';

/**
 * Does the work of a part. If it fails because of what it reads, calls `onFailure`, and returns undefined.
 * @throws the failure of a call to AWS: the other parts would fail, too
 */
export async function isolate<T>(
  work: () => Promise<T>,
  onFailure: (error: Error) => unknown,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isCausedByInput(error)) throw error;
    await onFailure(error as Error);
    return undefined;
  }
}
