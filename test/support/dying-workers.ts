/** Background functions whose process dies at a call of the test's choice. */
import { type LambdaHandler, lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Fate, FaultPlan } from './fault-layer.ts';
import { runAs } from './invocations.ts';

/** At which call it dies: the call's place, from 0, or the first call of that operation. */
export interface Death {
  readonly at: number | string;
  readonly fate: Fate;
}

/** Who dies where, by the label of the invocation; everybody else lives. */
export class Deaths {
  readonly #deaths = new Map<string, Death>();

  set(label: string, death: Death): void {
    this.#deaths.set(label, death);
  }

  /** The script for the fault layer. */
  readonly script: NonNullable<FaultPlan['script']> = ({ label, index, operation }) => {
    const death = this.#deaths.get(label);
    return death?.at === index || death?.at === operation ? death.fate : undefined;
  };
}

/** Runs a background function as the invocation `label`; tells whether it died. */
export async function invokeWorker(label: string, file: string, event: unknown): Promise<boolean> {
  const handler: LambdaHandler<unknown, unknown> = await loadHandler(file);
  return runAs(label, () => handler(event, lambdaContext(file, 60_000))).then(
    () => false,
    () => true,
  );
}

/** The event of one message that a queue delivers. */
export function messageEvent(message: object) {
  return { Records: [{ messageId: 'm', body: JSON.stringify(message) }] };
}
