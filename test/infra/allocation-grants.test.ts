/**
 * Checks the calls that allocate sequence numbers or read the allocated counts. They use only those attributes of the
 * account state that functions without API keys may access.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { allocationAttributes } from '../../shared/store/account-state.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.close());

test('these calls name and return only the granted attributes', async () => {
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { dynamodb } = await import('../../shared/store/client.ts');
  const { allocateSequenceNumber, allocateSequenceNumberIfOpen } = await import(
    '../../shared/store/sequence-numbers.ts'
  );
  const { accountId } = await createAccount({ name: 'Test', plan: 'standard' });
  // biome-ignore lint/suspicious/noExplicitAny: commands have inputs and outputs of any shape
  const calls: { input: any; output: any }[] = [];
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      calls.push({ input: args.input, output: result.output });
      return result;
    },
    { step: 'initialize', name: 'noteCalls' },
  );

  const owner = { account: accountId, mode: 'test' } as const;
  const first = await allocateSequenceNumber(owner, 'payment');
  const second = await allocateSequenceNumberIfOpen(owner, 'payment');
  expect([first.seq, second?.seq]).toEqual([1, 2]);
  expect(second?.idKeys.of(2)).toHaveLength(32);

  const { readAllocatedNumbers } = await import('../../shared/reconciliation/store.ts');
  expect(await readAllocatedNumbers(owner)).toMatchObject({
    allocated: { invoice: 0, payment: 2, refund: 0 },
  });
  expect(await readAllocatedNumbers({ account: 'acct_none', mode: 'test' })).toBeUndefined();

  const allocations = calls.filter(({ input }) => input.UpdateExpression?.includes('#idKeys'));
  expect(allocations).toHaveLength(3);
  for (const { input, output } of allocations) {
    expect(input.ReturnValues).toBe('UPDATED_NEW');
    const named = [...Object.keys(input.Key), ...Object.values<string>(input.ExpressionAttributeNames)];
    const returned = Object.keys(output.Attributes);
    expect([...named, ...returned].filter((name) => !allocationAttributes.includes(name))).toEqual([]);
    expect(returned).not.toEqual([]);
  }
});
