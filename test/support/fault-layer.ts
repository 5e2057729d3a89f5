/**
 * Injects the faults of AWS between the service and its DynamoDB and SQS: conflicts, throttling, lost requests and
 * responses, silent servers, short query pages, latency, process crashes, and clients that disconnect.
 *
 * - The faults are injected where requests are sent, on both paths of calls to AWS. So retries meet them, too.
 * - What happens to a call depends on the seed, the call's invocation and its index in it, never on the time. A run can
 *   therefore be repeated. The exception are the throughput limits, which count units in real time.
 */
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { HttpClient } from '../../shared/platform/aws/http-client.ts';
import { CapacityModel, type ThroughputLimits } from './capacity-model.ts';
import { setClockOffset } from './clock.ts';
import { conflictResponse, limitedResponse, mixReasons, throttledResponse } from './fault-responses.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { currentInvocation, followRequests, type Invocation, ProcessCrashed } from './invocations.ts';
import { sendLimitedQuery } from './query-page-limit.ts';
import { seededNumber } from './seeded-random.ts';
import {
  connectionResetError,
  errorResponseOf,
  modelLatencyMs,
  readWireBody,
  toWireCall,
  type WireCall,
  type WireRequest,
  type WireResponse,
  withBody,
  withInput,
} from './wire-call.ts';

/** Which faults happen. Chances are numbers from 0 to 1. */
export interface FaultPlan {
  readonly seed: number;
  /** Whether overlapping calls on one item conflict, as they do on AWS. */
  readonly conflicts?: boolean;
  /** Whether calls take as long as on AWS. */
  readonly latency?: boolean;
  /** The size after which a query page ends, in bytes. The default is 1 MB, as on AWS. */
  readonly queryPageBytes?: number;
  /** The units a second that items, partitions and the table serve. Calls beyond them are throttled. */
  readonly limits?: ThroughputLimits;
  /** The chance of each attempt of each call to be throttled. */
  readonly throttled?: number;
  /** The chance of each attempt that its request is lost, so that it has no effect. */
  readonly requestLost?: number;
  /** The chance of each attempt that its response is lost, so that it has an effect. */
  readonly responseLost?: number;
  /** The chance of each attempt that the server never answers. Half of these attempts have an effect. */
  readonly silent?: number;
  /** The milliseconds after which the client gives up on a silent server. The default is that of a deployment. */
  readonly silenceMs?: number;
  /** The chance of a server error. Half of the failed attempts have an effect. */
  readonly serverError?: number;
  /** The chance that a transaction with a failed condition also reports a conflict for another action. */
  readonly mixedReasons?: number;
  /** The chance of each invocation to crash at one of its first eight calls. */
  readonly crash?: number;
  /** The chance of each invocation that its client disconnects at one of its first eight calls. */
  readonly abandoned?: number;
  /** How far the clock of an invocation is ahead of the test's clock, in milliseconds. The default is 0. */
  readonly clockOffsetMs?: (label: string) => number;
  /** Chooses the fault of one call. Takes precedence over the chances. */
  readonly script?: (call: { label: string; index: number; operation: string }) => ScriptedFault | undefined;
}

export type ScriptedFault = 'crash before call' | 'crash after call' | 'abandoned';

export interface FaultLayer {
  /** Replaces the plan for all later calls. */
  setPlan(plan: FaultPlan): void;
  /** How often each fault has happened. */
  readonly counts: Readonly<Record<string, number>>;
  /** Returns the invocation of a request, or undefined if the request never arrived. */
  invocation(label: string): Invocation | undefined;
  /** Returns how many requests the service still processes, including those whose client has disconnected. */
  countRunning(): number;
  remove(): void;
}

type Handle = (request: WireRequest, options: unknown) => Promise<WireResponse>;

/** What sends the requests of the short path, and of the SDK. Functions of another release have a short path of their own. */
export const senders = [HttpClient.prototype, NodeHttpHandler.prototype] as unknown as { handle: Handle }[];

/** Installs the layer for all calls of invocations. Calls of pollers and of the tests themselves bypass it. */
export async function installFaults(initialPlan: FaultPlan): Promise<FaultLayer> {
  const requests = await followRequests();
  const inFlight = new InFlightCalls();
  const counts: Record<string, number> = {};
  let plan = initialPlan;
  let capacity = capacityOf(plan);
  setClockOffset(() => {
    const invocation = currentInvocation();
    return invocation ? (plan.clockOffsetMs?.(invocation.label) ?? 0) : 0;
  });

  const restorers = senders.map((sender) => {
    const { handle } = sender;
    sender.handle = function (request, options) {
      const send: Send = (input) =>
        handle.call(this, input ? withInput(request, input) : request, options) as Promise<WireResponse>;
      const invocation = currentInvocation();
      if (!invocation) return send();
      const count = (fault: string) => {
        counts[fault] = (counts[fault] ?? 0) + 1;
        invocation.faults.push(fault);
      };
      return forward({ plan, capacity, invocation, call: toWireCall(request), send, inFlight, count });
    };
    return () => {
      sender.handle = handle;
    };
  });
  return {
    setPlan: (next) => {
      plan = next;
      capacity = capacityOf(plan);
    },
    counts,
    invocation: (label) => requests.byLabel.get(label),
    countRunning: () => [...requests.byLabel.values()].filter(({ ended }) => !ended).length,
    remove: () => {
      for (const restore of restorers) restore();
      setClockOffset();
      requests.stop();
    },
  };
}

const capacityOf = ({ limits }: FaultPlan) => limits && new CapacityModel(limits);

type Send = (input?: Record<string, unknown>) => Promise<WireResponse>;

