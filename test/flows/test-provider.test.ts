/**
 * Tests the test provider: it fulfills the contract of the port, gives the outcome of each test card, and stores no
 * card data.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Card } from '../../shared/domain/payments/provider/card.ts';
import type { PaymentProvider } from '../../shared/domain/payments/provider/provider.ts';
import { testCards } from '../../shared/domain/payments/provider/test-cards.ts';
import { testProvider } from '../../shared/domain/payments/provider/test-provider.ts';
import { countingCalls } from '../../shared/store/call-count.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import {
  cancelTransaction,
  type DynamodbAttempt,
  type FaultHandler,
  injectFault,
  interceptCalls,
  loseResponse,
  respondWithError,
} from '../support/intercept-calls.ts';
import { describeProviderConformance } from '../support/provider-conformance/suite.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
});
afterAll(() => stack.close());

const cardOf = (number: string): Card => ({ number, expMonth: 12, expYear: 9_876, cvc: '8642' });
const completing = cardOf('4242424242424242');

describeProviderConformance('the test provider', {
  provider: () => testProvider,
  otherProcess: () => inAnotherProcess,
  currency: 'BTN',
  cards: {
    completing,
    declined: cardOf('4000000000000002'),
    unknownAtFirst: cardOf('4000000000000077'),
    refundFailsLater: cardOf('4000000000005126'),
  },
  settle: () => clock.advance(3_000),
  netCapturedMinor: async (key) => {
    const item = await table.get(tableKeys.testProvider(key));
    return item?.outcome.kind === 'done' ? item.leftMinor : 0;
  },
  loseMessage,
});

const run = promisify(execFile);

/** Makes each call in a separate process. */
const inAnotherProcess = new Proxy({} as PaymentProvider, {
  get: (_, method) => async (request: unknown) => {
    const program = `
      import { testProvider } from './shared/domain/payments/provider/test-provider.ts';
      const outcome = await testProvider[${JSON.stringify(method)}](${JSON.stringify(request)});
      process.stdout.write(JSON.stringify(outcome));`;
    const args = ['--input-type=module', '--eval', program];
    // Jest's environment is a copy. A child process gets it only if it is passed explicitly.
    return JSON.parse((await run(process.execPath, args, { env: process.env })).stdout);
  },
});

async function loseMessage(
  nth: number,
  when: 'before' | 'after',
  call: () => Promise<unknown>,
): Promise<boolean> {
  let messages = 0;
  const lose: FaultHandler = async (message, send) => {
    if (messages++ !== nth) return send();
    if (when === 'after') await send();
    // The SDK does not retry this error.
    return respondWithError('ValidationException')(message, send);
  };
  const interception = interceptCalls(lose);
  try {
    await call();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException' });
    return true;
  } finally {
    interception.remove();
  }
}

let count = 0;
const newKey = () => `key-${count++}`;
const capture = (key: string, card = completing, amountMinor = 500) =>
  testProvider.capture({ key, amountMinor, currency: 'INR', card });
const refused = (code: string) => ({ kind: 'refused', code });

describe('the test cards', () => {
  const unknown = { kind: 'unknown' };
  const done = { kind: 'done' };
  const failing = testCards.filter(({ capture: result }) => result !== 'done' && result !== 'later');

  test.each(failing)('$number: a capture is refused with $capture', async ({ number, capture: code }) => {
    expect(await capture(newKey(), cardOf(number))).toEqual(refused(code));
  });

  test.each(testCards.filter(({ capture: result }) => result === 'done'))(
    '$number: a capture is done',
    async ({ number }) => {
      expect(await capture(newKey(), cardOf(number))).toEqual(done);
    },
  );

  test('4000000000000077: a capture is unknown for three seconds, then done', async () => {
    const key = newKey();
    expect(await capture(key, cardOf('4000000000000077'))).toEqual(unknown);
    clock.advance(2_999);
    expect(await testProvider.status(key)).toEqual(unknown);
    clock.advance(1);
    expect(await testProvider.status(key)).toEqual(done);
  });

  test('4000000000000077: a capture can be voided until it is done', async () => {
    const [early, late] = [newKey(), newKey()];
    await capture(late, cardOf('4000000000000077'));
    clock.advance(1);
    await capture(early, cardOf('4000000000000077'));
    clock.advance(2_999);
    expect(await testProvider.void(early)).toEqual(refused('processing_error'));
    expect(await testProvider.void(late)).toEqual(done);
    clock.advance(3_000);
    expect(await testProvider.status(early)).toEqual(refused('processing_error'));
  });

  test('4000000000005126: a refund is unknown for three seconds, then refused', async () => {
    const [key, captureKey] = [newKey(), newKey()];
    await capture(captureKey, cardOf('4000000000005126'));
    expect(await testProvider.refund({ key, captureKey, amountMinor: 1 })).toEqual(unknown);
    clock.advance(2_999);
    expect(await testProvider.status(key)).toEqual(unknown);
    clock.advance(1);
    expect(await testProvider.status(key)).toEqual(refused('refund_refused'));
  });

  test('any other number is declined', async () => {
    expect(await capture(newKey(), cardOf('4111111111111111'))).toEqual(refused('card_declined'));
  });
});

