/**
 * Dispatching deliveries in one instance of the function, next to the straightforward dispatcher: processor time,
 * rate, calls and units of a delivery that succeeds.
 */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type LambdaHandler, lambdaContext, loadHandler } from '../infra/local/handler.ts';
import type { Stack } from '../infra/local/stack.ts';
import { triggers } from '../infra/triggers.ts';
import { newAccount } from '../test/support/api.ts';
import { installFaults } from '../test/support/fault-layer.ts';
import { tableOf } from '../test/support/table.ts';
import { countUnits, sumOf } from '../test/support/units.ts';
import { webhookTimersOf } from '../test/support/webhook-audit.ts';
import { messageOf, publishItems } from '../test/support/webhook-workers.ts';
import { type Outside, startOutside } from './outside.ts';
import { dispatchPlainly } from './plain-dispatcher.ts';
import { ms, say, type Table, times } from './results.ts';

/** Deliveries of each contestant in a round; the first round is to warm up. */
const perRound = 100;
const rounds = 8;
/** How long the receiver takes where the rate is measured. */
const receiverMs = 50;

/** Handles messages as one instance does: one invocation after another. */
type Dispatcher = (messages: readonly string[]) => Promise<void>;

interface Figures {
  cpuMs: number;
  wallMs: number;
  deliveries: number;
}

export async function benchDispatch(stack: Stack, seed: number): Promise<Table> {
  const outside = await startOutside(stack);
  try {
    const own = await ownDispatcher();
    const contestants = [own, dispatchOneByOne];
    const atOnce = await race(stack, outside, '/after/0', contestants);
    const layer = await installFaults({ seed, latency: true });
    const modelled = await race(stack, outside, `/after/${receiverMs}`, contestants);
    layer.remove();
    return toTable({ atOnce, modelled, costs: await costs(stack, outside, contestants) });
  } finally {
    outside.close();
  }
}

async function ownDispatcher(): Promise<Dispatcher> {
  const { handler: file, batchSize } = triggers.deliverWebhook;
  const handler: LambdaHandler<SQSEvent, SQSBatchResponse> = await loadHandler(file);
  return async (messages) => {
    for (let at = 0; at < messages.length; at += batchSize) {
      const Records = messages
        .slice(at, at + batchSize)
        .map((body, place) => ({ messageId: String(place), body }));
      const { batchItemFailures } = await handler({ Records } as SQSEvent, lambdaContext(file, 60_000));
      if (batchItemFailures.length > 0) throw new Error('A delivery has failed.');
    }
  };
}

const dispatchOneByOne: Dispatcher = async (messages) => {
  for (const message of messages) await dispatchPlainly(message);
};

/** Each contestant delivers to an endpoint of its own at `path`, in turn. */
async function race(
  stack: Stack,
  outside: Outside,
  path: string,
  contestants: readonly Dispatcher[],
): Promise<Figures[]> {
  const figures = contestants.map(() => ({ cpuMs: 0, wallMs: 0, deliveries: 0 }));
  const waiting = [];
  for (const _ of contestants) waiting.push(await prepare(stack, outside, path, perRound * rounds));
  for (let round = 0; round < rounds; round++) {
    for (const [index, dispatch] of contestants.entries()) {
      const messages = waiting[index]?.splice(0, perRound) ?? [];
      const [began, before] = [performance.now(), process.cpuUsage()];
      await dispatch(messages);
      const { user, system } = process.cpuUsage(before);
      const wallMs = performance.now() - began;
      await outside.take(messages.length);
      const sums = figures[index];
      if (round === 0 || !sums) continue;
      sums.cpuMs += (user + system) / 1000;
      sums.wallMs += wallMs;
      sums.deliveries += messages.length;
    }
    say(`  ${path}: round ${round + 1}/${rounds}`);
  }
  return figures;
}

/** A new account's pending deliveries to one endpoint, as the messages that lead to them. */
async function prepare(stack: Stack, outside: Outside, path: string, count: number): Promise<string[]> {
  const table = tableOf(stack);
  const { accountId, test } = await newAccount(stack.baseUrl);
  const owner = `${accountId}#test`;
  await test.post('/api/webhooks', { url: `${outside.url}${path}`, events: ['*'] });
  await outside.create({ apiKeys: [test.apiKey], count, perSecond: 100 });
  for (let items = await table.outboxOf(owner); items.length > 0; items = await table.outboxOf(owner)) {
    for (let at = 0; at < items.length; at += 25) await publishItems(items.slice(at, at + 25));
  }
  return webhookTimersOf(await table.all('TIMER#'), owner).map(messageOf);
}

interface Cost {
  readonly calls: number;
  readonly inSequence: number;
  readonly write: number;
  readonly read: number;
}

/** Of one delivery that succeeds. */
async function costs(stack: Stack, outside: Outside, contestants: readonly Dispatcher[]): Promise<Cost[]> {
  const { countingCalls } = await import('../shared/store/client.ts');
  const found: Cost[] = [];
  for (const dispatch of contestants) {
    const messages = await prepare(stack, outside, '/after/0', 1);
    const counter = countUnits(stack);
    const count = { calls: 0, inSequence: 0 };
    await countingCalls(count, () => dispatch(messages));
    const counted = counter.take();
    counter.remove();
    await outside.take(1);
    found.push({ ...count, write: sumOf(counted, 'write'), read: sumOf(counted, 'read') });
  }
  return found;
}

function toTable({
  atOnce,
  modelled,
  costs: ofOne,
}: {
  atOnce: readonly Figures[];
  modelled: readonly Figures[];
  costs: readonly Cost[];
}): Table {
  const cpuOf = ({ cpuMs, deliveries }: Figures) => cpuMs / deliveries;
  const rateOf = ({ wallMs, deliveries }: Figures) => (deliveries * 1000) / wallMs;
  const rows = ['Remit', 'straightforward'].flatMap((name, index) => {
    const [cpu, rate, cost] = [atOnce[index], modelled[index], ofOne[index]];
    const [ownCpu, ownRate] = [atOnce[0], modelled[0]];
    if (!cpu || !rate || !cost || !ownCpu || !ownRate) return [];
    return [
      [
        name,
        ms(cpuOf(cpu)),
        times(cpuOf(cpu) / cpuOf(ownCpu)),
        `${Math.round(rateOf(cpu))} /s`,
        `${Math.round(rateOf(rate))} /s`,
        times(rateOf(rate) / rateOf(ownRate)),
        `${cost.inSequence} (${cost.calls})`,
        `${cost.write} + ${cost.read}`,
      ],
    ];
  });
  return {
    title: 'Dispatching in one instance',
    columns: [
      'dispatcher',
      'CPU of a delivery',
      'CPU',
      'rate, receiver at once',
      `rate, receiver after ${receiverMs} ms`,
      'rate',
      'calls in sequence (all)',
      'write + read units',
    ],
    rows,
    notes: [
      `Targets: the straightforward dispatcher takes ≥ 1.5× the CPU, and Remit sustains ≥ 1.5× the rate; ≤ 3 calls in sequence. The straightforward one handles one message per invocation, reads delivery, endpoint and event one by one, signs with the published library, posts with \`fetch\` and updates the delivery; it sets no watchdog, checks no address and knows no breaker.`,
      `One instance handles one invocation at a time: ${triggers.deliverWebhook.batchSize} messages of Remit, one of the rival. ${perRound * (rounds - 1)} deliveries each, in turns of ${perRound}; the rate with a receiver that takes its time is under the modelled latencies of AWS. Receiver and DynamoDB Local are processes of their own.`,
    ],
  };
}
