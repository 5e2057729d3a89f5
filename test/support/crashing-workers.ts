/** Runs background functions whose process crashes at a call that the test chooses. */
import { type LambdaHandler, lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { FaultPlan, ScriptedFault } from './fault-layer.ts';
import { runAsInvocation } from './invocations.ts';

export interface Crash {
  /** The index of the call, from 0, or the name of an operation, which means its first call. */
  readonly at: number | string;
  readonly fault: ScriptedFault;
}

/** The crashes of a test, by invocation label. Other invocations meet no fault. */
export class CrashPlan {
  readonly #crashes = new Map<string, Crash>();

  set(label: string, crash: Crash): void {
    this.#crashes.set(label, crash);
  }

  /** The script for the fault layer. */
  readonly script: NonNullable<FaultPlan['script']> = ({ label, index, operation }) => {
    const crash = this.#crashes.get(label);
    return crash?.at === index || crash?.at === operation ? crash.fault : undefined;
  };
}

/** Runs a background function as the invocation `label`. Returns whether it crashed or failed. */
export async function invokeWorker(label: string, file: string, event: unknown): Promise<boolean> {
  const handler: LambdaHandler<unknown, unknown> = await loadHandler(file);
  return runAsInvocation(label, () => handler(event, lambdaContext(file, 60_000))).then(
    () => false,
    () => true,
  );
}

/** Returns the event with which a queue delivers one message. */
export function toQueueEvent(message: object) {
  return { Records: [{ messageId: 'm', body: JSON.stringify(message) }] };
}
