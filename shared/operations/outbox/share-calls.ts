/**
 * Divides elements into batches, each of which one call handles.
 * @param size the most elements of a batch
 * @returns a function that returns the call for an element. All elements of a batch share it: the first use makes the call, and
 *   all uses wait for it.
 */
export function shareCalls<T>(
  elements: readonly T[],
  size: number,
  call: (batch: readonly T[]) => Promise<void>,
): (element: T) => () => Promise<void> {
  const calls = new Map<T, () => Promise<void>>();
  for (let start = 0; start < elements.length; start += size) {
    const batch = elements.slice(start, start + size);
    let made: Promise<void> | undefined;
    const share = () => {
      made ??= call(batch);
      return made;
    };
    for (const element of batch) calls.set(element, share);
  }
  return (element) => calls.get(element) ?? (() => call([element]));
}
