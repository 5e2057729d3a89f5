/**
 * Runs the canary: uses the public API in test mode as a client and a payer do, and reports each step. The scheduled
 * function and `npx remit canary run` both use it.
 *
 * - `create` creates an invoice, and `read` retrieves it.
 * - `pay` pays it on its payment page with a test card.
 * - `deliver` waits until a webhook about the payment has arrived. The receiver accepts a webhook only if its signature is
 *   valid, so a successful delivery proves that too.
 *
 * A run ends at its first failed step.
 */
import { type Delivery, type Invoice, type Remit, RemitError } from '../../../client/src/remit.ts';

export const canarySteps = ['create', 'read', 'pay', 'deliver'] as const;

export type CanaryStep = (typeof canarySteps)[number];

/** The only event type that the canary's webhook endpoint receives. */
export const canaryEventType = 'invoice.paid';

/** The status with which the canary's receiver refuses a webhook whose signature is not valid. */
export const refusedWebhookStatus = 400;

export interface CanaryStepResult {
  readonly step: CanaryStep;
  /** `skipped`: an earlier step failed, or there is no webhook endpoint. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Undefined if the step was skipped. */
  readonly durationMs?: number;
  /** Why the step failed. It contains no secrets. */
  readonly error?: string;
}

export interface CanaryRun {
  readonly succeeded: boolean;
  /** All steps in their order. */
  readonly steps: readonly CanaryStepResult[];
  /** Undefined if no invoice was created. */
  readonly invoiceId: string | undefined;
}

export interface CanaryOptions {
  /** A client with a test key. */
  readonly remit: Remit;
  /** The endpoint whose deliveries prove that webhooks arrive. Undefined: the step `deliver` is skipped. */
  readonly webhookId: string | undefined;
  /** Ends the run, which then fails at its present step. It is the time limit of the run. */
  readonly signal: AbortSignal;
}

const invoiceBody = {
  customerId: 'canary@example.com',
  amount: 100,
  currency: 'USD',
  description: 'Created by the canary',
} as const;

/** A card that the test provider accepts, in the fields of the payment page. */
const cardFields = { number: '4242424242424242', expiry: '12/39', cvc: '123' };
const hiddenFields = ['attempt', 'version', 'amount'];
/** The time between two requests for the same state. */
const pollIntervalMs = 500;

/** Runs all steps. Never rejects because of the service: a failure is part of the result. */
export async function runCanary({ remit, webhookId, signal }: CanaryOptions): Promise<CanaryRun> {
  let invoice: Invoice | undefined;
  const requireInvoice = () => {
    if (!invoice) throw new Error('There is no invoice.');
    return invoice;
  };
  const works: Readonly<Record<CanaryStep, (() => Promise<void>) | undefined>> = {
    create: async () => {
      invoice = await remit.invoices.create(invoiceBody, { signal });
    },
    read: async () =>
      requireSameInvoice(requireInvoice(), await remit.invoices.retrieve(requireInvoice().id, { signal })),
    pay: () => payAsPayer(remit, requireInvoice(), signal),
    deliver:
      webhookId === undefined
        ? undefined
        : () => waitForDelivery(remit, webhookId, requireInvoice().id, signal),
  };
  const steps: CanaryStepResult[] = [];
  for (const step of canarySteps) {
    const work = steps.some(({ outcome }) => outcome === 'failed') ? undefined : works[step];
    steps.push(work ? await runStep(step, work, signal) : { step, outcome: 'skipped' });
  }
  const succeeded = !steps.some(({ outcome }) => outcome === 'failed');
  return { succeeded, steps, invoiceId: invoice?.id };
}

async function runStep(
  step: CanaryStep,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<CanaryStepResult> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    await work();
    return { step, outcome: 'passed', durationMs: durationMs() };
  } catch (error) {
    const reason =
      signal.aborted && error === signal.reason
        ? 'The time limit of the run ended.'
        : describeFailure(error as Error);
    return { step, outcome: 'failed', durationMs: durationMs(), error: reason };
  }
}

