/** Tests that a malformed request to fold a list keeps no other list from being folded. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { startTestStack } from '../../../support/stack.ts';
import { tableOf } from '../../../support/table.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack.close());

test('each malformed request stays where it is, and the others are read', async () => {
  const table = tableOf(stack);
  const owner: Owner = { account: 'acct_folded', mode: 'test' };
  const itemOf = (filterKey: string) => ({
    ...tableKeys.foldRequest(owner, 'invoice', filterKey),
    ...owner,
    resource: 'invoice',
    filterKey,
    volumes: new Set([7, 3]),
  });
  const malformed = [
    { ...itemOf('text'), volumes: 'lots' },
    { ...itemOf('list'), volumes: ['3'] },
    { ...itemOf('mode'), mode: 'other' },
    { ...itemOf('no resource'), resource: undefined },
    { ...itemOf('number'), filterKey: 7 },
  ];
  const later = { ...itemOf('later'), added: 'by a later version' };
  await table.putAll([...malformed, itemOf(''), later]);
  const before = await table.all('FOLD');
  expect(before).toHaveLength(malformed.length + 2);
  const { readFoldRequests } = await import('../../../../shared/store/lists/volumes/fold-requests.ts');
  const read: unknown[] = [];
  for await (const requests of readFoldRequests()) read.push(...requests);
  expect(read).toEqual(
    ['', 'later'].map((filterKey) => ({ ...owner, resource: 'invoice', filterKey, volumes: [3, 7] })),
  );
  expect(await table.all('FOLD')).toEqual(before);
});
