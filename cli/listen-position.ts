/**
 * Keeps how far `remit listen` has delivered the events of an account, so that the next start continues there.
 * - Each account, mode, service and destination has a position of its own.
 * - The position moves after an event was delivered, so a crash repeats an event and loses none.
 */
import { createHash } from 'node:crypto';
import { readPrivateFile, writePrivateFile } from './private-files.ts';

export interface ListenPosition {
  /** The last event that was examined, or `start` before the first one. */
  readonly after: string;
  /** The events up to `after` that the destination has not accepted yet. */
  readonly refused: readonly string[];
}

export interface PositionFile {
  /** Returns undefined if there is no position, or if the file is damaged. */
  read(): Promise<ListenPosition | undefined>;
  write(position: ListenPosition): Promise<void>;
}

/**
 * Returns the file of a position.
 * @param accountKey identifies the account and the mode
 * @param baseUrl the URL of the service
 * @param forwardTo the URL to which the events go. Undefined if they are only shown
 */
export function positionFile(
  accountKey: string,
  baseUrl: string,
  forwardTo: string | undefined,
): PositionFile {
  const place = createHash('sha256')
    .update(JSON.stringify([baseUrl, forwardTo]))
    .digest('hex')
    .slice(0, 16);
  const name = `listen-positions/${accountKey}-${place}`;
  return {
    read: async () => parsePosition((await readPrivateFile(name)) ?? ''),
    write: async ({ after, refused }) => {
      await writePrivateFile(name, `${JSON.stringify({ after, refused })}\n`);
    },
  };
}

function parsePosition(text: string): ListenPosition | undefined {
  try {
    const { after, refused } = JSON.parse(text) ?? {};
    const isValid = isEventId(after) || after === 'start';
    return isValid && Array.isArray(refused) && refused.every(isEventId) ? { after, refused } : undefined;
  } catch {
    return undefined;
  }
}

const isEventId = (value: unknown): value is string =>
  typeof value === 'string' && /^evt_[0-9a-z]{26}$/.test(value);
