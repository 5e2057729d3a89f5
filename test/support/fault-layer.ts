/**
 * Faults of AWS between the service and its DynamoDB and SQS, at the SDK's HTTP handler and so below its retries:
 * conflicts, throttling, lost answers, cut queries, latency, death and clients that go away. What happens to a
 * call is a function of the seed, its invocation and its place in it, never of the time.
 */
import { dynamodb } from '../../shared/store/client.ts';
import { InFlight } from './in-flight.ts';
import { currentInvocation, followRequests, type Invocation, ProcessDied } from './invocations.ts';
import { sendCutQuery } from './query-cut.ts';
import { chanceOf } from './seeded-random.ts';
import {
  actionsOf,
  cancelledAnswer,
  connectionLost,
  errorAnswer,
  isTransaction,
  modelledMs,
  readAnswer,
  toWireCall,
  type WireAnswer,
  type WireCall,
  type WireRequest,
  withBody,
} from './wire-call.ts';

export interface FaultPlan {
  readonly seed: number;
  /** Calls that overlap on one item conflict, as on AWS. */
  readonly conflicts?: boolean;
  readonly latency?: boolean;
  /** Where queries are cut; 1 MB without it. */
  readonly cutBytes?: number;
  /** Chances for each attempt of each call. */
  readonly throttled?: number;
  readonly requestLost?: number;
  readonly answerLost?: number;
  /** A server error, of which half come after the deed. */
  readonly serverError?: number;
  /** For a transaction whose conditions failed: that another action of it reports a conflict beside that. */
  readonly mixedReasons?: number;
  /** Chances for each invocation, that it dies, or its client goes away, at one of its first eight calls. */
  readonly death?: number;
  readonly abandoned?: number;
  /** What is to happen at one call, whatever the chances are. */
  readonly script?: (place: { label: string; index: number; operation: string }) => Fate | undefined;
}

export type Fate = 'dies before' | 'dies after' | 'abandoned';

export interface FaultLayer {
  /** Replaces the plan from the next call on. */
  setPlan(plan: FaultPlan): void;
  /** How often each fault has happened. */
  readonly counts: Readonly<Record<string, number>>;
  /** The invocation of a request; undefined if it never arrived. */
  invocation(label: string): Invocation | undefined;
  /** Requests that the service has begun and not ended, also those whose client is gone. */
  running(): number;
  remove(): void;
}

type Handle = (request: WireRequest, options: unknown) => Promise<WireAnswer>;

/** Calls of the service go through the layer; those of pollers and of the tests themselves do not. */
export async function installFaults(first: FaultPlan): Promise<FaultLayer> {
  const prototype = Object.getPrototypeOf(dynamodb.config.requestHandler) as { handle: Handle };
  const { handle } = prototype;
  const requests = await followRequests();
  const inFlight = new InFlight();
  const counts: Record<string, number> = {};
  let plan = first;

  prototype.handle = function (request, options) {
    const send: Send = (input) =>
      handle.call(this, input ? withInput(request, input) : request, options) as Promise<WireAnswer>;
    const invocation = currentInvocation();
    if (!invocation) return send();
    const count = (fault: string) => {
      counts[fault] = (counts[fault] ?? 0) + 1;
      invocation.faults.push(fault);
    };
    return pass({ plan, invocation, call: toWireCall(request), send, inFlight, count });
  };
  return {
    setPlan: (next) => {
      plan = next;
    },
    counts,
    invocation: (label) => requests.byLabel.get(label),
    running: () => [...requests.byLabel.values()].filter(({ ended }) => !ended).length,
    remove: () => {
      prototype.handle = handle;
      requests.stop();
    },
  };
}

type Send = (input?: Record<string, unknown>) => Promise<WireAnswer>;

interface Passage {
  readonly plan: FaultPlan;
  readonly invocation: Invocation;
  readonly call: WireCall;
  readonly send: Send;
  readonly inFlight: InFlight;
  readonly count: (fault: string) => void;
}

async function pass(passage: Passage): Promise<WireAnswer> {
  const { plan, invocation, call, count } = passage;
  const index = invocation.operations.push(call.operation) - 1;
  if (invocation.dead) throw new ProcessDied(invocation.label);
  const fate = fateOf(plan, invocation.label, index, call.operation);
  if (fate) count(fate);
  if (fate === 'abandoned') invocation.disconnect();
  if (fate === 'dies before') throw die(invocation);
  const chance = (what: string) => chanceOf(plan.seed, invocation.label, index, what);
  const totalMs = plan.latency ? modelledMs(call) * (0.5 + chance('latency')) : 0;
  const answer = await contend(passage, totalMs, chance);
  if (fate === 'dies after') invocation.dead = true;
  if (!invocation.dead) return answer;
  discard(answer);
  throw die(invocation);
}

