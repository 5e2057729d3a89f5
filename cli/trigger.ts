/** `remit trigger`: makes the real thing happen in test mode, and waits for its event. */
import type { EventType, Invoice, Payment, Refund, Remit, RemitEvent } from '../client/src/remit.ts';
import { eventTypes } from '../shared/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { type Command, CommandError, usageError } from './command.ts';
import { testCard } from './invoices.ts';
import { didYouMean } from './read-options.ts';
import { resourceResult } from './resources.ts';
import { showProgress } from './terminal.ts';

export const trigger: Command = {
  about: 'Makes an event happen in test mode, with everything that belongs to it, and shows it.',
  details: `Kinds of events: ${eventTypes.join(', ')}.\n\n${apiHelp}`,
  operands: ['KIND'],
  examples: ['npx remit trigger payment.completed', 'npx remit trigger invoice.overdue --json'],
  run: async (options) => {
    const kind = kindOf(options.required('KIND'));
    const { remit, isLive } = await connectApi();
    if (isLive) throw usageError('This is a live key: events are triggered in test mode only.');
    const resource = await happenings[kind](remit);
    return resourceResult(await eventOf(remit, kind, resource.id));
  },
};

function kindOf(word: string): EventType {
  const kind = eventTypes.find((type) => type === word);
  if (kind) return kind;
  throw usageError(
    `There is no kind ${word}.${didYouMean(word, eventTypes)} Use one of ${eventTypes.join(', ')}.`,
  );
}

const cards = {
  completes: '4242424242424242',
  declined: '4000000000000002',
  refundFails: '4000000000005126',
};

/** What leads to each kind of event; returns the resource that the event is about. */
const happenings: Record<EventType, (remit: Remit) => Promise<{ id: string }>> = {
  'invoice.created': newInvoice,
  'invoice.updated': async (remit) =>
    remit.invoices.update((await newInvoice(remit)).id, { amount: 260_000 }),
  'invoice.cancelled': async (remit) => remit.invoices.cancel((await newInvoice(remit)).id),
  'invoice.paid': async (remit) => ({ id: (await newPayment(remit, cards.completes)).invoiceId }),
  'invoice.overdue': overdueInvoice,
  'payment.completed': (remit) => newPayment(remit, cards.completes),
  'payment.failed': (remit) => newPayment(remit, cards.declined),
  'refund.processed': (remit) => newRefund(remit, cards.completes),
  'refund.failed': (remit) => newRefund(remit, cards.refundFails),
};

function newInvoice(remit: Remit): Promise<Invoice> {
  return remit.invoices.create({
    customerId: 'dorji@example.bt',
    amount: 250_000,
    currency: 'BTN',
    description: 'Made by npx remit trigger',
  });
}

async function newPayment(remit: Remit, card: string): Promise<Payment> {
  const { id: invoiceId } = await newInvoice(remit);
  return remit.payments.create({ invoiceId, method: 'card', card: testCard(card) });
}

async function newRefund(remit: Remit, card: string): Promise<Refund> {
  return remit.refunds.create({
    paymentId: (await newPayment(remit, card)).id,
    reason: 'Made by npx remit trigger',
  });
}

/** Due a moment ahead by the service's clock: one that is due already would take a day. */
async function overdueInvoice(remit: Remit): Promise<Invoice> {
  const { id, createdAt } = await newInvoice(remit);
  return remit.invoices.update(id, { dueDate: new Date(Date.parse(createdAt) + dueInMs).toISOString() });
}

const dueInMs = 5_000;
/** Due dates pass within two minutes at worst. */
const patienceMs = 180_000;
const firstWaitMs = 200;
/** Each look counts in the account's hour. */
const longestWaitMs = 3_000;

async function eventOf(remit: Remit, type: EventType, resourceId: string): Promise<RemitEvent> {
  const begin = performance.now();
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 1.5)) {
    const { data } = await remit.events.list({ type, limit: 100 });
    const event = data.find((each) => each.data.id === resourceId);
    if (event) return event;
    const seconds = Math.round((performance.now() - begin) / 1000);
    if (seconds * 1000 > patienceMs)
      throw new CommandError(`${resourceId} is there, but in ${seconds} s its ${type} has not come.`);
    showProgress(`Waiting for ${type} of ${resourceId}: ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
