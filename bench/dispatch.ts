/**
 * Measures the webhook dispatcher in one function instance and compares it with a straightforward dispatcher: CPU time,
 * rate, calls and capacity units of a successful delivery.
 */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type LambdaHandler, lambdaContext, loadHandler } from '../infra/local/handler.ts';
import type { Stack } from '../infra/local/stack.ts';
import { triggers } from '../infra/triggers.ts';
import { newAccount } from '../test/support/api.ts';
import { countUnits, sumOf } from '../test/support/capacity-units.ts';
import { installFaults } from '../test/support/fault-layer.ts';
import { tableOf } from '../test/support/table.ts';
import { webhookTimersOf } from '../test/support/webhook-audit.ts';
import { relayItems, toMessageBody } from '../test/support/webhook-workers.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { dispatchPlainly } from './plain-dispatcher.ts';
import { formatMs, formatRatio, printLine, type Table } from './results.ts';

/** The deliveries of each contestant in a round. The first round is the warm-up. */
const perRound = 100;
const rounds = 8;
/** The response time of the receiver in the rate measurement. */
const receiverMs = 50;

/** Processes messages as one instance does: one invocation after another. */
type Dispatcher = (messages: readonly string[]) => Promise<void>;

interface Measurement {
  cpuMs: number;
  wallMs: number;
  deliveries: number;
}

export async function benchDispatch(stack: Stack, seed: number): Promise<Table> {
  const loadGenerator = await startLoadGenerator(stack);
  try {
    const own = await ownDispatcher();
    const contestants = [own, dispatchOneByOne];
    const immediate = await measure(stack, loadGenerator, '/after/0', contestants);
    const layer = await installFaults({ seed, latency: true });
    const delayed = await measure(stack, loadGenerator, `/after/${receiverMs}`, contestants);
    layer.remove();
    return toTable({ immediate, delayed, costs: await costs(stack, loadGenerator, contestants) });
  } finally {
    loadGenerator.close();
  }
}

async function ownDispatcher(): Promise<Dispatcher> {
  const { handler: file, batchSize } = triggers.deliverWebhook;
  const handler: LambdaHandler<SQSEvent, SQSBatchResponse> = await loadHandler(file);
  return async (messages) => {
    for (let start = 0; start < messages.length; start += batchSize) {
      const Records = messages
        .slice(start, start + batchSize)
        .map((body, index) => ({ messageId: String(index), body }));
      const { batchItemFailures } = await handler({ Records } as SQSEvent, lambdaContext(file, 60_000));
      if (batchItemFailures.length > 0) throw new Error('A delivery failed.');
    }
  };
}

const dispatchOneByOne: Dispatcher = async (messages) => {
  for (const message of messages) await dispatchPlainly(message);
};

/** Measures the contestants in alternating rounds. Each delivers to its own endpoint at `path`. */
async function measure(
  stack: Stack,
  loadGenerator: LoadGenerator,
  path: string,
  contestants: readonly Dispatcher[],
): Promise<Measurement[]> {
  const figures = contestants.map(() => ({ cpuMs: 0, wallMs: 0, deliveries: 0 }));
  const queued = [];
  for (const _ of contestants)
    queued.push(await createDeliveries(stack, loadGenerator, path, perRound * rounds));
  for (let round = 0; round < rounds; round++) {
    for (const [index, dispatch] of contestants.entries()) {
      const messages = queued[index]?.splice(0, perRound) ?? [];
      const [startedAt, before] = [performance.now(), process.cpuUsage()];
      await dispatch(messages);
      const { user, system } = process.cpuUsage(before);
      const wallMs = performance.now() - startedAt;
      await loadGenerator.take(messages.length);
      const sums = figures[index];
      if (round === 0 || !sums) continue;
      sums.cpuMs += (user + system) / 1000;
      sums.wallMs += wallMs;
      sums.deliveries += messages.length;
    }
    printLine(`  ${path}: round ${round + 1}/${rounds}`);
  }
  return figures;
}

