/**
 * Collects the malformed items that a request leaves out of its answer. So a list names them, and does not fail because of them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { logger, serializeError } from '../base/log.ts';
import { metricFields } from '../base/metrics.ts';
import { MalformedItemError } from './stored-fields.ts';

/** The names of the items that one request has left out. */
export type LeftOutItems = Set<string>;

const leftOut = new AsyncLocalStorage<LeftOutItems>();

/** Runs `work`, and adds the items that it leaves out to `items`. */
export function collectingLeftOut<T>(items: LeftOutItems, work: () => Promise<T>): Promise<T> {
  return leftOut.run(items, work);
}

/** Logs malformed items that are left out, and names them in the answer to the request, if there is one. */
export function noteLeftOut(errors: Iterable<MalformedItemError>): void {
  const items = leftOut.getStore();
  for (const error of errors) {
    if (items?.has(error.item)) continue;
    items?.add(error.item);
    logger.error('malformed item left out', {
      item: error.item,
      error: serializeError(error),
      ...metricFields({ MalformedItems: 1 }),
    });
  }
}

/** Returns what can be read, and notes the rest with `noteLeftOut`. */
export function leaveOutMalformed<T>(all: readonly (T | MalformedItemError)[]): T[] {
  noteLeftOut(all.filter((each) => each instanceof MalformedItemError));
  return all.filter((each): each is T => !(each instanceof MalformedItemError));
}

/** Returns the value of the header `Remit-Warning` that names the items. Undefined without items. */
export function leftOutWarning(items: LeftOutItems): string | undefined {
  return items.size === 0 ? undefined : `malformed_records ${[...items].join(' ')}`;
}