/** Describes an error with the facts that find it in the log of the service. */
function describeFailure(error: Error): string {
  const { cause } = error as { cause?: { code?: string } };
  if (!(error instanceof RemitError)) return cause?.code ? `${error.message}: ${cause.code}` : error.message;
  const { status, code, requestId } = error;
  const facts = Object.entries({ status, code, requestId }).filter(([, value]) => value !== undefined);
  const text = facts.map(([name, value]) => `${name} ${value}`).join(', ');
  return text ? `${error.message} (${text})` : error.message;
}

function requireSameInvoice(created: Invoice, retrieved: Invoice): void {
  for (const name of ['id', 'status', 'amount', 'currency', 'customerId', 'description'] as const) {
    if (created[name] !== retrieved[name])
      throw new Error(`The invoice ${created.id} was created and retrieved with a different ${name}.`);
  }
}

/** Opens the payment page, sends its form, and waits until the invoice is paid. */
async function payAsPayer(remit: Remit, { id, paymentUrl }: Invoice, signal: AbortSignal): Promise<void> {
  const page = await fetch(paymentUrl, { signal, redirect: 'manual' });
  const html = await page.text();
  if (page.status !== 200) throw new Error(`The payment page returned ${page.status}.`);
  const hidden = hiddenFields.map((name) => [name, hiddenValue(html, name)] as const);
  const form = new URLSearchParams({ ...Object.fromEntries(hidden), ...cardFields });
  const answer = await fetch(paymentUrl, { method: 'POST', body: form, signal, redirect: 'manual' });
  await answer.arrayBuffer();
  if (answer.status !== 303) throw new Error(`The payment page returned ${answer.status} to the form.`);
  await poll(signal, async () => {
    const { status } = await remit.invoices.retrieve(id, { signal });
    return status === 'paid';
  });
}

function hiddenValue(html: string, name: string): string {
  const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(html) ?? [];
  if (value === undefined) throw new Error(`The payment page has no form with the field ${name}.`);
  return value;
}

/**
 * Waits until the event that the invoice is paid has been delivered. If the time ends, the error has the last attempt.
 * @throws Error if the receiver refuses the signature twice. The first time, the receiver may not know a new secret yet.
 */
async function waitForDelivery(
  remit: Remit,
  webhookId: string,
  invoiceId: string,
  signal: AbortSignal,
): Promise<void> {
  let eventId: string | undefined;
  let delivery: Delivery | undefined;
  try {
    await poll(signal, async () => {
      eventId ??= await findEvent(remit, invoiceId, signal);
      if (eventId === undefined) return false;
      const { data } = await remit.webhooks.listDeliveries(webhookId, { limit: 20 }, { signal });
      delivery = data.find((candidate) => candidate.eventId === eventId) ?? delivery;
      const refused = delivery?.attempts.filter(({ status }) => status === refusedWebhookStatus) ?? [];
      if (refused.length > 1)
        throw new Error(`The receiver did not accept the webhook. ${describeAttempt(delivery)}`);
      return delivery?.status === 'succeeded';
    });
  } catch (error) {
    if (error !== signal.reason) throw error;
    if (eventId === undefined)
      throw new Error(`The event ${canaryEventType} of ${invoiceId} did not appear in time.`);
    throw new Error(
      `The webhook with the event ${eventId} did not arrive in time. ${describeAttempt(delivery)}`,
    );
  }
}

async function findEvent(remit: Remit, invoiceId: string, signal: AbortSignal): Promise<string | undefined> {
  const { data } = await remit.events.list({ type: canaryEventType, limit: 20 }, { signal });
  return data.find((event) => event.data.id === invoiceId)?.id;
}

function describeAttempt(delivery: Delivery | undefined): string {
  const attempt = delivery?.attempts.at(-1);
  if (!attempt) return 'No attempt was made.';
  return `Attempt ${attempt.number}: ${attempt.status === null ? attempt.error : `status ${attempt.status}`}.`;
}

/** Calls `isDone` until it returns true. Rejects with the reason of the signal as soon as the signal aborts. */
async function poll(signal: AbortSignal, isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    signal.throwIfAborted();
  }
}
