/**
 * Plays the stories of many checkouts on a stack that is killed again and again, and compares the books at the end.
 *
 * - A run depends on its seed, except for what real time decides: which of two parallel requests is first, and what a stack
 *   has done when it is killed.
 */
import { type LocalDoubles, startProviderDoubles } from '../../../infra/local/doubles.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { apiOf } from '../api.ts';
import { stopClock } from '../clock.ts';
import { inNewestVersion } from '../newest-version.ts';
import { seededRandom } from '../seeded-random.ts';
import { type TestTable, tableOf } from '../table.ts';
import { StoryPerformance } from './actors.ts';
import { Agenda } from './agenda.ts';
import { type EndedRun, endRun } from './end-run.ts';
import { type KillableStack, StackKilledError, startKillableStack } from './killable-stack.ts';
import { planKills } from './kills.ts';
import { planNotifications } from './notifications.ts';
import { dayMs, hourMs, minuteMs, tellStory } from './stories.ts';
import { injectWeather, setWeather, weatherAt } from './weather.ts';

export interface RandomCheckouts {
  readonly seed: number;
  readonly checkouts: number;
  /** How often the stack is killed. */
  readonly kills: number;
}

export interface RandomCheckoutsResult {
  /** Each with the seed, and with the history of the checkout that it is about. */
  readonly failures: readonly string[];
  readonly payments: number;
  readonly refunds: number;
  readonly kills: number;
}

type Run = Omit<EndedRun, 'performances'> & RandomCheckouts;

/** How many invoices an account has. */
const checkoutsOfMerchant = 100;
const atOnce = 20;
/** The last step of a story is before this. */
const storiesEndMs = 7 * dayMs - 8 * hourMs;
/** The clock advances in short steps while most payers pay, and in long ones after that. */
const stepAt = (atMs: number): number => (atMs < 8 * hourMs ? 10 * minuteMs : 2 * hourMs);

/** Runs the stories of a seed. */
export async function runRandomCheckouts(options: RandomCheckouts): Promise<RandomCheckoutsResult> {
  const clock = stopClock();
  const doubles = await startProviderDoubles({ stripe: 0, razorpay: 0 });
  const stack = await startKillableStack(doubles, clock.now);
  try {
    const merchants: Run['merchants'][number][] = [];
    for (let index = 0; index * checkoutsOfMerchant < options.checkouts; index++)
      for (const provider of hostedProviderNames)
        merchants.push({ provider, ...(await stack.call('newMerchant', provider)) });
    const run: Run = {
      ...options,
      clock,
      begin: clock.now(),
      doubles,
      stack,
      table: tableOf(stack),
      merchants,
    };
    const performances = await play(run);
    for (const provider of hostedProviderNames) {
      doubles[provider].faults.clear();
      setWeather(doubles[provider], 'calm');
    }
    const failures = await endRun({ ...run, performances });
    const books = hostedProviderNames.flatMap((provider) => doubles[provider].books());
    return {
      failures: failures.map((failure) => `seed ${options.seed}: ${failure}`),
      payments: books.length,
      refunds: books.flatMap(({ refunds }) => refunds).length,
      kills: stack.kills,
    };
  } finally {
    await stack.close();
    await doubles.close();
  }
}

