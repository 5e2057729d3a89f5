/** The test provider: it keeps to the port, behaves as its table of cards says, and keeps nothing of a card. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Card } from '../../shared/payments/card.ts';
import type { PaymentProvider } from '../../shared/payments/provider.ts';
import { testCards } from '../../shared/payments/test-cards.ts';
import { testProvider } from '../../shared/payments/test-provider.ts';
import { countingCalls } from '../../shared/store/client.ts';
import { keys } from '../../shared/store/keys.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import {
  cancelled,
  errorAnswer,
  type Fault,
  faultOn,
  intercept,
  lostAnswer,
  type WireCall,
} from '../support/faults.ts';
import { providerConformance } from '../support/provider-conformance.ts';
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

providerConformance('the test provider', {
  provider: () => testProvider,
  elsewhere: () => inAnotherProcess,
  currency: 'BTN',
  cards: {
    completing,
    declined: cardOf('4000000000000002'),
    unknownAtFirst: cardOf('4000000000000077'),
    refundFailsLater: cardOf('4000000000005126'),
  },
  settle: () => clock.advance(3_000),
  takenMinor: async (key) => {
    const item = await table.get(keys.testProvider(key));
    return item?.outcome.kind === 'done' ? item.leftMinor : 0;
  },
  losing,
});

const run = promisify(execFile);

/** Each call in a process of its own. */
const inAnotherProcess = new Proxy({} as PaymentProvider, {
  get: (_, method) => async (request: unknown) => {
    const program = `
      import { testProvider } from './shared/payments/test-provider.ts';
      const outcome = await testProvider[${JSON.stringify(method)}](${JSON.stringify(request)});
      process.stdout.write(JSON.stringify(outcome));`;
    const words = ['--input-type=module', '--eval', program];
    // Jest's environment is a copy, which a child process gets only if it is handed to it.
    return JSON.parse((await run(process.execPath, words, { env: process.env })).stdout);
  },
});

async function losing(nth: number, when: 'before' | 'after', call: () => Promise<unknown>): Promise<boolean> {
  let messages = 0;
  const lose: Fault = async (message, send) => {
    if (messages++ !== nth) return send();
    if (when === 'after') await send();
    // An error that the SDK does not try again.
    return errorAnswer('ValidationException')(message, send);
  };
  const interception = intercept(lose);
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
  const failing = testCards.filter(({ capture: fate }) => fate !== 'done' && fate !== 'later');

  test.each(failing)('$number: a capture is refused, $capture', async ({ number, capture: code }) => {
    expect(await capture(newKey(), cardOf(number))).toEqual(refused(code));
  });

  test.each(testCards.filter(({ capture: fate }) => fate === 'done'))(
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

  test('4000000000000077: void takes it back until it is done', async () => {
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

test('what is due by one clock is not undone by another that is behind', async () => {
  const key = newKey();
  await capture(key, cardOf('4000000000000077'));
  const behind = clock.now();
  clock.advance(3_000);
  expect(await testProvider.status(key)).toEqual({ kind: 'done' });
  clock = stopClock(behind);
  expect(await testProvider.status(key)).toEqual({ kind: 'done' });
  expect(await testProvider.void(key)).toEqual({ kind: 'done' });
});

test('a key that is used for something else throws, and changes nothing', async () => {
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

test('its calls are not counted among those of the request', async () => {
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

test('neither number nor expiry nor code of a card is sent to the table: cards that fare alike leave the same', async () => {
  const other: Card = { number: '5555555555554444', expMonth: 1, expYear: 2_099, cvc: '975' };
  const [left, calls] = [[], []] as [unknown[], unknown[]];
  for (const card of [completing, other]) {
    const key = newKey();
    const interception = intercept();
    await capture(key, card);
    interception.remove();
    const books = JSON.stringify(await table.get(keys.testProvider(key)));
    left.push(JSON.parse(books.replaceAll(key, 'key')));
    calls.push(interception.calls.map(({ body }) => JSON.parse(body.replaceAll(key, 'key'))));
  }
  expect(left[0]).toMatchObject({ key: 'key', outcome: { kind: 'done' } });
  expect(left[0]).toEqual(left[1]);
  expect(calls[0]).toEqual(calls[1]);
});

test("no test card's number is sent to the table, nor stands in an error", async () => {
  const interception = intercept();
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

describe('between the provider and its books', () => {
  const done = { kind: 'done' };
  const during = async <T>(fault: Fault & { left(): number }, work: () => Promise<T>): Promise<T> => {
    const interception = intercept(fault);
    const result = await work().finally(() => interception.remove());
    expect(fault.left()).toBe(0);
    return result;
  };
  const on = (operation: string) => (call: WireCall) => call.operation === operation;
  const refund = (captureKey: string, amountMinor: number, key = newKey()) =>
    testProvider.refund({ key, captureKey, amountMinor });
  const leftOf = async (key: string) => (await table.get(keys.testProvider(key)))?.leftMinor;

  test('an answer that is lost on the way and asked for again is the same', async () => {
    const [key, voidedKey] = [newKey(), newKey()];
    expect(await during(faultOn(on('PutItem'), lostAnswer), () => capture(key))).toEqual(done);
    expect(await during(faultOn(on('TransactWriteItems'), lostAnswer), () => refund(key, 300))).toEqual(done);
    expect(await leftOf(key)).toBe(200);
    await capture(voidedKey, cardOf('4000000000000077'));
    const voiding = during(faultOn(on('UpdateItem'), lostAnswer), () => testProvider.void(voidedKey));
    expect(await voiding).toEqual(refused('processing_error'));
  });

  test('a refund that conflicts with others is tried again', async () => {
    const key = newKey();
    await capture(key);
    const fault = faultOn(on('TransactWriteItems'), cancelled('None', 'TransactionConflict'), 3);
    expect(await during(fault, () => refund(key, 300))).toEqual(done);
    expect(await leftOf(key)).toBe(200);
  });

  test('a refund that another overtakes is judged by what that left', async () => {
    for (const [amountMinor, outcome, left] of [
      [400, done, 0],
      [401, refused('refund_refused'), 400],
    ] as const) {
      const [key, refundKey] = [newKey(), newKey()];
      await capture(key);
      const overtaken = faultOn(on('TransactWriteItems'), async (_, send) => {
        expect(await refund(key, 100)).toEqual(done);
        return send();
      });
      expect(await during(overtaken, () => refund(key, amountMinor, refundKey))).toEqual(outcome);
      expect(await testProvider.status(refundKey)).toEqual(outcome);
      expect(await leftOf(key)).toBe(left);
    }
  });

  test('a refund that itself, asked for twice, overtakes is done once', async () => {
    const [key, refundKey] = [newKey(), newKey()];
    await capture(key);
    const overtaken = faultOn(on('TransactWriteItems'), async (_, send) => {
      expect(await refund(key, 400, refundKey)).toEqual(done);
      return send();
    });
    expect(await during(overtaken, () => refund(key, 400, refundKey))).toEqual(done);
    expect(await leftOf(key)).toBe(100);
  });

  test('a void that the settlement overtakes comes too late', async () => {
    const key = newKey();
    await capture(key, cardOf('4000000000000077'));
    const overtaken = faultOn(on('UpdateItem'), async (_, send) => {
      clock.advance(3_000);
      expect(await testProvider.status(key)).toEqual(done);
      return send();
    });
    expect(await during(overtaken, () => testProvider.void(key))).toEqual(done);
    expect(await testProvider.status(key)).toEqual(done);
  });
});
