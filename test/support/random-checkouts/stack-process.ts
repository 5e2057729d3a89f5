/**
 * Runs a stack in a process of its own, so that a test can kill it at any moment. The test tells it the time, and when to
 * deliver the messages of timers. The queues of the stack end with the process, and the table does not.
 */
import { startStack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/base/ids.ts';
import type { HostedProviderName } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import type { DueTimers } from '../checkout-books.ts';
import { stopClock } from '../clock.ts';
import type { NewMerchant, StackCall, StackProcessOptions } from './killable-stack.ts';

const options = JSON.parse(process.argv[2] ?? '') as StackProcessOptions;
const clock = stopClock(options.now);
const stack = await startStack({
  host: '127.0.0.1',
  port: options.port,
  tableName: options.tableName,
  queuePrefix: 'random-checkouts',
  dynamodb: options.dynamodb,
  deploymentSecretFile: options.deploymentSecretFile,
  scheduleIntervalMs: 3_600_000,
  report: () => {},
});
await Promise.all([stack.queues.pause(), stack.schedule.pause()]);

// These modules read the environment that the stack has set.
const { deliverTimers } = await import('../checkout-books.ts');
const { connectTo } = await import('../checkouts.ts');
const { tableOf } = await import('../table.ts');
const { newAccount } = await import('../api.ts');
const { relayStale } = await import('../../../shared/operations/outbox/relay.ts');
const { compareProviderBooks } = await import(
  '../../../shared/operations/reconciliation/provider-differences.ts'
);
const { beginBooks, reconcileBooks } = await import(
  '../../../shared/operations/reconciliation/reconcile-books.ts'
);
const { reconcileNow } = await import('../../../shared/operations/reconciliation/reconcile-now.ts');
const { readAllocatedNumbers } = await import(
  '../../../shared/operations/reconciliation/reconciliation-store.ts'
);
const table = tableOf(stack);

/** How often the timers are delivered again that the work itself has set for now. */
const mostRounds = 8;
/** How long the stream has to relay an item. The sweep relays what a killed stack has left, when the clock has advanced. */
const relayedWithinMs = 2_000;

/** Delivers the messages of the timers that are due. */
async function work(): Promise<DueTimers> {
  let timers: DueTimers = { due: 1, left: 0, next: undefined };
  for (let round = 0; round < mostRounds && timers.due > 0; round++) {
    await relay();
    timers = await deliverTimers(table, clock);
  }
  return timers;
}

async function relay(): Promise<void> {
  const end = performance.now() + relayedWithinMs;
  await relayStale();
  while ((await table.all('OUTBOX#')).length > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

async function newMerchant(provider: HostedProviderName): Promise<NewMerchant> {
  const account = await newAccount(stack.baseUrl);
  const owner: Owner = { account: account.accountId, mode: 'live' };
  const double = { credentials: options.credentials[provider] };
  await connectTo(double, owner, provider);
  return { owner, apiKey: account.live.apiKey };
}

/** Compares the books of an account as the reconciliation of a day does, without its waits. */
async function reconcileDay(owner: Owner): Promise<void> {
  const messages: Parameters<typeof reconcileBooks>[0][] = [];
  const send = async (message: (typeof messages)[number]) => void messages.push(message);
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  await beginBooks(owner, day, clock.now(), send);
  for (let index = 0; index < messages.length && index < 20; index++) {
    const message = messages[index];
    if (message?.books.isSecond) await work();
    if (message) await reconcileBooks(message, clock.now(), send);
  }
}

/** Compares all records and books of an account. Returns each difference as a text. */
async function findDifferences(owner: Owner, since: number): Promise<string[]> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) throw new Error(`${owner.account} does not exist.`);
  const books = await compareProviderBooks(owner, numbers, { since, now: clock.now(), waitMs: 0 });
  const records = await reconcileNow(owner, { full: true, waitsMs: [0, 0] });
  return [...books.differences, ...books.failures, ...records.differences, ...records.failures].map(
    (each) => `reconciliation: ${JSON.stringify(each)}`,
  );
}

const calls: { readonly [Name in keyof StackCall]: (...args: StackCall[Name][0]) => unknown } = {
  advanceTo: (now) => clock.to(now),
  newMerchant,
  work,
  reconcileDay,
  findDifferences,
};

process.on('message', async ({ number, name, args }: { number: number; name: string; args: never[] }) => {
  try {
    const call = calls[name as keyof StackCall] as (...given: unknown[]) => unknown;
    process.send?.({ number, value: await call(...args) });
  } catch (error) {
    process.send?.({
      number,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
});
// The test has ended.
process.on('disconnect', () => process.exit());
process.send?.({ baseUrl: stack.baseUrl });
