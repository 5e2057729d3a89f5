/**
 * Asks for lists to be folded. A list asks when a request reads it and its pages are large, so lists that nobody reads cost
 * nothing. Once an hour, a function sends the requests to the worker that folds.
 *
 * - A request names the volumes of a list to fold. The worker removes those that are done, and deletes an empty request.
 * - A request that is lost has no effect on lists. The next read asks again.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import { modes, type Owner, type Resource } from '../../../base/ids.ts';
import { logger, serializeError } from '../../../base/log.ts';
import { type Instant, now } from '../../../base/time.ts';
import { dynamodb } from '../../client.ts';
import { tableKeys } from '../../keys.ts';
import { leaveOutMalformed } from '../../left-out-items.ts';
import { queryPages } from '../../query-pages.ts';
import { count, defineItem, type Field, oneOf, parseOrError, text, textOf } from '../../stored-fields.ts';
import { settleMs } from './fold-volume.ts';

/** The sizes of what a list has read for one volume, in bytes. */
export interface VolumeSizes {
  readonly pageBytes: number;
  readonly volumeBytes: number;
  /** Since when it has held its content. 0 if that is not known, or if it does not exist. */
  readonly heldSince: Instant;
}

/** The volumes of a list that are worth folding. */
export interface FoldableList {
  /** `''` for the list of all records. */
  readonly filterKey: string;
  readonly volumes: readonly number[];
}

/** A list of an account, with volumes to fold. */
export interface FoldRequest extends Owner, FoldableList {
  readonly resource: Resource;
}

/** Smaller pages cost a list no more than eight read units, so they stay. */
const minListBytes = 32 * 1024;
/** The pages of a volume that are worth a write of the volume. */
const minVolumeBytes = 512;

/**
 * Returns the volumes of a list that are worth folding. None if the pages are small, or small beside the volumes: then a list
 * gains less than folding costs.
 */
export function volumesToFold(sizes: ReadonlyMap<number, VolumeSizes>, at: Instant): number[] {
  const ready = [...sizes].filter(
    ([, { pageBytes, heldSince }]) => pageBytes >= minVolumeBytes && heldSince <= at - settleMs,
  );
  const inPages = ready.reduce((sum, [, { pageBytes }]) => sum + pageBytes, 0);
  const inVolumes = [...sizes.values()].reduce((sum, { volumeBytes }) => sum + volumeBytes, 0);
  return inPages >= Math.max(minListBytes, inVolumes / 4) ? ready.map(([volume]) => volume) : [];
}

/** When this instance last asked for a list. */
const askedAt = new Map<string, Instant>();
const askEveryMs = 30 * 60_000;
const maxRemembered = 10_000;
/** A request needs no more than some kilobytes. The next one names the other volumes. */
const maxVolumes = 500;

/** Returns the page of a list. Meanwhile, asks for the index of the list to be folded, if that is worth it. */
export async function askToFold<T>(
  owner: Owner,
  view: { readonly resource: Resource; readonly foldable: readonly FoldableList[] },
  page: Promise<T>,
): Promise<T> {
  const [answer] = await Promise.all([page, requestFolds(owner, view)]);
  return answer;
}

/** Asks for lists to be folded. At most once in half an hour for each list and instance. Never throws. */
async function requestFolds(
  owner: Owner,
  { resource, foldable }: { readonly resource: Resource; readonly foldable: readonly FoldableList[] },
): Promise<void> {
  await Promise.all(foldable.map((list) => requestFold({ ...owner, resource, ...list })));
}

async function requestFold({ account, mode, resource, filterKey, volumes }: FoldRequest): Promise<void> {
  const Key = tableKeys.foldRequest({ account, mode }, resource, filterKey);
  const name = `${env.tableName()} ${Key.sk}`;
  if ((askedAt.get(name) ?? 0) > now() - askEveryMs) return;
  if (askedAt.size >= maxRemembered) askedAt.clear();
  askedAt.set(name, now());
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key,
    UpdateExpression:
      'SET account = :account, #mode = :mode, #resource = :resource, filterKey = :list ADD volumes :volumes',
    ExpressionAttributeNames: { '#mode': 'mode', '#resource': 'resource' },
    ExpressionAttributeValues: {
      ':account': account,
      ':mode': mode,
      ':resource': resource,
      ':list': filterKey,
      ':volumes': new Set(volumes.slice(0, maxVolumes)),
    },
  });
  try {
    await dynamodb.send(update);
  } catch (error) {
    // The list itself is not affected.
    logger.warn('fold not requested', { error: serializeError(error) });
  }
}

const volumeNumbers: Field<ReadonlySet<number> | undefined> = {
  expected: 'a set of numbers',
  accepts: (value) => value === undefined || (value instanceof Set && [...value].every(count.accepts)),
};

const parseRequest = defineItem<Omit<FoldRequest, 'volumes'> & { volumes: ReadonlySet<number> | undefined }>(
  () => 'request to fold a list',
  {
    account: text,
    mode: oneOf(...modes),
    resource: textOf<Resource>(),
    filterKey: text,
    volumes: volumeNumbers,
  },
);

/** @throws MalformedItemError */
function toFoldRequest(item: Readonly<Record<string, unknown>>): FoldRequest {
  const { account, mode, resource, filterKey, volumes = [] } = parseRequest(item);
  return { account, mode, resource, filterKey, volumes: [...volumes].sort((one, other) => one - other) };
}

/** Reads all requests, one query result at a time. Leaves out malformed ones, and logs them. */
export async function* readFoldRequests(): AsyncGenerator<FoldRequest[]> {
  const pk = tableKeys.foldRequest({ account: '', mode: 'test' }, 'invoice', '').pk;
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  }))
    yield leaveOutMalformed(items.map((item) => parseOrError(item, toFoldRequest)));
}

/** Whether a request names a volume of a list. Strongly consistent. */
export async function isFoldRequested(
  owner: Owner,
  resource: Resource,
  filterKey: string,
  volume: number,
): Promise<boolean> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.foldRequest(owner, resource, filterKey),
      ConsistentRead: true,
    }),
  );
  return ((item?.volumes ?? new Set()) as Set<number>).has(volume);
}

/** Removes volumes that are done from a request, and deletes the request if none is left. */
export async function completeFolds({
  account,
  mode,
  resource,
  filterKey,
  volumes,
}: FoldRequest): Promise<void> {
  const TableName = env.tableName();
  const Key = tableKeys.foldRequest({ account, mode }, resource, filterKey);
  try {
    if (volumes.length > 0)
      await dynamodb.send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: 'DELETE volumes :volumes',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':volumes': new Set(volumes) },
        }),
      );
    await dynamodb.send(
      new DeleteCommand({ TableName, Key, ConditionExpression: 'attribute_not_exists(volumes)' }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
