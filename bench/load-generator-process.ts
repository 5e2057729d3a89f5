/**
 * The process of the load generator: clients that create invoices at a steady rate, the API that they call, and a
 * webhook receiver. It is separate from the measured process, so its work does not count. `load-generator.ts` starts
 * it.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { currentRegion } from '../infra/local/environment.ts';
import { startStack } from '../infra/local/stack.ts';
import { invoiceBody } from '../test/support/api.ts';
import { request } from '../test/support/http.ts';
import type { Arrival, LoadGeneratorReply, LoadGeneratorRequest, SharedStack } from './load-generator.ts';

const arrivals: Arrival[] = [];

/**
 * The webhook receiver. It responds to `/after/<ms>/…` with 200 after the delay. It never responds to `/hang/…`, and
 * does not count those messages.
 */
const server = createServer(async (message, response) => {
  const arrivedAt = Date.now();
  const path = message.url ?? '';
  const body = JSON.parse(await bodyOf(message)) as { timestamp: string };
  const [, action, delay] = path.split('/');
  if (action === 'hang') return;
  arrivals.push({ path, latencyMs: arrivedAt - Date.parse(body.timestamp) });
  if (Number(delay) > 0) await sleep(Number(delay));
  response.end();
});
// The sender closes idle connections.
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as { port: number };

const options = JSON.parse(process.argv[2] ?? '') as SharedStack;
const api = await startStack({
  ...options,
  host: '127.0.0.1',
  port: 0,
  scheduleIntervalMs: 3_600_000,
  enforcesPolicies: false,
  report: () => {},
});
await Promise.all([api.stream.pause(), api.queues.pause(), api.schedule.pause()]);
reply({ kind: 'listening', url: `http://127.0.0.1:${port}` });

process.on('message', async (message: LoadGeneratorRequest) => {
  if (message.kind === 'create') reply({ kind: 'created', failed: await create(message) });
  else if (message.kind === 'read') reply({ kind: 'read', durations: await read(message) });
  else
    reply({
      kind: 'arrivals',
      arrivals: message.kind === 'take' ? arrivals.splice(0) : [],
      count: arrivals.length,
    });
});
process.on('disconnect', () => process.exit());

/** Creates invoices for the accounts in turn. Returns the number of failed creates. */
async function create({
  apiKeys,
  ...rate
}: Extract<LoadGeneratorRequest, { kind: 'create' }>): Promise<number> {
  const results = await atRate(rate, (index) => createOne(apiKeys[index % apiKeys.length] ?? ''));
  return results.filter((succeeded) => !succeeded).length;
}

/** Begins actions at a steady rate. A slow one does not delay the next ones. */
async function atRate<T>(
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
  action: (index: number) => Promise<T>,
): Promise<T[]> {
  const startedAt = performance.now();
  const results: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    results.push(action(index));
  }
  return Promise.all(results);
}

/** The calls in sequence of a list: one for the key, one for the page. */
const callsOfAList = 2;
const table = new DynamoDBClient({ endpoint: options.dynamodb, region: currentRegion() });

async function read(rate: { readonly count: number; readonly perSecond: number }): Promise<number[]> {
  const key = { pk: { S: 'none' }, sk: { S: 'none' } };
  return atRate(rate, async () => {
    const startedAt = performance.now();
    for (let call = 0; call < callsOfAList; call++)
      await table.send(new GetItemCommand({ TableName: options.tableName, Key: key }));
    return performance.now() - startedAt;
  });
}

async function createOne(apiKey: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = request({
    baseUrl: api.baseUrl,
    method: 'POST',
    path: '/api/invoices',
    headers,
    body: invoiceBody(),
  });
  return response.then(
    ({ status }) => status === 201,
    () => false,
  );
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function reply(message: LoadGeneratorReply): void {
  process.send?.(message);
}
