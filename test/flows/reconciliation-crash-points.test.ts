/**
 * Tests that no digest holds a record that did not agree: after a crash at any call of a comparison, and if records
 * change and another comparison runs at any call.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type BusyAccount, newBusyAccount, overwriteItem } from '../support/busy-account.ts';
import { installFaults } from '../support/fault-layer.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation, runAsInvocation } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let account: BusyAccount;
/** The account's items before and after a refund that the payment counts wrongly. Nothing is remembered yet. */
let before: readonly TestItem[];
let after: readonly TestItem[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  account = await newBusyAccount(stack, table);
  before = await itemsOfAccount();
  const [, , paid] = await account.records('pay_');
  const refund = { paymentId: paid?.pk, amount: 300 };
  expect((await account.api.post('/api/refunds', refund)).status).toBe(201);
  await account.waitUntilQuiescent();
  await overwriteItem(table, paid ?? {}, { amountRefunded: 299 });
  after = await itemsOfAccount();
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
});
beforeEach(() => restore(before));
afterAll(() => stack?.close());

const itemsOfAccount = async () => {
  const id = account.owner.account;
  const all = await table.all('');
  return all.filter(({ pk, account: owner }) => owner === id || String(pk).includes(id));
};

const isDigest = ({ pk }: TestItem) => String(pk).startsWith('DIGEST#');

async function restore(items: readonly TestItem[]): Promise<void> {
  const keyOf = ({ pk, sk }: TestItem) => `${pk} ${sk}`;
  const kept = new Set(items.map(keyOf));
  const extra = (await itemsOfAccount()).filter((item) => !kept.has(keyOf(item)));
  await Promise.all(extra.map(({ pk, sk }) => table.delete({ pk, sk })));
  await table.putAll(items);
}

const compare = async (full = false, waitsMs: number[] = []) => {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const { differences, remembered, failures } = await reconcileNow(account.owner, { full, waitsMs });
  expect(failures).toEqual([]);
  // The journal remembers no records, so it finds the difference in any case.
  const rules = differences.map(({ rule }) => rule).filter((rule) => rule !== 'journal_records_differ');
  return { rules, remembered };
};

const expectDifferenceFound = async (remembered: number) =>
  expect(await compare(false, [0, 0])).toEqual({ rules: ['refunded_sum_differs'], remembered });

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

test('after a crash at any call, the next comparison finds a difference in a record that was remembered before', async () => {
  await compare(true);
  expect((await compare()).remembered).toBe(8);
  const digests = (await itemsOfAccount()).filter(isDigest);
  let crashAt: number | undefined;
  const layer = await installFaults({
    seed: 0,
    script: ({ index }) => (crashAt === index ? 'crash before call' : undefined),
  });
  undo.push(layer.remove);
  for (let at = 0; ; at++) {
    await restore([...after, ...digests]);
    crashAt = at;
    const crashed = await runAsInvocation('compare', () => compare()).then(
      () => false,
      () => true,
    );
    crashAt = undefined;
    const { rules } = await compare(false, [0, 0]);
    expect({ at, rules }).toEqual({ at, rules: ['refunded_sum_differs'] });
    if (crashed) continue;
    expect(at).toBeGreaterThan(15);
    break;
  }
});

test.each(['a daily', 'a full'])(
  '%s comparison remembers no record that changes meanwhile, even if another comparison has seen the change',
  async (kind) => {
    if (kind === 'a daily') await compare(true);
    const digests = (await itemsOfAccount()).filter(isDigest);
    let calls = 0;
    for (let at = 0; ; at++) {
      await restore([...before, ...digests]);
      calls = 0;
      const interception = interceptCalls(async (_, send) => {
        if (currentInvocation()?.label !== 'compare' || calls++ !== at) return send();
        await table.putAll(after);
        // This comparison remembers the refund, which then no longer shows that its payment has changed.
        await runAsInvocation('other', () => compare());
        return send();
      });
      await runAsInvocation('compare', () => compare(kind === 'a full')).finally(interception.remove);
      if (calls <= at) break;
      const { rules } = await compare(false, [0, 0]);
      expect({ at, rules }).toEqual({ at, rules: ['refunded_sum_differs'] });
    }
    expect(calls).toBeGreaterThan(10);
  },
);

test('a digest of a newer release keeps what this release knows, and is not trusted for the rest', async () => {
  await compare(true);
  const digest = (await itemsOfAccount()).find((item) => isDigest(item) && item.pk.endsWith('#payment'));
  const { p, f, ...rest } = digest ?? {};
  expect([p, f]).toEqual([new Set([Uint8Array.of(1), Uint8Array.of(3)]), new Set([Uint8Array.of(2)])]);
  await table.put({ ...rest, p, disputed: f, proof: 'of a newer release' });
  // The payment, and the invoice that a changed payment could have changed, are read again.
  expect((await compare()).remembered).toBe(6);
  expect((await compare()).remembered).toBe(8);
  await restore(after);
  await compare(true);
  await expectDifferenceFound(7);
});
