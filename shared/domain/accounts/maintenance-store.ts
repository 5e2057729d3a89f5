/**
 * Puts the service in maintenance: it then refuses all requests that write, and reads continue.
 *
 * - Each account has the mark in its profile and in its account states. Authorization reads the account state in any
 *   case, so the mark costs a request nothing and takes effect with the next request.
 * - The item `MAINTENANCE` exists from before the first mark until after the last one. No account is created meanwhile,
 *   so every account has the mark.
 * - The marks are in the table, so a restored table is in maintenance if it was at the time of the backup.
 * - If the item cannot be read, the service counts as in maintenance, because accounts may have the mark. The end deletes it.
 * - Every step can be repeated. An interrupted change continues with the same call.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { modes } from '../../base/ids.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import { readAccountIds } from '../../store/account-directory.ts';
import { accountStateAttributes } from '../../store/account-state.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { defineItem, instant, MalformedItemError, optional } from '../../store/stored-fields.ts';

/**
 * How long a request that was authorized before the marks can still write, and a page can still show its form: the
 * timeout of a function is 28 seconds, and pages cache settings for 30 seconds.
 */
export const drainMs = 30_000;

export interface Maintenance {
  readonly startedAt: Instant;
  /** From when on no request writes. Undefined while accounts are being marked, or if that was interrupted. */
  readonly effectiveAt: Instant | undefined;
}

/**
 * Reads the state of the maintenance. Returns undefined if the service is not in maintenance.
 * @throws MalformedItemError. The service then counts as in maintenance, until `endMaintenance` has deleted the item.
 */
export async function readMaintenance(): Promise<Maintenance | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.maintenance, ConsistentRead: true }),
  );
  return item && parseMaintenance(item);
}

const checkMaintenance = defineItem<Maintenance>(({ pk }) => String(pk), {
  startedAt: instant,
  effectiveAt: optional(instant),
});

/** @throws MalformedItemError, which says how to end the maintenance: only its end deletes the item */
function parseMaintenance(item: Readonly<Record<string, unknown>>): Maintenance {
  try {
    const { startedAt, effectiveAt } = checkMaintenance(item);
    return { startedAt, effectiveAt };
  } catch (error) {
    if (!(error instanceof MalformedItemError)) throw error;
    throw new MalformedItemError(error.item, error.problem, { remedy });
  }
}

const remedy =
  'Nobody knows whether earlier requests still write, and no account can be created. Run npx remit maintenance off, and then on again if the service must stay in maintenance.';

/**
 * Marks all accounts. If the service is in maintenance already, keeps its time.
 * @param now returns the current time
 * @returns the maintenance. `effectiveAt` can be in the future.
 * @throws MalformedItemError if the item is malformed. All accounts are marked nevertheless.
 * @throws Error if another call ended the maintenance meanwhile
 */
export async function startMaintenance(
  now: () => Instant,
): Promise<{ startedAt: Instant; effectiveAt: Instant }> {
  const startedAt = now();
  await update(tableKeys.maintenance, 'SET startedAt = if_not_exists(startedAt, :at)', { ':at': startedAt });
  await forEachAccount(mark);
  const item = await update(
    tableKeys.maintenance,
    'SET effectiveAt = if_not_exists(effectiveAt, :at)',
    { ':at': now() + drainMs },
    'attribute_exists(pk)',
  );
  const maintenance = item && parseMaintenance(item);
  if (maintenance?.effectiveAt !== undefined)
    return { startedAt: maintenance.startedAt, effectiveAt: maintenance.effectiveAt };
  throw new Error(
    'Another command ended the maintenance meanwhile. Run npx remit maintenance off or on again.',
  );
}

/** Removes all marks, also those that an interrupted start has left. */
export async function endMaintenance(): Promise<void> {
  // A start that is interrupted from now on must be repeated as a whole.
  await update(tableKeys.maintenance, 'REMOVE effectiveAt', undefined, 'attribute_exists(pk)');
  await forEachAccount(unmark);
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.maintenance }));
}

/** The profile first: a payer whose payment is refused then sees the reason. */
async function mark(account: string): Promise<void> {
  await update(
    tableKeys.account(account),
    'SET maintenance = :true',
    { ':true': true },
    'attribute_exists(pk)',
  );
  for (const mode of modes) {
    const expression = `SET ${accountStateAttributes.maintenance} = :true`;
    await update(
      tableKeys.accountState({ account, mode }),
      expression,
      { ':true': true },
      'attribute_exists(pk)',
    );
  }
}

async function unmark(account: string): Promise<void> {
  for (const mode of modes) {
    const expression = `REMOVE ${accountStateAttributes.maintenance}`;
    await update(tableKeys.accountState({ account, mode }), expression, undefined, 'attribute_exists(pk)');
  }
  await update(tableKeys.account(account), 'REMOVE maintenance', undefined, 'attribute_exists(pk)');
}

/** Runs `work` for all accounts, 25 at a time. */
async function forEachAccount(work: (account: string) => Promise<void>): Promise<void> {
  for await (const ids of readAccountIds()) {
    for (let first = 0; first < ids.length; first += 25)
      await throwAfterAllSettled(ids.slice(first, first + 25).map(work));
  }
}

/** Returns the item after the update, or undefined if the condition is not met. */
async function update(
  Key: Key,
  UpdateExpression: string,
  values: Readonly<Record<string, unknown>> | undefined,
  ConditionExpression?: string,
) {
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key,
        UpdateExpression,
        ...(ConditionExpression && { ConditionExpression }),
        ...(values && { ExpressionAttributeValues: values }),
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