/** One attempt of a call, on its way through the layer. */
interface Attempt {
  readonly plan: FaultPlan;
  readonly capacity: CapacityModel | undefined;
  readonly invocation: Invocation;
  readonly call: WireCall;
  readonly send: Send;
  readonly inFlight: InFlightCalls;
  readonly count: (fault: string) => void;
}

/** Sends the call, unless its invocation crashes before. */
async function forward(attempt: Attempt): Promise<WireResponse> {
  const { plan, invocation, call, count } = attempt;
  const index = invocation.operations.push(call.operation) - 1;
  if (invocation.crashed) throw new ProcessCrashed(invocation.label);
  const fault = chooseFault(plan, invocation.label, index, call.operation);
  if (fault) count(fault);
  if (fault === 'abandoned') invocation.disconnect();
  if (fault === 'crash before call') throw crash(invocation);
  const numberFor = (what: string) => seededNumber(plan.seed, invocation.label, index, what);
  const latencyMs = plan.latency ? modelLatencyMs(call) * (0.5 + numberFor('latency')) : 0;
  const response = await sendUnlessConflicting(attempt, latencyMs, numberFor).catch((error) => {
    // The process crashes even if the attempt failed, because the client's next attempt has another index.
    if (fault !== 'crash after call') throw error;
  });
  if (response && fault !== 'crash after call' && !invocation.crashed) return response;
  if (response) discard(response);
  throw crash(invocation);
}

function crash(invocation: Invocation): ProcessCrashed {
  invocation.crashed = true;
  invocation.disconnect();
  return new ProcessCrashed(invocation.label);
}

function chooseFault(
  plan: FaultPlan,
  label: string,
  index: number,
  operation: string,
): ScriptedFault | undefined {
  const scripted = plan.script?.({ label, index, operation });
  if (scripted) return scripted;
  const isAt = (fault: string) => Math.floor(seededNumber(plan.seed, label, fault, 'at') * 8) === index;
  const happens = (fault: string, chance = 0) => seededNumber(plan.seed, label, fault) < chance;
  if (happens('abandoned', plan.abandoned) && isAt('abandoned')) return 'abandoned';
  if (!happens('crash', plan.crash) || !isAt('crash')) return undefined;
  return seededNumber(plan.seed, label, 'side') < 0.5 ? 'crash before call' : 'crash after call';
}

/** Checks for conflicts when the call arrives. The call is in flight until it has taken effect. */
async function sendUnlessConflicting(
  attempt: Attempt,
  latencyMs: number,
  numberFor: (what: string) => number,
): Promise<WireResponse> {
  const { plan, call, inFlight, count } = attempt;
  await wait(latencyMs * 0.4);
  const conflicting = plan.conflicts ? inFlight.conflictsOf(call) : [];
  if (conflicting.length > 0) {
    count('conflict');
    await wait(latencyMs * 0.6);
    return conflictResponse(call, conflicting);
  }
  const leave = inFlight.enter(call);
  try {
    await wait(latencyMs * 0.3);
    return await sendWithFaults(attempt, numberFor);
  } finally {
    leave();
    await wait(latencyMs * 0.3);
  }
}

async function sendWithFaults(
  { plan, capacity, call, send, count }: Attempt,
  numberFor: (what: string) => number,
): Promise<WireResponse> {
  const happens = (fault: string, chance = 0) => {
    const isChosen = numberFor(fault) < chance;
    if (isChosen) count(fault);
    return isChosen;
  };
  const isQueue = call.operation.startsWith('SendMessage');
  if (happens('throttled', plan.throttled))
    return throttledResponse(call, numberFor('which throttling'), isQueue);
  if (happens('request lost', plan.requestLost)) throw connectionResetError();
  const isSilent = happens('silent', plan.silent);
  const hasServerError = happens('server error', plan.serverError);
  const hasEffect = numberFor('has effect') < 0.5;
  if (isSilent && !hasEffect) return neverAnswer(plan);
  if (hasServerError && !hasEffect) return errorResponseOf('InternalServerError', {}, 500);
  const throttled = capacity?.admit(call, performance.now()) ?? [];
  if (throttled.length > 0) {
    count('over a limit');
    return limitedResponse(call, throttled, send);
  }
  const response = await performCall(plan, capacity, call, send, numberFor, count);
  const isLost = happens('response lost', plan.responseLost);
  if (!isLost && !isSilent && !hasServerError) return response;
  discard(response);
  if (isSilent) return neverAnswer(plan);
  if (hasServerError) return errorResponseOf('InternalServerError', {}, 500);
  throw connectionResetError();
}

async function performCall(
  plan: FaultPlan,
  capacity: CapacityModel | undefined,
  call: WireCall,
  send: Send,
  numberFor: (what: string) => number,
  count: (fault: string) => void,
): Promise<WireResponse> {
  if (call.operation !== 'Query')
    return mixReasons(call, await send(), plan.mixedReasons ?? 0, numberFor('mixed'), count);
  const response = await sendLimitedQuery(call, send, plan.queryPageBytes ?? 1024 * 1024);
  if (!capacity) return response;
  const text = await readWireBody(response);
  capacity.chargeQuery(call, JSON.parse(text).Items ?? [], performance.now());
  return withBody(response, text);
}

/** Waits as long as the client of a deployment waits for a byte, and fails as it does. */
async function neverAnswer({ silenceMs = 1_000 }: FaultPlan): Promise<never> {
  await wait(silenceMs);
  throw Object.assign(new Error('The server did not answer.'), { name: 'TimeoutError' });
}

/** Reads a response that is not used, so that its connection is free again. */
const discard = ({ response }: WireResponse) => (response.body as { resume?(): void }).resume?.();

const wait = (ms: number) => (ms > 0 ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : undefined);
