/**
 * Reads and writes the clock of an account's test mode, which the account state holds.
 *
 * - Each write is conditional on the version before it. So of several writers at the same time, one wins.
 * - Live mode always has the real time, and costs no call.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Clock, clockAt, realClock } from '../base/clock.ts';
import { env } from '../base/env.ts';
import type { Owner } from '../base/ids.ts';
import type { ClockOrigin, StoredClock } from '../base/test-clock.ts';
import type { AccountTime, RealTime } from '../base/time.ts';
import { accountStateAttributes, IdKeys, type Principal } from './account-state.ts';
import { dynamodb } from './client.ts';
import { tableKeys } from './keys.ts';
import type { Item } from './records.ts';
import { type TransactionItem, writeTransaction } from './transactions.ts';

const { clock: clockName, idKeys: idKeysName, seq } = accountStateAttributes;
const seqNames = Object.values(seq);

/**
 * Returns the moment at which the real time is `now`, for a record with the time `at`. Reads the clock only if the record is ahead
 * of the real time. Otherwise the real time suffices.
 * @param at undefined: the record does not exist
 */
export async function clockOfRecord(
  owner: Owner,
  at: AccountTime | undefined,
  now: RealTime,
): Promise<Clock> {
  if (owner.mode !== 'test' || at === undefined || at <= now) return realClock(now);
  return clockAt(await readStoredClock(owner), now);
}

/** Reads the clock, strongly consistent, and the last sequence number of each resource. */
export async function readAccountClock(
  owner: Owner,
): Promise<{ clock: StoredClock | undefined; seq: ClockOrigin['seq'] }> {
  const { [clockName]: clock, ...numbers } = await readAttributes(owner, [clockName, ...seqNames]);
  return { clock: clock as StoredClock | undefined, seq: numbers as ClockOrigin['seq'] };
}

/** Reads the clock alone, strongly consistent. Undefined: the account has the real time. */
export async function readStoredClock(owner: Owner): Promise<StoredClock | undefined> {
  return (await readAttributes(owner, [clockName]))[clockName] as StoredClock | undefined;
}

/**
 * Reads what a request without an API key needs to move the clock, strongly consistent. It allocates no sequence number.
 * @throws Error if the account does not exist
 */
export async function readPrincipalOfClock(owner: Owner): Promise<Principal> {
  const { [clockName]: clock, ...state } = await readAttributes(owner, [clockName, idKeysName]);
  return { owner, idKeys: new IdKeys(state), seq: 0, clock: clock as StoredClock | undefined };
}

async function readAttributes({ account, mode }: Owner, names: readonly string[]): Promise<Item> {
  const { Item: item = {} } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState({ account, mode }),
      ProjectionExpression: names.map((_, index) => `#n${index}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
      ConsistentRead: true,
    }),
  );
  return item;
}

/**
 * Writes the clock if it still has the version of `before`.
 * @param more actions of the same transaction
 * @returns whether it was written
 */
export function writeAccountClock(
  owner: Owner,
  before: StoredClock | undefined,
  after: StoredClock,
  more: readonly TransactionItem[] = [],
): Promise<boolean> {
  const change = { UpdateExpression: 'SET #clock = :clock', values: { ':clock': after } };
  return update(owner, before, change, more);
}

/**
 * Sets the account to the real time, if the clock still has the version of `before` and the last sequence numbers are those
 * of its origin. A request that creates a record allocates its number in the same item, so none can come in between.
 * @param more actions of the same transaction
 * @returns whether it was written
 */
export function removeAccountClock(
  owner: Owner,
  before: StoredClock,
  more: readonly TransactionItem[],
): Promise<boolean> {
  const origin = before.s?.seq ?? {};
  const conditions = seqNames.map((name, index) =>
    origin[name] === undefined ? `attribute_not_exists(#s${index})` : `#s${index} = :s${index}`,
  );
  const change = {
    UpdateExpression: 'REMOVE #clock',
    conditions,
    names: Object.fromEntries(seqNames.map((name, index) => [`#s${index}`, name])),
    values: Object.fromEntries(
      seqNames.flatMap((name, index) => (origin[name] === undefined ? [] : [[`:s${index}`, origin[name]]])),
    ),
  };
  return update(owner, before, change, more);
}

interface ClockUpdate {
  readonly UpdateExpression: string;
  readonly conditions?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

async function update(
  owner: Owner,
  before: StoredClock | undefined,
  { UpdateExpression, conditions = [], names = {}, values }: ClockUpdate,
  more: readonly TransactionItem[],
): Promise<boolean> {
  const version = before ? '#clock.#v = :before' : 'attribute_not_exists(#clock)';
  const input = {
    TableName: env.tableName(),
    Key: tableKeys.accountState(owner),
    UpdateExpression,
    ConditionExpression: ['attribute_exists(pk)', version, ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#clock': clockName, ...(before && { '#v': 'v' }), ...names },
    ...((before || Object.keys(values).length > 0) && {
      ExpressionAttributeValues: { ...values, ...(before && { ':before': before.v }) },
    }),
  };
  if (more.length > 0) return (await writeTransaction([{ Update: input }, ...more])).written;
  try {
    // The worker that continues moves may not read other attributes, such as the entries of API keys.
    await dynamodb.send(new UpdateCommand({ ...input, ReturnValues: 'UPDATED_NEW' }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
