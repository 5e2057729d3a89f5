/**
 * Starts a stack for the tests of the fault layer. A test sees each call from both sides: as a client that tries once,
 * and where the call arrives at DynamoDB. There the test can also hold it back.
 */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import type { Stack } from '../../infra/local/stack.ts';
import { env } from '../../shared/base/env.ts';
import { dynamodb } from '../../shared/store/client.ts';
import { createDirectTable } from '../../shared/store/direct-table.ts';
import { createSdkTable } from '../../shared/store/sdk-table.ts';
import { type FaultLayer, type FaultPlan, installFaults } from './fault-layer.ts';
import { currentInvocation, runAsInvocation } from './invocations.ts';
import { startTestStack } from './stack.ts';
import { type TestTable, tableOf } from './table.ts';
import { toWireCall, type WireRequest, type WireResponse } from './wire-call.ts';

/** The outcome for the caller: `done`, the error's name or code, or the reasons of a cancelled transaction. */
export type CallOutcome = string;

export interface FaultTestStack {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly layer: FaultLayer;
  /** A client that does not retry. */
  readonly singleAttemptClient: Pick<DynamoDBDocumentClient, 'send'>;
  /** The operations of invocations that arrived at DynamoDB. */
  readonly arrived: readonly string[];
  /** Holds back the next `calls` calls of invocations (default: 1). Returns a function that releases them. */
  hold(calls?: number): () => void;
  /** Runs `calls` one after another in one invocation. Returns its faults in the order in which they happened. */
  invoke(
    label: string,
    ...calls: (() => Promise<unknown>)[]
  ): Promise<{ outcomes: CallOutcome[]; faults: string[] }>;
  /** Writes an item of that name with one attempt. */
  put(name: string): Promise<unknown>;
  isWritten(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export const itemKey = (name: string) => ({ pk: name, sk: 'ITEM' });

/** Starts the stack and installs the fault layer. The default plan has no faults. */
export async function startFaultTestStack(plan: FaultPlan = { seed: 1 }): Promise<FaultTestStack> {
  const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  const singleAttemptClient = createSingleAttemptClient();
  const table = tableOf(stack);
  const tap = tapCalls();
  const layer = await installFaults(plan);
  return {
    stack,
    table,
    layer,
    singleAttemptClient,
    arrived: tap.arrived,
    hold: tap.hold,
    invoke,
    put: (name) =>
      singleAttemptClient.send(new PutCommand({ TableName: stack.tableName, Item: itemKey(name) })),
    isWritten: async (name) => (await table.get(itemKey(name))) !== undefined,
    close: async () => {
      layer.remove();
      tap.remove();
      singleAttemptClient.destroy();
      await stack.close();
    },
  };
}

/** Creates a client on the path of the service's clients, because the fault layer is in their HTTP handler. */
function createSingleAttemptClient(): Pick<DynamoDBDocumentClient, 'send' | 'destroy'> {
  const options = { retryStrategy: new StandardRetryStrategy(1), maxAttempts: 1, requestHandler: {} };
  if (env.awsCalls() !== 'direct') return createSdkTable(options);
  const client = createDirectTable(options);
  const destroy = () => client.config.requestHandler.destroy();
  return { send: client.send.bind(client) as DynamoDBDocumentClient['send'], destroy };
}

async function invoke(label: string, ...calls: (() => Promise<unknown>)[]) {
  const outcomes: CallOutcome[] = [];
  let faults: string[] = [];
  const run = runAsInvocation(label, async () => {
    faults = currentInvocation()?.faults ?? [];
    for (const call of calls) outcomes.push(await outcomeOfCall(call()));
  });
  // The outcomes show whether the invocation crashed.
  await run.catch(() => {});
  return { outcomes, faults };
}

export async function outcomeOfCall(call: Promise<unknown>): Promise<CallOutcome> {
  try {
    await call;
    return 'done';
  } catch (error) {
    const { name, code, CancellationReasons } = error as Error & {
      code?: string;
      CancellationReasons?: { Code: string }[];
    };
    return CancellationReasons?.map(({ Code }) => Code).join(', ') ?? code ?? name;
  }
}

type Handle = (request: WireRequest, options: unknown) => Promise<WireResponse>;

/** Wraps the SDK's HTTP handler. The fault layer, which is installed later, wraps this tap. */
function tapCalls() {
  const prototype = Object.getPrototypeOf(dynamodb.config.requestHandler) as { handle: Handle };
  const { handle } = prototype;
  const arrived: string[] = [];
  let gate = Promise.resolve();
  let callsToHold = 0;
  prototype.handle = async function (request, options) {
    if (currentInvocation()) {
      arrived.push(toWireCall(request).operation);
      if (callsToHold-- > 0) await gate;
    }
    return handle.call(this, request, options);
  };
  const hold = (calls = 1) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    callsToHold = calls;
    return () => {
      callsToHold = 0;
      resolve();
    };
  };
  return {
    arrived,
    hold,
    remove: () => {
      prototype.handle = handle;
    },
  };
}