test('a final outcome stays final for a process with a slower clock', async () => {
  const key = newKey();
  await capture(key, cardOf('4000000000000077'));
  const behind = clock.now();
  clock.advance(3_000);
  expect(await testProvider.status(key)).toEqual({ kind: 'done' });
  clock = stopClock(behind);
  expect(await testProvider.status(key)).toEqual({ kind: 'done' });
  expect(await testProvider.void(key)).toEqual({ kind: 'done' });
});

test('using a key for a different request throws and changes nothing', async () => {
  const [key, refundKey] = [newKey(), newKey()];
  await capture(key);
  const refund = { key: refundKey, captureKey: key, amountMinor: 100 };
  await testProvider.refund(refund);
  const before = await table.all('TESTPROVIDER#');
  const misuses = [
    () => capture(key, completing, 501),
    () => testProvider.capture({ key, amountMinor: 500, currency: 'USD', card: completing }),
    () => capture(refundKey),
    () => testProvider.refund({ ...refund, amountMinor: 101 }),
    () => testProvider.refund({ ...refund, captureKey: 'key' }),
    () => testProvider.refund({ ...refund, key }),
    () => testProvider.void(refundKey),
  ];
  for (const misuse of misuses) await expect(misuse()).rejects.toThrow(/^key-\d+ (was used for|is a refund)/);
  for (const amountMinor of [0, -1, 0.5]) {
    await expect(testProvider.refund({ ...refund, key: newKey(), amountMinor })).rejects.toThrow('amount');
  }
  expect(await table.all('TESTPROVIDER#')).toEqual(before);
});

test('calls of the test provider are not counted among the calls of the request', async () => {
  const calls = { calls: 0, inSequence: 0 };
  await countingCalls(calls, async () => {
    const [key, captureKey] = [newKey(), newKey()];
    await capture(captureKey);
    await testProvider.refund({ key, captureKey, amountMinor: 1 });
    await testProvider.refund({ key: newKey(), captureKey, amountMinor: 501 });
    await testProvider.status(key);
    await testProvider.void(captureKey);
    await testProvider.void(newKey());
  });
  expect(calls).toEqual({ calls: 0, inSequence: 0 });
});

test('cards with equal outcomes store equal items: no number, expiry date or code is sent to the table', async () => {
  const other: Card = { number: '5555555555554444', expMonth: 1, expYear: 2_099, cvc: '975' };
  const [items, calls] = [[], []] as [unknown[], unknown[]];
  for (const card of [completing, other]) {
    const key = newKey();
    const interception = interceptCalls();
    await capture(key, card);
    interception.remove();
    const item = JSON.stringify(await table.get(tableKeys.testProvider(key)));
    items.push(JSON.parse(item.replaceAll(key, 'key')));
    calls.push(interception.calls.map(({ body }) => JSON.parse(body.replaceAll(key, 'key'))));
  }
  expect(items[0]).toMatchObject({ key: 'key', outcome: { kind: 'done' } });
  expect(items[0]).toEqual(items[1]);
  expect(calls[0]).toEqual(calls[1]);
});

