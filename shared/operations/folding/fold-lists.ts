/**
 * Folds the lists for which requests have asked. `shared/store/lists/volumes/fold-volume.ts` says what folding is.
 *
 * - Once an hour, each request becomes a message. An hour later its pages can be deleted, so each hour continues the last one.
 * - A message folds for 20 seconds, and sends the message for what is left. A lost message is made up for an hour later.
 */
import { modes, type Resource } from '../../base/ids.ts';
import { logger } from '../../base/log.ts';
import { statuses } from '../../base/statuses.ts';
import { now } from '../../base/time.ts';
import { tableTime } from '../../store/client.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import {
  completeFolds,
  type FoldRequest,
  readFoldRequests,
} from '../../store/lists/volumes/fold-requests.ts';
import { foldVolume } from '../../store/lists/volumes/fold-volume.ts';
import { foldStoreOf } from '../../store/lists/volumes/volume-store.ts';
import { parseMessage } from '../../store/parse-message.ts';
import { sendMessage, sendMessages } from '../../store/queues.ts';
import {
  arrayOf,
  checksOf,
  count,
  MalformedItemError,
  objectOf,
  oneOf,
  optional,
  orMalformed,
  requireAttributes,
  text,
} from '../../store/stored-fields.ts';

/** How long a run starts to fold more volumes, in milliseconds. The function's time-out is much longer. */
const runMs = 20_000;

/** A message of the reconciliation's queue that is about folding. */
interface FoldMessage {
  readonly fold: FoldRequest;
}

const toMessage = (fold: FoldRequest) => ({ body: { fold } satisfies FoldMessage, group: fold.account });

const checks = checksOf({
  fold: optional(
    objectOf<FoldRequest>({
      account: text,
      mode: oneOf(...modes),
      resource: oneOf(...(Object.keys(statuses) as Resource[])),
      filterKey: text,
      volumes: arrayOf(count),
    }),
  ),
});

/**
 * Returns the list to fold in the body of a queue message. Undefined if the message is about something else.
 * @throws MalformedItemError
 */
export function listToFold(body: string): FoldRequest | undefined {
  const message = parseMessage(body);
  requireAttributes(checks, message, () => 'message');
  return (message as Partial<FoldMessage>).fold;
}

/** Sends a message for each list that asks to be folded. */
export async function sendFolds(): Promise<void> {
  for await (const requests of readFoldRequests())
    await sendMessages('reconciliation', requests.map(toMessage));
}

/**
 * Folds volumes of a list, at least one, and removes those that are done from the request.
 * @param forMs how long to start more volumes, in milliseconds
 */
export async function foldList(request: FoldRequest, forMs = runMs): Promise<void> {
  const { account, mode, resource, filterKey, volumes } = request;
  const end = performance.now() + forMs;
  const store = foldStoreOf({ account, mode }, resource, filterKey);
  const done: number[] = [];
  let next = 0;
  do {
    const volume = volumes[next];
    const folded =
      volume !== undefined &&
      (await orMalformed(foldVolume(store, resource, volume, () => tableTime(now()))));
    // A malformed volume waits for its repair, and the others of the list are folded.
    if (folded instanceof MalformedItemError) noteLeftOut([folded]);
    if (volume !== undefined && folded === 'done') done.push(volume);
    next += 1;
  } while (next < volumes.length && performance.now() < end);
  await completeFolds({ ...request, volumes: done });
  if (next < volumes.length)
    await sendMessage('reconciliation', toMessage({ ...request, volumes: volumes.slice(next) }));
  logger.info('list folded', { account, mode, resource, volumes: next, done: done.length });
}
