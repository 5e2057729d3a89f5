/** Tests that calls of background functions wait for requests, and that none of them waits for ever. */
import { expect, test } from '@jest/globals';
import { CallSlots } from '../../../../infra/local/call-slots.ts';
import { triggers } from '../../../../infra/triggers.ts';

const background = triggers.deliverWebhook.handler;
const request = 'functions/invoices/get.ts';
const turn = () => new Promise(setImmediate);

/** Makes calls that last until `finish` ends the oldest ones. */
function newCalls() {
  const callSlots = new CallSlots();
  const running: { file: string | undefined; end: () => void }[] = [];
  const begun: number[] = [];
  const begin = (file: string | undefined, number = 0) =>
    callSlots.run(file, () => {
      begun.push(number);
      return new Promise<void>((end) => running.push({ file, end }));
    });
  const count = (file: string) => running.filter((call) => call.file === file).length;
  const finish = async (file: string, calls = 1) => {
    for (let left = calls; left > 0; left--) {
      const index = running.findIndex((call) => call.file === file);
      running.splice(index, 1)[0]?.end();
      await turn();
    }
  };
  return { begin, begun, count, finish };
}

test('at most 16 calls of background functions run at once, and the others follow in their order', async () => {
  const { begin, begun, count, finish } = newCalls();
  const all = Array.from({ length: 40 }, (_, number) => begin(background, number));
  await turn();
  expect(count(background)).toBe(16);
  await finish(background, 40);
  await Promise.all(all);
  expect(begun).toEqual(Array.from({ length: 40 }, (_, number) => number));
});

test('a call of a request begins at once, and meanwhile at most 2 calls of background functions begin', async () => {
  const { begin, count, finish } = newCalls();
  for (let number = 0; number < 40; number++) void begin(background);
  for (let number = 0; number < 20; number++) void begin(request);
  await turn();
  expect([count(background), count(request)]).toEqual([16, 20]);
  await finish(background, 15);
  expect(count(background)).toBe(2);
  await finish(request, 19);
  expect(count(background)).toBe(2);
  await finish(request);
  expect(count(background)).toBe(16);
});

test('a call that fails frees its slot, and a call outside of all functions counts as one of a request', async () => {
  const callSlots = new CallSlots();
  const fail = () => Promise.reject(new Error('failed'));
  for (let number = 0; number < 20; number++)
    await expect(callSlots.run(background, fail)).rejects.toThrow('failed');
  await expect(callSlots.run(undefined, fail)).rejects.toThrow('failed');
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls = Array.from({ length: 16 }, () => callSlots.run(background, () => promise));
  resolve();
  await Promise.all(calls);
});
