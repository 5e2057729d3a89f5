/**
 * Moves the money of some invoices in all ways at random and under faults, lets everything come to its end, and audits the records, the
 * events, the rows of statements, the journal and the books of the provider.
 */
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { differencesOfMoney } from '../support/checkout-books.ts';
import { type CheckoutDouble, startCheckoutDouble } from '../support/checkouts.ts';
import type { TestClock } from '../support/clock.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { readPaymentReference } from '../support/statements.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { type Background, startUnreliableBackground } from '../support/unreliable-background.ts';
import { balanceViolations } from './audit-balances.ts';
import { eventMoneyViolations, outcomeViolations, overViolations, rowViolations } from './audit-money.ts';
import { leftWorkViolations } from './audit-pending-work.ts';
import { countPayments, eventsOf, journalLinesOf } from './money-facts.ts';
import { chooseStep } from './money-steps.ts';
import { heldPayments, type MoneyWorld } from './money-world.ts';
import { advanceToQuiescence } from './quiescence.ts';
import { defaultFaults } from './workload.ts';

export interface MoneyRun {
  readonly seed: number;
  /** How many steps are taken in all. */
  readonly steps: number;
  /** How many steps are taken at the same time. */
  readonly concurrency: number;
  readonly clock: TestClock;
}

export interface MoneyRunResult {
  readonly violations: readonly string[];
  /** How often each step was taken, and each request ended with each status or code. */
  readonly counts: Readonly<Record<string, number>>;
  /** How many payments completed, by their method, and by what they came from. */
  readonly payments: Readonly<Record<string, number>>;
}

const maxAttempts = 20;
const minuteMs = 60_000;

/** @param stack a fresh stack, whose schedule interval is longer than the run */
export async function runRandomMoney(stack: Stack, run: MoneyRun): Promise<MoneyRunResult> {
  const { seed, clock } = run;
  const checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  const merchant = await checkouts.newMerchant('test');
  await prepare(merchant.owner);
  checkouts.double.notifications.sendTo('test', checkouts.notificationUrl(merchant));
  const layer = await installFaults({ seed, ...defaultFaults });
  const background = await startUnreliableBackground(stack, { seed, rate: 0.15 });
  const client = new MoneyClient(merchant.api, checkouts, tableOf(stack));
  try {
    let step = 0;
    const take = async () => {
      while (step < run.steps) {
        const random = seededRandom(seed, 'money', step++);
        clock.advance(random.integer(500, 20_000));
        if (step % 25 === 0) void background.sweep();
        await client.take(random, clock);
      }
    };
    await Promise.all(Array.from({ length: run.concurrency }, take));
    layer.setPlan({ seed });
    await end({ stack, client, background, layer, clock });
    const violations = await audit({ stack, client, checkouts, background }, merchant.owner);
    const payments = await countPayments(tableOf(stack));
    const decided = client.counts['POST /api/statements/{id}/rows/{id}/match 201'] ?? 0;
    const byItself = Math.max(0, (payments.row ?? 0) - decided);
    return {
      violations,
      counts: client.counts,
      payments: byItself > 0 ? { ...payments, 'row by itself': byItself } : payments,
    };
  } finally {
    layer.remove();
    await background.close();
    await checkouts.close();
  }
}

async function prepare({ account }: Owner): Promise<void> {
  const [{ updateSettings }, { changeSeller }] = await Promise.all([
    import('../../shared/domain/accounts/settings-store.ts'),
    import('../../shared/domain/accounts/seller-change-store.ts'),
  ]);
  // Without instructions, the page takes no claims.
  await updateSettings(account, { paymentInstructions: 'Bank of Bhutan\nAccount 12345' });
  await changeSeller(account, { legalName: 'Druk Shop', address: { country: 'BT' }, writeOffPercent: 10 });
}

/** A client that repeats a request under its key until it knows the outcome. */
class MoneyClient {
  readonly api: ReturnType<typeof inNewestVersion>;
  readonly counts: Record<string, number> = {};
  readonly #double: MoneyWorld['double'];
  readonly #table: TestTable;
  readonly #statements: object[] = [];
  #taken = 0;
  /** The requests whose outcome is unknown. */
  readonly #open = new Map<string, () => Promise<TestItem | undefined>>();
  #labels = 0;

  constructor(api: Parameters<typeof inNewestVersion>[0], { double }: CheckoutDouble, table: TestTable) {
    this.api = inNewestVersion(api);
    this.#double = double;
    this.#table = table;
  }