function die(invocation: Invocation): ProcessDied {
  invocation.dead = true;
  invocation.disconnect();
  return new ProcessDied(invocation.label);
}

function fateOf(plan: FaultPlan, label: string, index: number, operation: string): Fate | undefined {
  const scripted = plan.script?.({ label, index, operation });
  if (scripted) return scripted;
  const at = (what: string) => Math.floor(chanceOf(plan.seed, label, what, 'at') * 8) === index;
  const comes = (what: string, probability = 0) => chanceOf(plan.seed, label, what) < probability;
  if (comes('abandoned', plan.abandoned) && at('abandoned')) return 'abandoned';
  if (!comes('death', plan.death) || !at('death')) return undefined;
  return chanceOf(plan.seed, label, 'side') < 0.5 ? 'dies before' : 'dies after';
}

/** Conflicts are judged when the call arrives; it is in flight until its deed is done. */
async function contend(
  passage: Passage,
  totalMs: number,
  chance: (what: string) => number,
): Promise<WireAnswer> {
  const { plan, call, inFlight, count } = passage;
  await wait(totalMs * 0.4);
  const conflicting = plan.conflicts ? inFlight.conflictsOf(call) : [];
  if (conflicting.length > 0) {
    count('conflict');
    await wait(totalMs * 0.6);
    return conflictAnswer(call, conflicting);
  }
  const leave = inFlight.enter(call);
  try {
    await wait(totalMs * 0.3);
    return await attempt(passage, chance);
  } finally {
    leave();
    await wait(totalMs * 0.3);
  }
}

function conflictAnswer(call: WireCall, conflicting: readonly number[]): WireAnswer {
  if (!isTransaction(call)) return errorAnswer('TransactionConflictException');
  return cancelledAnswer(
    actionsOf(call).map((_, index) => (conflicting.includes(index) ? 'TransactionConflict' : 'None')),
  );
}

async function attempt(
  { plan, call, send, count }: Passage,
  chance: (what: string) => number,
): Promise<WireAnswer> {
  const comes = (what: string, probability = 0) => {
    const happens = chance(what) < probability;
    if (happens) count(what);
    return happens;
  };
  const isQueue = call.operation === 'SendMessage';
  if (comes('throttled', plan.throttled)) return throttledAnswer(call, chance('which throttling'), isQueue);
  if (comes('request lost', plan.requestLost)) throw connectionLost();
  const serverError = comes('server error', plan.serverError);
  const afterwards = chance('afterwards') < 0.5;
  if (serverError && !afterwards) return errorAnswer('InternalServerError', {}, 500);
  const answer =
    call.operation === 'Query'
      ? await sendCutQuery(call, send, plan.cutBytes ?? 1024 * 1024)
      : await mixReasons(call, await send(), plan.mixedReasons ?? 0, chance('mixed'), count);
  const lost = comes('answer lost', plan.answerLost);
  if (!lost && !serverError) return answer;
  discard(answer);
  if (serverError) return errorAnswer('InternalServerError', {}, 500);
  throw connectionLost();
}

function throttledAnswer(call: WireCall, which: number, isQueue: boolean): WireAnswer {
  if (isQueue) return errorAnswer('RequestThrottled');
  if (!isTransaction(call) || which < 0.3) return errorAnswer('ProvisionedThroughputExceededException');
  const code = which < 0.6 ? 'ThrottlingError' : 'ProvisionedThroughputExceeded';
  const [, ...others] = actionsOf(call).map(() => 'None');
  return cancelledAnswer([code, ...others]);
}

/** DynamoDB reports for each action by itself: beside a failed condition another action may show a conflict. */
async function mixReasons(
  call: WireCall,
  answer: WireAnswer,
  probability: number,
  chance: number,
  count: (fault: string) => void,
): Promise<WireAnswer> {
  if (chance >= probability || answer.response.statusCode === 200 || !isTransaction(call)) return answer;
  const text = await readAnswer(answer);
  const error = JSON.parse(text) as { CancellationReasons?: { Code: string }[] };
  const reasons = error.CancellationReasons ?? [];
  const others = reasons.flatMap(({ Code }, index) => (Code === 'None' ? [index] : []));
  const other = others[Math.floor((chance / probability) * others.length)];
  if (other === undefined) return withBody(answer, text);
  count('mixed reasons');
  reasons[other] = { Code: 'TransactionConflict' };
  return withBody(answer, JSON.stringify(error));
}

/** Reads what nobody wants, so that the connection is free again. */
function discard({ response }: WireAnswer): void {
  (response.body as { resume?(): void }).resume?.();
}

function withInput(request: WireRequest, input: Record<string, unknown>): WireRequest {
  const body = JSON.stringify(input);
  const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, { body, headers });
}

const wait = (ms: number) => (ms > 0 ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : undefined);
