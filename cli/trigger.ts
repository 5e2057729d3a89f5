/** Defines `remit trigger`: makes the changes that cause an event in test mode, and waits for the event. */
import type {
  EventType,
  Invoice,
  InvoiceCreateParams,
  Payment,
  Refund,
  Remit,
  RemitEvent,
  Schedule,
} from '../client/src/remit.ts';
import { eventTypes } from '../shared/domain/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { type CliCommand, CommandError, usageError } from './command.ts';
import { testCardDetails } from './invoices.ts';
import { didYouMean } from './read-options.ts';
import { resourceResult } from './resources.ts';
import { showProgress } from './terminal.ts';

/** Event types that no request causes: they come from payment providers, or from a bucket that is gone. */
const causedElsewhere = ['payment.updated', 'payment.held', 'export.failed'] as const;
const triggeredTypes = eventTypes.filter(isTriggered);
type TriggeredType = (typeof triggeredTypes)[number];

export const triggerCommand: CliCommand = {
  about: 'Trigger an event in test mode, and show it.',
  details: `The command makes the requests that cause the event, for example a payment with a test card.

Event types: ${triggeredTypes.join(', ')}.

${apiHelp}`,
  operands: ['TYPE'],
  examples: ['npx remit trigger payment.completed', 'npx remit trigger invoice.overdue --json'],
  run: async (options) => {
    const type = parseEventType(options.required('TYPE'));
    const { remit, isLive } = await connectApi();
    if (isLive)
      throw usageError('This is a live key. Events can be triggered only in test mode. Use a test key.');
    const resource = await scenarios[type](remit);
    return resourceResult(await waitForEvent(remit, type, resource.id));
  },
};

function isTriggered(type: EventType): type is Exclude<EventType, (typeof causedElsewhere)[number]> {
  return !causedElsewhere.some((other) => other === type);
}

function parseEventType(text: string): TriggeredType {
  const type = triggeredTypes.find((candidate) => candidate === text);
  if (type) return type;
  throw usageError(
    `Unknown event type: ${text}.${didYouMean(text, triggeredTypes)} Use one of: ${triggeredTypes.join(', ')}.`,
  );
}

const cards = {
  completes: '4242424242424242',
  declined: '4000000000000002',
  refundFails: '4000000000005126',
  disputed: '4000000000000259',
};

/** For each event type, the requests that cause the event. Each function returns the resource of the event, or the invoice of its document. */
const scenarios: Record<TriggeredType, (remit: Remit) => Promise<{ id: string }>> = {
  'invoice.created': createInvoice,
  'invoice.updated': async (remit) =>
    remit.invoices.update((await createInvoice(remit)).id, { amount: 260_000 }),
  'invoice.cancelled': async (remit) => remit.invoices.cancel((await createInvoice(remit)).id),
  'invoice.paid': async (remit) => ({ id: (await createPayment(remit, cards.completes)).invoiceId }),
  'invoice.overdue': createOverdueInvoice,
  'invoice.claimed': createClaimedInvoice,
  'payment.completed': (remit) => createPayment(remit, cards.completes),
  'payment.failed': (remit) => createPayment(remit, cards.declined),
  'payment.disputed': (remit) => createPayment(remit, cards.disputed),
  'payment.voided': async (remit) => {
    const { id: invoiceId } = await createInvoice(remit, { acceptPartial: true });
    const { id } = await remit.payments.create({ invoiceId, method: 'offline', amount: 100_000 });
    return remit.payments.void(id, { reason: 'Created by npx remit trigger' });
  },
  'refund.processed': (remit) => createRefund(remit, cards.completes),
  'refund.failed': (remit) => createRefund(remit, cards.refundFails),
  'document.issued': createIssuedInvoice,
  'mail.bounced': sendToNobody,
  'schedule.failed': failSchedule,
  'schedule.ended': async (remit) =>
    remit.schedules.update((await createSchedule(remit, 'c_7')).id, { status: 'ended' }),
  'export.completed': (remit) => remit.exports.create({ kind: 'customers' }),
};

function createInvoice(remit: Remit, fields: Partial<InvoiceCreateParams> = {}): Promise<Invoice> {
  return remit.invoices.create({
    customerId: 'dorji@example.bt',
    amount: 250_000,
    currency: 'BTN',
    description: 'Created by npx remit trigger',
    ...fields,
  });
}