  async take(random: Parameters<typeof chooseStep>[0], clock: TestClock): Promise<void> {
    const [name, step] = chooseStep(random, this.#taken++);
    this.#count(name);
    await step(this.#worldAt(clock), random);
  }

  /** Repeats the requests whose outcome is unknown. Returns how many are left. */
  async repeatOpen(): Promise<number> {
    await Promise.all([...this.#open.values()].map((repeat) => repeat()));
    return this.#open.size;
  }

  /** Accepts the payments that wait for a decision, or returns those that cannot be accepted. Returns how many there were. */
  async decideHeld(clock: TestClock): Promise<number> {
    const world = this.#worldAt(clock);
    const held = await heldPayments(world);
    for (const { id } of held) {
      const path = `/api/payments/${id}/resolve`;
      if (!(await world.send('POST', path, { action: 'accept' })))
        await world.send('POST', path, { action: 'refund' });
    }
    return held.length;
  }

  #worldAt(clock: TestClock): MoneyWorld {
    return {
      statements: this.#statements,
      double: this.#double,
      send: (method, path, body) => this.#send(method, path, body),
      read: async (path) => {
        const { status, json, text } = await this.api.get(path);
        if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
        return json;
      },
      paymentReferenceOf: (invoice) => readPaymentReference(this.#table, invoice),
      count: (name) => this.#count(name),
      newLabel: () => this.#newLabel(),
      today: () => new Date(clock.now()).toISOString().slice(0, 10),
    };
  }

  #newLabel(): string {
    this.#labels += 1;
    return `money-${this.#labels}`;
  }

  #send(method: string, path: string, body: object | undefined): Promise<TestItem | undefined> {
    const key = this.#newLabel();
    const repeat = async (): Promise<TestItem | undefined> => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const headers = { [invocationHeader]: this.#newLabel(), 'Idempotency-Key': key };
        const answer = await this.api.send(method, path, { body, headers }).catch(() => undefined);
        const code = answer?.json?.error?.code;
        if (!answer || answer.status >= 500 || answer.status === 429) continue;
        this.#open.delete(key);
        this.#count(
          `${method} ${path.replace(/(?<=\/)\w+_\w+/g, '{id}').split('?')[0]} ${code ?? answer.status}`,
        );
        return answer.status < 300 ? answer.json : undefined;
      }
      return undefined;
    };
    this.#open.set(key, repeat);
    return repeat();
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

interface EndedRun {
  readonly stack: Stack;
  readonly client: MoneyClient;
  readonly background: Background;
  readonly layer: FaultLayer;
  readonly clock: TestClock;
}

/**
 * Repeats what has no answer, lets all timers of payments, checkouts, refunds and statements pass, and accepts the payments that wait for a
 * decision.
 */
async function end(run: EndedRun): Promise<void> {
  const { client, background, clock } = run;
  await background.flush();
  for (let step = 0; step < 10; step++) {
    await background.whileIdle(() => clock.advance(2 * minuteMs));
    if ((await client.repeatOpen()) === 0) break;
  }
  await passTimers(run);
  if ((await client.decideHeld(clock)) > 0) await passTimers(run);
}

async function passTimers({ stack, background, layer, clock }: EndedRun): Promise<void> {
  const table = tableOf(stack);
  const quiescence = { table, layer, background, clock, advanceClock: clock.advance };
  for (let step = 0; step < 20; step++) {
    await advanceToQuiescence(quiescence);
    const next = await nextTimer(table, clock.now());
    if (next === undefined) return;
    await background.whileIdle(() => clock.advance(Math.max(next - clock.now(), minuteMs)));
  }
}

/** Returns when the next timer of money is due. Processed refunds are looked at again much later. */
async function nextTimer(table: TestTable, now: number): Promise<number | undefined> {
  const soonMs = 12 * 3_600_000;
  const kinds = ['checkout', 'payment', 'refund'];
  const due = (await table.all('TIMER#'))
    .filter((timer) => kinds.includes(timer.kind))
    .map((timer) => timer.due);
  const soon = due.filter((at) => at < now + soonMs);
  return soon.length === 0 ? undefined : Math.min(...soon);
}

async function audit(
  {
    stack,
    client,
    checkouts,
    background,
  }: Pick<EndedRun, 'stack' | 'client' | 'background'> & { readonly checkouts: CheckoutDouble },
  owner: Owner,
): Promise<string[]> {
  const table = tableOf(stack);
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const items = await table.all('');
  const name = `${owner.account}#${owner.mode}`;
  const { differences, unconfirmed, failures } = await reconcileNow(owner, { full: true, waitsMs: [0] });
  const records = { items, owner: name, events: await eventsOf(client.api) };
  const lines = await journalLinesOf(client.api);
  const deadLetters = await background.deadLetters();
  return [
    ...((await client.repeatOpen()) > 0 ? ['some requests have no outcome'] : []),
    ...(deadLetters > 0 ? [`${deadLetters} messages are in dead-letter queues`] : []),
    ...balanceViolations(items, name),
    ...leftWorkViolations(items, name),
    ...outcomeViolations(records),
    ...eventMoneyViolations(records),
    ...rowViolations(records),
    ...overViolations(records, lines),
    ...(await differencesOfMoney(table, checkouts.double, owner)),
    ...[...differences, ...unconfirmed, ...failures].map((each) => JSON.stringify(each)),
  ];
}
