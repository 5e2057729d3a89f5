/** Tests the account of `npm start`: its keys have the first version of the API, whichever way they came into being. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SeededAccount, seed } from '../../../../infra/local/seed.ts';
import type { Stack } from '../../../../infra/local/stack.ts';
import { firstApiVersion, newestApiVersion } from '../../../../shared/domain/versions/versions.ts';
import { apiOf } from '../../../support/api.ts';
import { startTestStack } from '../../../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack?.close());

/** Returns the status and the version of an answer to each key. */
const answersTo = ({ keys }: SeededAccount) =>
  Promise.all(
    [keys.test, keys.live].map(async (key) => {
      const { status, headers } = await apiOf(stack.baseUrl, key).get('/api/invoices');
      return [status, headers['x-api-version']];
    }),
  );

test('the keys of a new account, of a later start, and those that replace lost ones have the first version', async () => {
  const accepted = [
    [200, firstApiVersion],
    [200, firstApiVersion],
  ];
  const created = await seed(stack, undefined);
  expect(await answersTo(created)).toEqual(accepted);
  expect(await seed(stack, created)).toEqual(created);
  const lost = { ...created, keys: { ...created.keys, live: 'sk_live_lost' } };
  const replaced = await seed(stack, lost);
  expect(replaced.accountId).toBe(created.accountId);
  expect(await answersTo(replaced)).toEqual(accepted);
  expect((await answersTo(created)).map(([status]) => status)).toEqual([401, 401]);
  // A request can ask for the newest version with the same key.
  const { headers } = await apiOf(stack.baseUrl, replaced.keys.test).get('/api/invoices', {
    headers: { 'X-API-Version': newestApiVersion },
  });
  expect(headers['x-api-version']).toBe(newestApiVersion);
});