/** Plays all stories to their end. */
async function play(run: Run): Promise<StoryPerformance[]> {
  const { seed, stack, clock, begin, doubles, merchants } = run;
  const elapsed = () => clock.now() - begin;
  const agenda = new Agenda(elapsed);
  const checkouts = new KnownCheckouts(run.table);
  const performances = castStories(run, agenda, elapsed, checkouts);
  for (const provider of hostedProviderNames) injectWeather(doubles[provider], provider, seed, elapsed);
  const notify = hostedProviderNames.map((provider) => {
    const own = merchants.filter((merchant) => merchant.provider === provider);
    const urls = own.map(({ owner }) => `${stack.baseUrl}/notifications/${provider}/${owner.account}`);
    return planNotifications({ seed, double: doubles[provider], urls, agenda });
  });
  const settle = hostedProviderNames.map((provider) => planRefunds(seed, provider, doubles, agenda, elapsed));
  const kills = planKills(seed, run.kills, stack, doubles);
  let reconciledAt = 0;
  while (elapsed() < storiesEndMs || !agenda.isEmpty) {
    clock.advance(stepAt(elapsed()));
    checkouts.forget();
    for (const provider of hostedProviderNames)
      setWeather(doubles[provider], weatherAt(seed, provider, elapsed()));
    await persist(stack, () => stack.call('advanceTo', clock.now()));
    kills.arm(elapsed());
    const due = agenda.takeDue();
    for (let first = 0; first < due.length; first += atOnce) {
      await stack.revive();
      await Promise.all(due.slice(first, first + atOnce).map((work) => work()));
    }
    await persist(stack, () => stack.call('work'));
    if (elapsed() >= reconciledAt + dayMs) {
      reconciledAt = elapsed();
      for (const { owner } of merchants) await persist(stack, () => stack.call('reconcileDay', owner));
    }
    // While the weather is that in which the refunds were made.
    for (const plan of [...settle, ...notify]) plan();
  }
  kills.disarm();
  return performances;
}

/** Puts the steps of all stories on the agenda. */
function castStories(
  { seed, checkouts: count, merchants, doubles, stack }: Run,
  agenda: Agenda,
  elapsed: () => number,
  checkouts: KnownCheckouts,
): StoryPerformance[] {
  return Array.from({ length: count }, (_, number) => {
    const story = tellStory(seed, number);
    const own = merchants.filter(({ provider }) => provider === story.provider);
    const api = inNewestVersion(apiOf(stack.baseUrl, own[number % own.length]?.apiKey));
    const keysOf = (invoiceId: string) => checkouts.of(invoiceId);
    const performance = new StoryPerformance(story, { double: doubles[story.provider], api, keysOf });
    for (const { atMs, act } of story.steps)
      agenda.add(Math.min(atMs, storiesEndMs), () => performance.perform(elapsed(), act));
    return performance;
  });
}

/** Finds the checkouts of an invoice, with one look at the table for each step of the clock. */
class KnownCheckouts {
  readonly #table: TestTable;
  #keys: Promise<Map<string, Set<string>>> | undefined;

  constructor(table: TestTable) {
    this.#table = table;
  }

  forget(): void {
    this.#keys = undefined;
  }

  async of(invoiceId: string): Promise<ReadonlySet<string>> {
    this.#keys ??= this.#read();
    return (await this.#keys).get(invoiceId) ?? new Set();
  }

  async #read(): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const { pk, invoiceId } of await this.#table.all('co_'))
      found.set(invoiceId, (found.get(invoiceId) ?? new Set()).add(pk));
    return found;
  }
}

/** Returns a function that plans the outcome of the refunds that are pending since its last call. */
function planRefunds(
  seed: number,
  provider: HostedProviderName,
  doubles: LocalDoubles,
  agenda: Agenda,
  elapsed: () => number,
): () => void {
  const known = new Set<string>();
  return () => {
    for (const { reference } of doubles[provider].books().flatMap(({ refunds }) => refunds)) {
      if (known.has(reference)) continue;
      known.add(reference);
      if (weatherAt(seed, provider, elapsed()) !== 'slow refunds') continue;
      const random = seededRandom(seed, provider, 'refund', known.size);
      const outcome = random.chance(0.8) ? 'succeeded' : 'failed';
      const settle = async () => doubles[provider].settleRefund(reference, outcome);
      agenda.add(elapsed() + random.integer(1, 40) * hourMs, settle);
    }
  };
}

/** Makes a call, and makes it once more for each time that the stack is killed meanwhile. */
async function persist<T>(stack: KillableStack, call: () => Promise<T>): Promise<T> {
  for (;;) {
    await stack.revive();
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StackKilledError)) throw error;
    }
  }
}
