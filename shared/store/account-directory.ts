/** Reads the ids of all accounts: those of the list of accounts, and those of the list of sandboxes. */
import { isOfSandbox } from '../base/ids.ts';
import { tableKeys } from './keys.ts';
import { queryPages } from './query-pages.ts';
import type { Item } from './records.ts';

/** Returns the account in the sort key of an entry. So an entry with other attributes than this release knows still counts. */
const accountIn = ({ sk }: Item): string => String(sk).split('#')[1] ?? '';

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
      yield present.map(accountIn).filter(isListed);
    }
  }
}
