/**
 * What drawing a number, and reading how many were drawn, asks of a head is what functions without API keys are
 * granted, and no more.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { drawnAttributes } from '../../shared/store/heads.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.close());

test('it names, and is answered with, nothing but the attributes that are granted', async () => {
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { dynamodb } = await import('../../shared/store/client.ts');
  const { drawNumber, drawNumberIfOpen } = await import('../../shared/store/numbers.ts');
  const { accountId } = await createAccount({ name: 'Test', plan: 'standard' });
  // biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of all commands
  const calls: { input: any; output: any }[] = [];
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      calls.push({ input: args.input, output: answer.output });
      return answer;
    },
    { step: 'initialize', name: 'noteCalls' },
  );

  const owner = { account: accountId, mode: 'test' } as const;
  const first = await drawNumber(owner, 'payment');
  const second = await drawNumberIfOpen(owner, 'payment');
  expect([first.seq, second?.seq]).toEqual([1, 2]);
  expect(second?.idKeys.of(2)).toHaveLength(32);

  const { readNumbers } = await import('../../shared/reconciliation/store.ts');
  expect(await readNumbers(owner)).toMatchObject({ drawn: { invoice: 0, payment: 2, refund: 0 } });
  expect(await readNumbers({ account: 'acct_none', mode: 'test' })).toBeUndefined();

  const draws = calls.filter(({ input }) => input.UpdateExpression?.includes('#idKeys'));
  expect(draws).toHaveLength(3);
  for (const { input, output } of draws) {
    expect(input.ReturnValues).toBe('UPDATED_NEW');
    const named = [...Object.keys(input.Key), ...Object.values<string>(input.ExpressionAttributeNames)];
    const answered = Object.keys(output.Attributes);
    expect([...named, ...answered].filter((name) => !drawnAttributes.includes(name))).toEqual([]);
    expect(answered).not.toEqual([]);
  }
});
