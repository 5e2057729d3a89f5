/**
 * A stack on which the fault layer itself is tested: what happens to the layer's calls is seen from above, by a
 * client that tries once, and from below, where calls arrive at DynamoDB and can be held back.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { dynamodb } from '../../shared/store/client.ts';
import { type FaultLayer, type FaultPlan, installFaults } from './fault-layer.ts';
import { currentInvocation, runAs } from './invocations.ts';
import { startTestStack } from './stack.ts';
import { type TestTable, tableOf } from './table.ts';
import { toWireCall, type WireAnswer, type WireRequest } from './wire-call.ts';

/** How a call ended, as its caller sees it: `done`, the error's name, or the reasons of a cancelled transaction. */
export type Ending = string;

export interface FaultStand {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly layer: FaultLayer;
  /** Does not retry. */
  readonly once: DynamoDBDocumentClient;
  /** The operations of invocations that came to DynamoDB. */
  readonly arrived: readonly string[];
  /** The next calls of invocations, one without an argument, wait before DynamoDB until the function returned is called. */
  hold(calls?: number): () => void;
  /** Runs `calls` one after the other in one invocation, with its faults in the order in which they happened. */
  invoke(
    label: string,
    ...calls: (() => Promise<unknown>)[]
  ): Promise<{ endings: Ending[]; faults: string[] }>;
  /** Writes an item of that name, by one attempt. */
  put(name: string): Promise<unknown>;
  isWritten(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export const keyOf = (name: string) => ({ pk: name, sk: 'ITEM' });

/** Starts the stack and puts the layer over it, at first with a plan without faults. */
export async function startFaultStand(plan: FaultPlan = { seed: 1 }): Promise<FaultStand> {
  const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  const once = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, maxAttempts: 1 }),
  );
  const table = tableOf(stack);
  const tap = tapWire();
  const layer = await installFaults(plan);
  return {
    ...{ stack, table, layer, once, arrived: tap.arrived, hold: tap.hold, invoke },
    put: (name) => once.send(new PutCommand({ TableName: stack.tableName, Item: keyOf(name) })),
    isWritten: async (name) => (await table.get(keyOf(name))) !== undefined,
    close: async () => {
      layer.remove();
      tap.remove();
      once.destroy();
      await stack.close();
    },
  };
}

async function invoke(label: string, ...calls: (() => Promise<unknown>)[]) {
  const endings: Ending[] = [];
  let faults: string[] = [];
  const run = runAs(label, async () => {
    faults = currentInvocation()?.faults ?? [];
    for (const call of calls) endings.push(await endingOf(call()));
  });
  // Whether it died is seen in the endings.
  await run.catch(() => {});
  return { endings, faults };
}

export async function endingOf(call: Promise<unknown>): Promise<Ending> {
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

type Handle = (request: WireRequest, options: unknown) => Promise<WireAnswer>;

/** Goes between the SDK's HTTP handler and a layer that is installed later. */
function tapWire() {
  const prototype = Object.getPrototypeOf(dynamodb.config.requestHandler) as { handle: Handle };
  const { handle } = prototype;
  const arrived: string[] = [];
  let gate = Promise.resolve();
  let toHold = 0;
  prototype.handle = async function (request, options) {
    if (currentInvocation()) {
      arrived.push(toWireCall(request).operation);
      if (toHold-- > 0) await gate;
    }
    return handle.call(this, request, options);
  };
  const hold = (calls = 1) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    toHold = calls;
    return () => {
      toHold = 0;
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
