/** Tests that calls of background functions wait for requests, and that none of them waits for ever. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { CallSlots } from '../../../../infra/local/call-slots.ts';
import type { LocalRequestState } from '../../../../infra/local/running-requests.ts';

const turn = () => new Promise(setImmediate);

/** A busy machine must not end the wait of a call, so the time passes only by `jest.advanceTimersByTime`. */
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

/** Makes calls that last until `finish` ends the oldest ones. */
function newCalls() {
  const requests: { state: LocalRequestState } = { state: 'none expected' };
  const callSlots = new CallSlots(() => requests.state);
  const running: (() => void)[] = [];
  const begun: number[] = [];
  const begin = (number = 0) =>
    callSlots.run(() => {
      begun.push(number);
      return new Promise<void>((end) => running.push(end));
    });
  const finish = async (calls = 1) => {
    for (let left = calls; left > 0; left--) {
      running.shift()?.();
      await turn();
    }
  };
  return { begin, begun, count: () => running.length, finish, requests, callSlots };
}

test('at most 16 calls run at once, and the others follow in their order', async () => {
  const { begin, begun, count, finish } = newCalls();
  const all = Array.from({ length: 40 }, (_, number) => begin(number));
  await turn();
  expect(count()).toBe(16);
  await finish(40);
  await Promise.all(all);
  expect(begun).toEqual(Array.from({ length: 40 }, (_, number) => number));
});

test('no call begins while a request runs, and 4 at a time begin when it has ended', async () => {
  const { begin, count, finish, requests, callSlots } = newCalls();
  for (let number = 0; number < 40; number++) void begin();
  await turn();
  requests.state = 'running';
  await finish(16);
  expect(count()).toBe(0);
  requests.state = 'expected';
  callSlots.admit();
  await turn();
  expect(count()).toBe(4);
});

test('while requests run all the time, 2 calls at a time begin that have waited for 10 ms', async () => {
  const { begin, begun, count, finish, requests } = newCalls();
  requests.state = 'running';
  for (let number = 0; number < 10; number++) void begin(number);
  await turn();
  expect(count()).toBe(0);
  jest.advanceTimersByTime(9);
  await turn();
  expect(count()).toBe(0);
  jest.advanceTimersByTime(1);
  await turn();
  expect(count()).toBe(2);
  await finish(10);
  expect(begun).toEqual(Array.from({ length: 10 }, (_, number) => number));
});

test('a call that fails frees its slot', async () => {
  const { callSlots } = newCalls();
  const fail = () => Promise.reject(new Error('failed'));
  for (let number = 0; number < 20; number++) await expect(callSlots.run(fail)).rejects.toThrow('failed');
});
