/**
 * Reads the part of an account state that pages show: the rate limit, its use, and what is needed to list records. It
 * never reads the entries of API keys, so a function that shows pages needs no access to them.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import type { Owner } from '../base/ids.ts';
import type { StoredClock } from '../base/test-clock.ts';
import type { Instant } from '../base/time.ts';
import { accountStateAttributes, hourOf, IdKeys, type Principal } from './account-state.ts';
import { dynamodb } from './client.ts';
import { tableKeys } from './keys.ts';

/** The rate limit of an account and mode, and its use. */
export interface AccountUsage {
  /** For lists. It allocates no sequence number. */
  readonly principal: Principal;
  /** Requests allowed per clock hour. */
  readonly limit: number;
  /** Requests counted in the present clock hour. */
  readonly used: number;
}

/**
 * Reads the usage of an account and mode, strongly consistent.
 * @throws Error if the account does not exist
 */
export async function readAccountUsage(owner: Owner, now: Instant): Promise<AccountUsage> {
  const hour = accountStateAttributes.hour(hourOf(now));
  const { limit, idKeys, clock } = accountStateAttributes;
  const { Item: state } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      ProjectionExpression: '#limit, #idKeys, #hour, #clock',
      ExpressionAttributeNames: { '#limit': limit, '#idKeys': idKeys, '#hour': hour, '#clock': clock },
      ConsistentRead: true,
    }),
  );
  if (!state) throw new Error(`There is no account ${owner.account}.`);
  const used = (state[hour] as number | undefined) ?? 0;
  const principal = {
    owner,
    idKeys: new IdKeys(state),
    seq: 0,
    clock: state[clock] as StoredClock | undefined,
  };
  return { principal, limit: state[limit] as number, used };
}