/** Creates an account with pending deliveries to one endpoint. Returns the queue messages of the deliveries. */
async function createDeliveries(
  stack: Stack,
  loadGenerator: LoadGenerator,
  path: string,
  count: number,
): Promise<string[]> {
  const table = tableOf(stack);
  const { accountId, test } = await newAccount(stack.baseUrl);
  const owner = `${accountId}#test`;
  await test.post('/api/webhooks', { url: `${loadGenerator.url}${path}`, events: ['*'] });
  await loadGenerator.create({ apiKeys: [test.apiKey], count, perSecond: 100 });
  for (let items = await table.outboxOf(owner); items.length > 0; items = await table.outboxOf(owner)) {
    for (let at = 0; at < items.length; at += 25) await relayItems(items.slice(at, at + 25));
  }
  return webhookTimersOf(await table.all('TIMER#'), owner).map(toMessageBody);
}

interface Cost {
  readonly calls: number;
  readonly inSequence: number;
  readonly write: number;
  readonly read: number;
}

/** Counts the calls and capacity units of one successful delivery for each contestant. */
async function costs(
  stack: Stack,
  loadGenerator: LoadGenerator,
  contestants: readonly Dispatcher[],
): Promise<Cost[]> {
  const { countingCalls } = await import('../shared/store/call-count.ts');
  const measured: Cost[] = [];
  for (const dispatch of contestants) {
    const messages = await createDeliveries(stack, loadGenerator, '/after/0', 1);
    const counter = countUnits(stack);
    const count = { calls: 0, inSequence: 0 };
    await countingCalls(count, () => dispatch(messages));
    const counted = counter.take();
    counter.remove();
    await loadGenerator.take(1);
    measured.push({ ...count, write: sumOf(counted, 'write'), read: sumOf(counted, 'read') });
  }
  return measured;
}

function toTable({
  immediate,
  delayed,
  costs: ofOne,
}: {
  immediate: readonly Measurement[];
  delayed: readonly Measurement[];
  costs: readonly Cost[];
}): Table {
  const cpuOf = ({ cpuMs, deliveries }: Measurement) => cpuMs / deliveries;
  const rateOf = ({ wallMs, deliveries }: Measurement) => (deliveries * 1000) / wallMs;
  const rows = ['Remit', 'straightforward'].flatMap((name, index) => {
    const [cpu, rate, cost] = [immediate[index], delayed[index], ofOne[index]];
    const [ownCpu, ownRate] = [immediate[0], delayed[0]];
    if (!cpu || !rate || !cost || !ownCpu || !ownRate) return [];
    return [
      [
        name,
        formatMs(cpuOf(cpu)),
        formatRatio(cpuOf(cpu) / cpuOf(ownCpu)),
        `${Math.round(rateOf(cpu))} /s`,
        `${Math.round(rateOf(rate))} /s`,
        formatRatio(rateOf(rate) / rateOf(ownRate)),
        `${cost.inSequence} (${cost.calls})`,
        `${cost.write} + ${cost.read}`,
      ],
    ];
  });
  return {
    title: 'Dispatching in one instance',
    columns: [
      'dispatcher',
      'CPU per delivery',
      'CPU',
      'rate, immediate response',
      `rate, response after ${receiverMs} ms`,
      'rate',
      'calls in sequence (all)',
      'write + read units',
    ],
    rows,
    notes: [
      `Targets: the straightforward dispatcher uses ≥ 1.5× the CPU, and Remit reaches ≥ 1.5× its rate with ≤ 3 calls in sequence. The straightforward dispatcher processes one message per invocation. It reads the delivery, the endpoint and the event one by one, signs with the library \`standardwebhooks\`, posts with \`fetch\`, and updates the delivery. It has no watchdog timer, no address check and no circuit breaker.`,
      `One instance processes one invocation at a time: ${triggers.deliverWebhook.batchSize} messages for Remit, one for the other. ${perRound * (rounds - 1)} deliveries each, in alternating rounds of ${perRound}. The rate with the slow receiver uses the modeled latencies of AWS. The receiver and DynamoDB Local are separate processes.`,
    ],
  };
}