/** Claims to have paid an invoice, as its payment page does. @throws Error if the page does not answer */
async function createClaimedInvoice(remit: Remit): Promise<Invoice> {
  const invoice = await createInvoice(remit);
  const paidOn = invoice.createdAt.slice(0, 10);
  const claim = { claim: '1', bank: 'Bank of Bhutan', reference: invoice.id, paidOn, amount: '2500.00' };
  await fetch(invoice.paymentUrl, {
    method: 'POST',
    body: new URLSearchParams(claim),
    redirect: 'manual',
  });
  return invoice;
}

async function createPayment(remit: Remit, card: string): Promise<Payment> {
  const { id: invoiceId } = await createInvoice(remit);
  return remit.payments.create({ invoiceId, method: 'card', card: testCardDetails(card) });
}

async function createRefund(remit: Remit, card: string): Promise<Refund> {
  return remit.refunds.create({
    paymentId: (await createPayment(remit, card)).id,
    reason: 'Created by npx remit trigger',
  });
}

const createSchedule = (remit: Remit, customerId: string): Promise<Schedule> =>
  remit.schedules.create({
    every: { n: 1, unit: 'month' },
    startOn: '2099-01-31',
    invoice: { customerId, amount: 250_000, currency: 'BTN', description: 'Created by npx remit trigger' },
  });

/** Lets a schedule make an invoice for a customer that is deleted. */
async function failSchedule(remit: Remit): Promise<Schedule> {
  const customer = await remit.customers.create({ name: 'Created by npx remit trigger' });
  const { id } = await createSchedule(remit, customer.id);
  await remit.customers.delete(customer.id);
  return remit.schedules.run(id);
}

/** @throws CommandError (usage) if the account issues no documents */
async function createIssuedInvoice(remit: Remit): Promise<Invoice> {
  if ((await remit.account.retrieve()).seller) return createInvoice(remit);
  throw usageError(
    'The account has no seller profile, so it issues no documents. Set one: npx remit accounts seller.',
  );
}

/**
 * Sends an invoice to an address of Amazon SES from which each mail bounces. On AWS, test mode sends only to members of the account, so
 * the address must be one of theirs: https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html
 * @throws CommandError (usage) if the account sends no invoices
 */
async function sendToNobody(remit: Remit): Promise<{ id: string }> {
  if (!(await remit.account.retrieve()).mail?.invoice)
    throw usageError(
      'The account sends no invoices by email. Switch them on: npx remit accounts update --mail-invoice on.',
    );
  const { id } = await createInvoice(remit);
  return remit.invoices.send(id, { to: `bounce+${id}@simulator.amazonses.com` });
}

/**
 * Creates an invoice that is due in 5 seconds by the service's clock. A due date in the past would make the invoice
 * overdue only after a day.
 */
async function createOverdueInvoice(remit: Remit): Promise<Invoice> {
  const { id, createdAt } = await createInvoice(remit);
  return remit.invoices.update(id, { dueDate: new Date(Date.parse(createdAt) + dueInMs).toISOString() });
}

/** The event of a document is that of its invoice. */
const isDocumentOf = (shown: object, invoiceId: string) =>
  'sha256' in shown && 'invoiceId' in shown && shown.invoiceId === invoiceId;

const dueInMs = 5_000;
/** The longest wait for an event. The service makes a due invoice overdue within two minutes. */
const maxWaitMs = 180_000;
const firstPollIntervalMs = 200;
/** Polls are rare enough to leave most of the account's hourly rate limit unused. */
const maxPollIntervalMs = 3_000;

async function waitForEvent(remit: Remit, type: EventType, resourceId: string): Promise<RemitEvent> {
  const startedAt = performance.now();
  for (let waitMs = firstPollIntervalMs; ; waitMs = Math.min(maxPollIntervalMs, waitMs * 1.5)) {
    const { data } = await remit.events.list({ type, limit: 100 });
    const event = data.find(({ data: shown }) => shown.id === resourceId || isDocumentOf(shown, resourceId));
    if (event) return event;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (seconds * 1000 > maxWaitMs)
      throw new CommandError(
        `${resourceId} exists, but its event ${type} did not arrive within ${seconds} seconds. Run npx remit events list later.`,
      );
    showProgress(`Waiting for ${type} of ${resourceId}: ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
