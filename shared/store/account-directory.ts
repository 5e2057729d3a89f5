/** Reads the ids of all accounts: those of the list of accounts, and those of the list of sandboxes. */
import { isOfSandbox } from '../base/ids.ts';
import { tableKeys } from './keys.ts';
import { queryPages } from './query-pages.ts';

/**
 * Reads the ids of all accounts, one query result at a time: permanent accounts, oldest first, then sandboxes. Sandboxes without
 * records are left out, because their deletion has begun.
 */
export async function* readAccountIds(): AsyncGenerator<string[]> {
  for (const [pk, isListed] of [
    [tableKeys.accountDirectory(0, '').pk, () => true],
    // An entry that names another account is an error of an operator. The deletion of sandboxes reports it.
    [tableKeys.sandbox(0, '').pk, isOfSandbox],
  ] as const) {
    for await (const items of queryPages({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    })) {
      const present = items.filter(({ emptiedAt }) => emptiedAt === undefined);
      yield present.map(({ accountId }) => String(accountId)).filter(isListed);
    }
  }
}
