/**
 * Measures rounds of simultaneous creates on one account. The fault layer models the latencies and conflicts of AWS.
 * The baseline is the same create with a counter item in its transaction, which is a common way to maintain totals.
 */
import type { Stack } from '../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { type FaultLayer, installFaults } from '../test/support/fault-layer.ts';
import { invocationHeader } from '../test/support/invocations.ts';
import { formatCount, formatMs, formatRatio, printLine, type Table } from './results.ts';

const rounds = 20;
const createsPerRound = 50;

interface Contestant {
  readonly name: string;
  readonly api: Api;
  cancelled: number;
  failed: number;
  totalMs: number;
}

export async function benchCreates(stack: Stack, seed: number): Promise<Table> {
  const contestant = async (name: string): Promise<Contestant> => {
    const { test } = await newAccount(stack.baseUrl);
    return { name, api: test, cancelled: 0, failed: 0, totalMs: 0 };
  };
  const own = await contestant('Remit');
  const baseline = await contestant('counter in the transaction');
  const layer = await installFaults({ seed, conflicts: true, latency: true });
  try {
    await runRound({ ...own }, layer, 'warm-up');
    for (let round = 0; round < rounds; round++) {
      await runRound(own, layer, `own-${round}`);
      const remove = await addCounter();
      await runRound(baseline, layer, `baseline-${round}`);
      remove();
      printLine(`  round ${round + 1}/${rounds}`);
    }
  } finally {
    layer.remove();
  }
  return toTable(own, baseline);
}

async function runRound(contestant: Contestant, layer: FaultLayer, label: string): Promise<void> {
  const conflictsBefore = layer.counts.conflict ?? 0;
  const startedAt = performance.now();
  const responses = await Promise.all(
    Array.from({ length: createsPerRound }, (_, index) =>
      contestant.api.post('/api/invoices', invoiceBody(), {
        headers: { [invocationHeader]: `${label}-${index}`, 'Idempotency-Key': `${label}-${index}` },
      }),
    ),
  );
  contestant.totalMs += performance.now() - startedAt;
  contestant.cancelled += (layer.counts.conflict ?? 0) - conflictsBefore;
  contestant.failed += responses.filter(({ status }) => status !== 201).length;
}

/** Adds the increment of one counter item to every transaction. Returns a function that removes it again. */
async function addCounter(): Promise<() => void> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const name = 'benchCounter';
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const request = args.request as { headers: Record<string, string>; body: string | Uint8Array };
      if (request.headers['x-amz-target']?.endsWith('.TransactWriteItems')) {
        const text = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
        const input = JSON.parse(text) as { TransactItems: object[] };
        input.TransactItems.push({ Update: incrementCounter });
        request.body = JSON.stringify(input);
      }
      return next(args);
    },
    { step: 'build', priority: 'high', name },
  );
  return () => void dynamodb.middlewareStack.remove(name);
}

const incrementCounter = {
  get TableName() {
    return process.env.TABLE_NAME;
  },
  Key: { pk: { S: 'COUNTER' }, sk: { S: 'COUNTER' } },
  UpdateExpression: 'ADD invoices :one',
  ExpressionAttributeValues: { ':one': { N: '1' } },
};

function toTable(own: Contestant, baseline: Contestant): Table {
  const row = ({ name, cancelled, failed, totalMs }: Contestant, target: string) => [
    name,
    formatCount(cancelled),
    formatCount(failed),
    formatMs(totalMs / rounds),
    formatRatio(totalMs / own.totalMs),
    target,
  ];
  return {
    title: `${rounds} rounds of ${createsPerRound} simultaneous creates`,
    columns: ['', 'cancelled transactions', 'answered with an error', 'time of a round', 'time', 'target'],
    rows: [row(own, '0 cancelled'), row(baseline, '')],
    notes: [
      'Latencies (get 3 ms, update 5 ms, transaction 12 ms, each ± 50 %) and conflicts are modeled on AWS and seeded. The rounds of both alternate. The time includes the work of clients, service and emulator on this machine.',
    ],
  };
}
