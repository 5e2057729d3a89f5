/**
 * Defines the faults that a client can ask for in test mode with the header `X-Test-Fault`, to test its own retries. Pure.
 *
 * - A request fault changes the answer of one request.
 * - A webhook fault changes how the events that a request causes are sent. It is stored with the change, in the form in which
 *   the header has it.
 */

/** The longest wait of `slow`, in milliseconds. Together with the work itself, it is far below the time limit of a function. */
const maxSlowMs = 10_000;
/** The longest wait of `delay`, in seconds. */
const maxDelaySeconds = 86_400;
/** A request with `slow` counts as one more request for each of these steps. So it takes no more of the service than others. */
const slowStepMs = 250;
/** How long `reorder` keeps events back, so that later events of the object arrive first. */
const reorderMs = 30_000;
/** With `reorder`, the time between two events of one request. */
const reorderStepMs = 2_000;

/** A fault of the webhooks of a request, as the header has it and as items store it. */
export type WebhookFault = 'drop' | 'twice' | 'reorder' | `delay=${number}`;

/** A fault of the answer to a request. */
export type RequestFault =
  | { readonly kind: 'before-commit' | 'after-commit' | 'rate-limited' }
  | { readonly kind: 'slow'; readonly waitMs: number };

export type TestFault = RequestFault | { readonly kind: 'webhook'; readonly webhookFault: WebhookFault };

/** Says which values the header accepts. */
export const testFaultMessage = `X-Test-Fault must be one of before-commit, after-commit, slow=<milliseconds up to ${maxSlowMs}>, rate-limited, drop, twice, reorder, delay=<seconds up to ${maxDelaySeconds}>. Send the header once with one of them, or leave it out.`;

/** The pattern of the header, for the API description. It does not limit the numbers. */
export const testFaultPattern =
  '^(before-commit|after-commit|slow=[1-9][0-9]{0,4}|rate-limited|drop|twice|reorder|delay=[1-9][0-9]{0,4})$';

/** Reads the value of the header. Returns undefined if it is not a fault. */
export function parseTestFault(text: string): TestFault | undefined {
  if (!new RegExp(testFaultPattern).test(text)) return undefined;
  const [kind, value] = text.split('=');
  if (kind === 'slow') {
    const waitMs = Number(value);
    return waitMs <= maxSlowMs ? { kind, waitMs } : undefined;
  }
  if (kind === 'delay' && Number(value) > maxDelaySeconds) return undefined;
  if (kind === 'before-commit' || kind === 'after-commit' || kind === 'rate-limited') return { kind };
  return { kind: 'webhook', webhookFault: text as WebhookFault };
}

/** Returns as how many requests a request with this fault counts. */
export function requestsCounted(fault: TestFault | undefined): number {
  return fault?.kind === 'slow' ? 1 + Math.ceil(fault.waitMs / slowStepMs) : 1;
}

/** Whether a request with this fault fails before it does anything. */
export function failsFirst(fault: TestFault | undefined): boolean {
  return fault?.kind === 'before-commit' || fault?.kind === 'rate-limited';
}

/**
 * Returns how long the first attempt to deliver an event is kept back, in milliseconds.
 * @param laterEvents the number of events after this one in the same change
 */
export function deliveryWaitMs(fault: WebhookFault | undefined, laterEvents: number): number {
  if (fault === 'reorder') return reorderMs + laterEvents * reorderStepMs;
  return fault?.startsWith('delay=') ? Number(fault.slice('delay='.length)) * 1000 : 0;
}
