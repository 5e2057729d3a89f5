/**
 * Who made each payment and each refund, and when its outcome can have come: by operations of clients, by the test
 * provider's clock, or by the service itself for money that came for nothing.
 */
import type { History } from './history.ts';
import type { PaymentLife, RefundLife } from './history-lives.ts';
import { nameOf, type Operation } from './history-operations.ts';
import type { Making } from './history-order.ts';
import { madeByClock, match } from './history-versions.ts';

/** The makings of each life's versions by its id, and who made it. */
export interface Made {
  readonly makings: Map<string, Making[]>;
  readonly makers: Map<string, Operation>;
  readonly faults: string[];
}

/** How long the test provider takes, for the cards with which it takes its time. */
const settlingMs = 3_000;
/** A payment younger than this is not given up. */
const abandonedAfterMs = 60_000;

const pastTime: Making = { after: 0, latest: 0, by: 'its beginning' };

export function makersOfPayments(
  lives: readonly PaymentLife[],
  operations: readonly Operation[],
  history: History,
): Made {
  const makings = new Map<string, Making[]>();
  const paying = operations.filter(({ first }) => first.kind === 'pay');
  const byInvoice = Map.groupBy(paying, ({ first }) => first.invoice ?? '');
  const makers = new Map<string, Operation>();
  const faults: string[] = [];
  for (const [invoice, own] of Map.groupBy(lives, ({ states }) => states[0]?.shown.invoiceId ?? '')) {
    const candidates = own.map((life) =>
      (byInvoice.get(invoice) ?? []).filter((operation) => canHavePaid(operation, life)),
    );
    const matched = match(candidates);
    own.forEach((life, index) => {
      const maker = matched[index];
      if (maker) makers.set(life.id, maker);
      else faults.push(`${life.id} (${life.name}): nobody made it`);
      const made = makingOf(candidates[index] ?? [], maker);
      makings.set(life.id, [
        made,
        ...life.states.slice(1).map((_, later) => outcomeOf(life, later, history)),
      ]);
    });
  }
  faults.push(...lostFaults(paying, makers), ...lives.flatMap(cardFaults));
  return { makings, makers, faults };
}

/** A refund has a reason that is its operation's alone; one that is owed has the service's. */
export function makersOfRefunds(
  lives: readonly RefundLife[],
  operations: readonly Operation[],
  payments: ReadonlyMap<string, PaymentLife>,
  history: History,
): Made {
  const makings = new Map<string, Making[]>();
  const makers = new Map<string, Operation>();
  const faults: string[] = [];
  const refunding = operations.filter(({ first }) => first.kind === 'refund');
  const byReason = Map.groupBy(refunding, ({ first }) => String(first.body?.reason));
  for (const life of lives) {
    const [first, outcome] = life.states;
    const candidates = (byReason.get(life.name) ?? []).filter((operation) =>
      canHaveRefunded(operation, life),
    );
    const [maker] = candidates;
    if (maker && [...makers.values()].includes(maker)) faults.push(`${nameOf(maker)} took effect twice`);
    if (maker) makers.set(life.id, maker);
    else if (!isOwed(life)) faults.push(`${life.id} (${life.name}): nobody made it`);
    const card = payments.get(first?.shown.paymentId ?? '')?.states[0]?.shown.card?.last4;
    const fails = outcome?.shown.status === 'failed';
    if (outcome && fails !== (card === '5126')) {
      faults.push(`${life.id} (${life.name}) is ${outcome.shown.status}, with card ${card}`);
    }
    const ends = fails ? madeByClock(createdAt(life) + settlingMs, history) : pastTime;
    makings.set(life.id, [makingOf(candidates, maker), ...(outcome ? [ends] : [])]);
  }
  faults.push(...lostFaults(refunding, makers));
  return { makings, makers, faults };
}

const owedReason = 'The invoice was cancelled while the payment was in progress.';

/** Whether the service made the refund by itself. */
export const isOwed = ({ name }: RefundLife): boolean => name === owedReason;

function makingOf(candidates: readonly Operation[], maker: Operation | undefined): Making {
  if (!maker) return { after: 0, latest: 0, by: 'the service' };
  const begins = candidates.map(({ begin }) => begin);
  return { after: Math.min(...begins), latest: Math.max(...begins), by: nameOf(maker) };
}

const createdAt = ({ states }: PaymentLife | RefundLife) => Date.parse(states[0]?.shown.createdAt ?? '');

/** When version `later + 2` can have come: a refund's own moment is known from the refund. */
function outcomeOf(life: PaymentLife, later: number, history: History): Making {
  const { shown } = life.states[later + 1] ?? {};
  if (shown?.failureCode === 'processing_error' && cardOf(life) !== '0119') {
    return madeByClock(createdAt(life) + abandonedAfterMs, history);
  }
  if (later === 0 && cardOf(life) === '0077') return madeByClock(createdAt(life) + settlingMs, history);
  return pastTime;
}

const cardOf = ({ states }: PaymentLife) => states[0]?.shown.card?.last4;

/** Declined cards are declined, and no other: but a payment may be given up before the provider heard of it. */
function cardFaults(life: PaymentLife): string[] {
  const outcome = life.states.find(({ shown }) => shown.status !== 'pending')?.shown;
  if (!outcome || outcome.failureCode === 'processing_error') return [];
  const isDeclined = cardOf(life) === '0002';
  if (isDeclined === (outcome.status === 'failed')) return [];
  return [`${life.id} (${life.name}) is ${outcome.status} ${outcome.failureCode ?? ''}`];
}

function canHavePaid({ first, outcome, text }: Operation, { id, states }: PaymentLife): boolean {
  const shown = states[0]?.shown;
  if (outcome === 'refused' || !shown) return false;
  if (text !== undefined) return JSON.parse(text).id === id;
  const { method, reference, card, amount } = first.body ?? {};
  const number = (card as { number?: string } | undefined)?.number;
  return (
    method === shown.method &&
    (reference ?? null) === shown.reference &&
    number?.slice(-4) === shown.card?.last4 &&
    (amount ?? shown.amount) === shown.amount
  );
}

function canHaveRefunded({ first, outcome, text }: Operation, { id, states }: RefundLife): boolean {
  const shown = states[0]?.shown;
  if (outcome === 'refused' || !shown || first.payment !== shown.paymentId) return false;
  if (text !== undefined) return JSON.parse(text).id === id;
  return (first.body?.amount ?? shown.amount) === shown.amount;
}

/** Each answered operation has made something, and nothing else has made that. */
function lostFaults(operations: readonly Operation[], makers: ReadonlyMap<string, Operation>): string[] {
  const effective = new Set(makers.values());
  return operations.flatMap((operation) =>
    operation.outcome !== 'done' || effective.has(operation)
      ? []
      : [`${nameOf(operation)} was answered and is lost, or has no effect of its own: ${operation.text}`],
  );
}
