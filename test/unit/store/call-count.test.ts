/** Tests how calls in sequence are counted. */
import { expect, test } from '@jest/globals';
import { asOwnChain, beginCall, type CallCount, countingCalls } from '../../../shared/store/call-count.ts';

test('counts the longer of two chains beside each other, however their calls interleave', async () => {
  const count: CallCount = { calls: 0, inSequence: 0 };
  await countingCalls(count, async () => {
    beginCall()();
    const gate = Promise.withResolvers<void>();
    const short = async () => {
      beginCall()();
      beginCall()();
      gate.resolve();
    };
    const long = async () => {
      const first = beginCall();
      // The other chain ends while this call goes on.
      await gate.promise;
      first();
      beginCall()();
      beginCall()();
    };
    await Promise.all([asOwnChain(long), asOwnChain(short)]);
    beginCall()();
  });
  expect(count).toEqual({ calls: 7, inSequence: 5 });
});
