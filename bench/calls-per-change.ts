/**
 * Counts the background calls of one change: those to DynamoDB and SQS from the commit to the outcome of the last delivery, and
 * how many of them follow one another before the first POST.
 *
 * - It wraps the HTTP client of the path to AWS, so it counts what goes over the wire. It learns of POSTs from the HTTP client
 *   of Node.js.
 * - The pollers of the local stack replace parts of AWS. Their calls have other names and do not count.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Stack } from '../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../test/support/api.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import type { WireRequest, WireResponse } from '../test/support/wire-call.ts';
import { type BenchReceiver, startBenchReceiver } from './receiver.ts';
import { median, type Table } from './results.ts';

interface TimedCall {
  readonly operation: string;
  readonly startedAt: number;
  endedAt: number;
}

type Handle = (request: WireRequest, options: unknown) => Promise<WireResponse>;

interface ChangeCalls {
  readonly calls: number;
  /** The calls in sequence before the first POST. */
  readonly inSequence: number;
  readonly operations: readonly string[];
}

const endpointCounts = [1, 20];
/** The goal for each of these. */
const mostCalls = [9, 70];
const mostInSequence = 4;
const changes = 3;
/** The changes before them, in which the functions learn the endpoints. */
const firstChanges = 2;
const service = /^(?:DynamoDB_\d+|AmazonSQS)\.(?!Receive|Delete(?:Message)|Change|GetQueue)(\w+)$/;

export async function benchCallsPerChange(stack: Stack): Promise<Table> {
  const measured: ChangeCalls[] = [];
  for (const endpoints of endpointCounts) measured.push(await measureChange(stack, endpoints));
  return {
    title: 'Background calls of one change',
    columns: ['endpoints', 'calls', 'in sequence before the first POST', 'operations'],
    rows: measured.map(({ calls, inSequence, operations }, index) => [
      String(endpointCounts[index]),
      String(calls),
      String(inSequence),
      summarize(operations),
    ]),
    goals: measured.map(({ calls, inSequence }, index) => ({
      figure: 'calls a change',
      row: index === 0 ? '1 endpoint' : `${endpointCounts[index]} endpoints`,
      measured: `${calls} calls, ${inSequence} in sequence`,
      shares: [calls / (mostCalls[index] ?? 0), inSequence / mostInSequence],
    })),
    notes: [
      `A change is a new invoice. The median of ${changes} changes, one after another. ${firstChanges} changes came before, in which the functions learn the endpoints. Calls to DynamoDB and SQS count, from the commit to the outcome of the last delivery, without those that receive and delete messages.`,
    ],
  };
}

async function measureChange(stack: Stack, endpoints: number): Promise<ChangeCalls> {
  const receiver = await startBenchReceiver();
  const { test: api } = await newAccount(stack.baseUrl);
  for (let count = 0; count < endpoints; count++) {
    const { status, text } = await api.post('/api/webhooks', { url: receiver.url, events: ['*'] });
    if (status !== 201) throw new Error(`The endpoint was not created: ${text}`);
  }
  try {
    const measured: ChangeCalls[] = [];
    for (let change = 0; change < firstChanges + changes; change++) {
      measured.push(await observeChange(stack, api, receiver, endpoints));
    }
    const warm = measured.slice(firstChanges);
    const typical = median(warm.map(({ calls }) => calls));
    const found = warm.find(({ calls }) => calls === typical);
    if (!found) throw new Error('No change was measured.');
    return found;
  } finally {
    receiver.close();
  }
}

async function observeChange(
  stack: Stack,
  api: Api,
  receiver: BenchReceiver,
  endpoints: number,
): Promise<ChangeCalls> {
  receiver.expect(endpoints);
  const { status, text } = await api.post('/api/invoices', invoiceBody());
  if (status !== 201) throw new Error(`The invoice was not created: ${text}`);
  const observer = await observeCalls(receiver.url);
  for (const part of [stack.stream, stack.queues]) part.resume();
  await waitUntil('all endpoints have received the event', () => receiver.isComplete());
  // Waits for the outcomes, too.
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  const { calls, postedAt } = observer.stop();
  return {
    calls: calls.length,
    inSequence: callsBeforePost(calls, postedAt),
    operations: calls.map(({ operation }) => operation),
  };
}

async function observeCalls(receiverUrl: string) {
  const { dynamodb } = await import('../shared/store/client.ts');
  const prototype = Object.getPrototypeOf(dynamodb.config.requestHandler) as { handle: Handle };
  const { handle } = prototype;
  const calls: TimedCall[] = [];
  let postedAt = Number.POSITIVE_INFINITY;
  prototype.handle = async function (request, options) {
    const [, operation] = service.exec(String(request.headers['x-amz-target'])) ?? [];
    if (operation === undefined) return handle.call(this, request, options);
    const call = { operation, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
    calls.push(call);
    const response = await handle.call(this, request, options);
    call.endedAt = performance.now();
    return response;
  };
  const onPost = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    if (`http://${request.getHeader('host')}/` === receiverUrl)
      postedAt = Math.min(postedAt, performance.now());
  };
  subscribe('http.client.request.start', onPost);
  return {
    stop: () => {
      unsubscribe('http.client.request.start', onPost);
      prototype.handle = handle;
      return { calls, postedAt };
    },
  };
}

/**
 * Counts the calls that follow one another before the first POST: those before the message, the message, and the reads of the
 * dispatcher. The other calls that the relay makes after the message do not delay it, and none of them is a `BatchGetItem`.
 */
function callsBeforePost(calls: readonly TimedCall[], postedAt: number): number {
  const sentAt = calls.find(({ operation }) => operation.startsWith('SendMessage'))?.startedAt ?? postedAt;
  const before = calls.filter(({ endedAt }) => endedAt <= sentAt);
  const reads = calls.filter(
    ({ operation, startedAt }) => operation === 'BatchGetItem' && startedAt > sentAt && startedAt < postedAt,
  );
  return longestChain(before) + 1 + longestChain(reads);
}

/** The longest chain in which each call began after the one before had ended. */
function longestChain(calls: readonly TimedCall[]): number {
  const lengths = new Map<TimedCall, number>();
  for (const call of calls.toSorted((one, other) => one.startedAt - other.startedAt)) {
    const before = [...lengths].filter(([{ endedAt }]) => endedAt <= call.startedAt);
    lengths.set(call, 1 + Math.max(0, ...before.map(([, length]) => length)));
  }
  return Math.max(0, ...lengths.values());
}

function summarize(operations: readonly string[]): string {
  const counts = Map.groupBy(operations, (operation) => operation);
  return [...counts].map(([operation, { length }]) => `${length} ${operation}`).join(', ');
}
