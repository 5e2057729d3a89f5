/**
 * Rounds of simultaneous creates on one account, under the latencies and conflicts of AWS as the fault layer models
 * them; next to the same create with a counter item in its transaction, which is how totals are often kept.
 */
import type { Stack } from '../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { type FaultLayer, installFaults } from '../test/support/fault-layer.ts';
import { invocationHeader } from '../test/support/invocations.ts';
import { count, ms, say, type Table, times } from './results.ts';

const rounds = 20;
const atOnce = 50;

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
  const rival = await contestant('counter in the transaction');
  const layer = await installFaults({ seed, conflicts: true, latency: true });
  try {
    await runRound({ ...own }, layer, 'warm-up');
    for (let round = 0; round < rounds; round++) {
      await runRound(own, layer, `own-${round}`);
      const remove = await addCounter();
      await runRound(rival, layer, `rival-${round}`);
      remove();
      say(`  round ${round + 1}/${rounds}`);
    }
  } finally {
    layer.remove();
  }
  return toTable(own, rival);
}

async function runRound(contestant: Contestant, layer: FaultLayer, label: string): Promise<void> {
  const conflictsBefore = layer.counts.conflict ?? 0;
  const began = performance.now();
  const responses = await Promise.all(
    Array.from({ length: atOnce }, (_, index) =>
      contestant.api.post('/api/invoices', invoiceBody(), {
        headers: { [invocationHeader]: `${label}-${index}`, 'Idempotency-Key': `${label}-${index}` },
      }),
    ),
  );
  contestant.totalMs += performance.now() - began;
  contestant.cancelled += (layer.counts.conflict ?? 0) - conflictsBefore;
  contestant.failed += responses.filter(({ status }) => status !== 201).length;
}

/** From now on each transaction also raises one counter. */
async function addCounter(): Promise<() => void> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const name = 'benchCounter';
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const request = args.request as { headers: Record<string, string>; body: string | Uint8Array };
      if (request.headers['x-amz-target']?.endsWith('.TransactWriteItems')) {
        const text = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
        const input = JSON.parse(text) as { TransactItems: object[] };
        input.TransactItems.push({ Update: raiseCounter });
        request.body = JSON.stringify(input);
      }
      return next(args);
    },
    { step: 'build', priority: 'high', name },
  );
  return () => void dynamodb.middlewareStack.remove(name);
}

const raiseCounter = {
  get TableName() {
    return process.env.TABLE_NAME;
  },
  Key: { pk: { S: 'COUNTER' }, sk: { S: 'COUNTER' } },
  UpdateExpression: 'ADD invoices :one',
  ExpressionAttributeValues: { ':one': { N: '1' } },
};

function toTable(own: Contestant, rival: Contestant): Table {
  const row = ({ name, cancelled, failed, totalMs }: Contestant, target: string) => [
    name,
    count(cancelled),
    count(failed),
    ms(totalMs / rounds),
    times(totalMs / own.totalMs),
    target,
  ];
  return {
    title: `${rounds} rounds of ${atOnce} simultaneous creates`,
    columns: ['', 'cancelled transactions', 'answered with an error', 'time of a round', 'time', 'target'],
    rows: [row(own, '0 cancelled'), row(rival, '')],
    notes: [
      'Modelled, seeded latencies (get 3 ms, update 5, transaction 12, each ± 50 %) and conflicts as on AWS; the rounds of both alternate. The time includes the work of clients, service and emulator on this machine.',
    ],
  };
}