test('no card number is sent to the table or included in an error', async () => {
  const interception = interceptCalls();
  const errors: string[] = [];
  for (const { number } of testCards) {
    const [key, captureKey] = [newKey(), newKey()];
    await capture(captureKey, cardOf(number));
    await testProvider.refund({ key, captureKey, amountMinor: 500 });
    await capture(captureKey, cardOf(number), 501).catch((error) => errors.push(error.stack));
  }
  interception.remove();
  const sent = interception.calls.map(({ body }) => body);
  const stored = (await table.all('TESTPROVIDER#')).map((item) => JSON.stringify(item));
  expect(errors).toHaveLength(testCards.length);
  expect(sent.length).toBeGreaterThan(2 * testCards.length);
  const written = [...errors, ...sent, ...stored].join('\n');
  for (const { number } of testCards) expect(written).not.toContain(number);
});

describe('between the provider and its table', () => {
  const done = { kind: 'done' };
  const during = async <T>(fault: FaultHandler & { left(): number }, work: () => Promise<T>): Promise<T> => {
    const interception = interceptCalls(fault);
    const result = await work().finally(() => interception.remove());
    expect(fault.left()).toBe(0);
    return result;
  };
  const on = (operation: string) => (call: DynamodbAttempt) => call.operation === operation;
  const refund = (captureKey: string, amountMinor: number, key = newKey()) =>
    testProvider.refund({ key, captureKey, amountMinor });
  const leftOf = async (key: string) => (await table.get(tableKeys.testProvider(key)))?.leftMinor;

  test('a call that is retried after a lost answer gets the same answer', async () => {
    const [key, voidedKey] = [newKey(), newKey()];
    expect(await during(injectFault(on('PutItem'), loseResponse), () => capture(key))).toEqual(done);
    expect(await during(injectFault(on('TransactWriteItems'), loseResponse), () => refund(key, 300))).toEqual(
      done,
    );
    expect(await leftOf(key)).toBe(200);
    await capture(voidedKey, cardOf('4000000000000077'));
    const voiding = during(injectFault(on('UpdateItem'), loseResponse), () => testProvider.void(voidedKey));
    expect(await voiding).toEqual(refused('processing_error'));
  });

  test('a refund that conflicts with others is retried', async () => {
    const key = newKey();
    await capture(key);
    const fault = injectFault(on('TransactWriteItems'), cancelTransaction('None', 'TransactionConflict'), 3);
    expect(await during(fault, () => refund(key, 300))).toEqual(done);
    expect(await leftOf(key)).toBe(200);
  });

  test('a refund that runs after a concurrent one can use only what that one left', async () => {
    for (const [amountMinor, outcome, left] of [
      [400, done, 0],
      [401, refused('refund_refused'), 400],
    ] as const) {
      const [key, refundKey] = [newKey(), newKey()];
      await capture(key);
      const concurrentRefund = injectFault(on('TransactWriteItems'), async (_, send) => {
        expect(await refund(key, 100)).toEqual(done);
        return send();
      });
      expect(await during(concurrentRefund, () => refund(key, amountMinor, refundKey))).toEqual(outcome);
      expect(await testProvider.status(refundKey)).toEqual(outcome);
      expect(await leftOf(key)).toBe(left);
    }
  });

  test('two concurrent requests under one key make one refund', async () => {
    const [key, refundKey] = [newKey(), newKey()];
    await capture(key);
    const concurrentRequest = injectFault(on('TransactWriteItems'), async (_, send) => {
      expect(await refund(key, 400, refundKey)).toEqual(done);
      return send();
    });
    expect(await during(concurrentRequest, () => refund(key, 400, refundKey))).toEqual(done);
    expect(await leftOf(key)).toBe(100);
  });

  test('a void is too late if the capture settles at the same time', async () => {
    const key = newKey();
    await capture(key, cardOf('4000000000000077'));
    const concurrentSettlement = injectFault(on('UpdateItem'), async (_, send) => {
      clock.advance(3_000);
      expect(await testProvider.status(key)).toEqual(done);
      return send();
    });
    expect(await during(concurrentSettlement, () => testProvider.void(key))).toEqual(done);
    expect(await testProvider.status(key)).toEqual(done);
  });
});
