/**
 * What is not measured, as a process of its own so that its work takes no part: clients that create invoices at a steady
 * rate, the API that they call, and a receiver of webhooks. Started by `outside.ts`.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack } from '../infra/local/stack.ts';
import { invoiceBody } from '../test/support/api.ts';
import { request } from '../test/support/http.ts';
import type { Arrival, Asked, SharedStack, Told } from './outside.ts';

const arrivals: Arrival[] = [];

/** The first part of the path says what happens: `/after/<ms>/…` is answered 200 then, `/hang/…` never, and does not count. */
const server = createServer(async (message, response) => {
  const arrivedAt = Date.now();
  const path = message.url ?? '';
  const body = JSON.parse(await bodyOf(message)) as { timestamp: string };
  const [, word, delay] = path.split('/');
  if (word === 'hang') return;
  arrivals.push({ path, latencyMs: arrivedAt - Date.parse(body.timestamp) });
  if (Number(delay) > 0) await sleep(Number(delay));
  response.end();
});
// Connections that wait are the sender's to close.
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as { port: number };

const options = JSON.parse(process.argv[2] ?? '') as SharedStack;
const api = await startStack({
  ...options,
  ...{ host: '127.0.0.1', port: 0, scheduleIntervalMs: 3_600_000, report: () => {} },
});
await Promise.all([api.stream.pause(), api.queues.pause(), api.schedule.pause()]);
tell({ kind: 'listening', url: `http://127.0.0.1:${port}` });

process.on('message', async (asked: Asked) => {
  if (asked.kind === 'create') tell({ kind: 'created', failed: await create(asked) });
  else
    tell({
      kind: 'arrivals',
      arrivals: asked.kind === 'take' ? arrivals.splice(0) : [],
      count: arrivals.length,
    });
});
process.on('disconnect', () => process.exit());

/** Creates invoices for the accounts in turn, each when its time has come however long the others take; counts those that failed. */
async function create({ apiKeys, count, perSecond }: Extract<Asked, { kind: 'create' }>): Promise<number> {
  const began = performance.now();
  const answers: Promise<boolean>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = began + (index * 1000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    answers.push(createOne(apiKeys[index % apiKeys.length] ?? ''));
  }
  return (await Promise.all(answers)).filter((succeeded) => !succeeded).length;
}

async function createOne(apiKey: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const answer = request({
    baseUrl: api.baseUrl,
    method: 'POST',
    path: '/api/invoices',
    headers,
    body: invoiceBody(),
  });
  return answer.then(
    ({ status }) => status === 201,
    () => false,
  );
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function tell(told: Told): void {
  process.send?.(told);
}
