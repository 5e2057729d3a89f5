/** Tests which values `X-Test-Fault` accepts, and what each means. */
import { expect, test } from '@jest/globals';
import { deliveryWaitMs, failsFirst, parseTestFault, requestsCounted } from '../../shared/base/test-fault.ts';

test.each([
  ['before-commit', { kind: 'before-commit' }],
  ['after-commit', { kind: 'after-commit' }],
  ['rate-limited', { kind: 'rate-limited' }],
  ['slow=1', { kind: 'slow', waitMs: 1 }],
  ['slow=10000', { kind: 'slow', waitMs: 10_000 }],
  ['drop', { kind: 'webhook', webhookFault: 'drop' }],
  ['twice', { kind: 'webhook', webhookFault: 'twice' }],
  ['reorder', { kind: 'webhook', webhookFault: 'reorder' }],
  ['delay=86400', { kind: 'webhook', webhookFault: 'delay=86400' }],
])('%s', (text, fault) => {
  expect(parseTestFault(text)).toEqual(fault);
});

test.each([
  '',
  'Drop',
  ' drop',
  'drop,twice',
  'drop, twice',
  'drop=1',
  'slow',
  'slow=',
  'slow=0',
  'slow=-1',
  'slow=1.5',
  'slow=1e3',
  'slow=010',
  'slow=10001',
  'slow=99999999999999999999',
  'delay=0',
  'delay=86401',
  'delay=1s',
  '__proto__',
  'constructor',
  'rate-limited\u0000',
  'rate-limited\n',
])('%j is no fault', (text) => {
  expect(parseTestFault(text)).toBeUndefined();
});

test('a slow request counts as one more request for each 250 ms, and every other one as one', () => {
  expect(
    ['slow=1', 'slow=250', 'slow=251', 'slow=10000'].map((text) => requestsCounted(parseTestFault(text))),
  ).toEqual([2, 2, 3, 41]);
  expect([undefined, parseTestFault('after-commit'), parseTestFault('delay=9')].map(requestsCounted)).toEqual(
    [1, 1, 1],
  );
});

test('only before-commit and rate-limited fail before anything happens', () => {
  const all = ['before-commit', 'rate-limited', 'after-commit', 'slow=1', 'drop'];
  expect(all.filter((text) => failsFirst(parseTestFault(text)))).toEqual(['before-commit', 'rate-limited']);
  expect(failsFirst(undefined)).toBe(false);
});

test('delay and reorder keep the first attempt back, and reorder turns the order of the events of a change around', () => {
  expect([undefined, 'drop', 'twice', 'delay=7'].map((fault) => deliveryWaitMs(fault as 'drop', 1))).toEqual([
    0, 0, 0, 7_000,
  ]);
  expect(deliveryWaitMs('reorder', 1)).toBeGreaterThan(deliveryWaitMs('reorder', 0) + 1_000);
});
