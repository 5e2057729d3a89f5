/**
 * Checks a history against the sequential model: no answered write lost, no effect twice, every answer consistent
 * with an order that respects real time. The states that resources have had come from the table.
 */

import type { Chain } from './audit-table.ts';
import { callKinds, codeOf, type History, shownBy } from './history.ts';
import { listsFaults } from './history-listed.ts';
import {
  invoiceLife,
  type Life,
  lifeFaults,
  type PaymentLife,
  paymentLife,
  processedOrder,
  type RefundLife,
  refundLife,
} from './history-lives.ts';
import { keyFaults, nameOf, type Operation, operationsOf } from './history-operations.ts';
import {
  afterOf,
  beforeOf,
  type Making,
  type Moments,
  momentsOf,
  orderFaults,
  tighten,
} from './history-order.ts';
import { makersOfPayments, makersOfRefunds } from './history-payments.ts';
import { type Family, linksOf, placeOf, progressFaults } from './history-progress.ts';
import { reasonFaults } from './history-reasons.ts';
import { amountFaults } from './history-reserved.ts';
import { sightsOf } from './history-sights.ts';
import type { Money, ShownPayment } from './history-stories.ts';
import { sumFaults } from './history-sums.ts';
import { chainFaults, creationFaults, makersOf } from './history-versions.ts';

/** What the table tells of one owner. */
export interface Told extends Money {
  readonly invoices: readonly Chain[];
}

/** All that is wrong, in words; nothing if the history can be explained. */
export function checkHistory(history: History, toldByOwner: ReadonlyMap<string, Told>): string[] {
  const byOwner = Map.groupBy(history.calls, ({ owner }) => owner);
  return [...toldByOwner].flatMap(([owner, told]) =>
    checkOwner({ ...history, calls: byOwner.get(owner) ?? [] }, told),
  );
}

function checkOwner(history: History, told: Told): string[] {
  const { calls } = history;
  const operations = operationsOf(calls);
  const { payments, refunds, placed } = livesOfMoney(history, told);
  const invoices = told.invoices.map(invoiceLife);
  const all = [...invoices, ...payments, ...refunds];
  const lives = new Map<string, Life>(all.map((life) => [life.id, life]));
  const { sights, faults } = sightsOf(calls, lives);

  const made = makingsOf(history, told, operations, payments, refunds);
  const moments = new Map(
    all.map((life) => [
      life.id,
      momentsOf(life, made.makings.get(life.id) ?? [], sights.get(life.id) ?? [], history.settled),
    ]),
  );
  const of = (life: Life) => moments.get(life.id) as Moments;
  const families = familiesOf(invoices, payments, refunds, placed);
  tighten(
    [...moments.values()],
    families.flatMap((family) => linksOf(family, of)),
  );

  const known = {
    lives,
    payments: Map.groupBy(payments, ({ states }) => states[0]?.shown.invoiceId ?? ''),
    refunds: Map.groupBy(refunds, ({ states }) => states[0]?.shown.paymentId ?? ''),
    momentsOf: of,
  };
  return [
    ...keyFaults(operations),
    ...creationFaults(told.invoices, operations),
    ...faults,
    ...made.faults,
    ...calls.flatMap((call) => reasonFaults(call, known)),
    ...told.invoices.flatMap(chainFaults),
    ...[...payments, ...refunds].flatMap(lifeFaults),
    ...all.flatMap((life) => orderFaults(life, of(life))),
    ...families.flatMap((family) => progressFaults(family, of)),
    ...payments.flatMap((payment) =>
      amountFaults(payment, known.refunds.get(payment.id) ?? [], made.makers, of),
    ),
    ...ownEffectFaults(made.makers, lives, of),
    ...listsFaults(history, all, operations, of),
    ...sumFaults(history, all),
  ];
}

/** Lives of payments and refunds; refunds that were processed stand in the order in which they were. */
function livesOfMoney({ calls, settled }: History, told: Told) {
  const shown = calls.flatMap(shownBy);
  const seen = Map.groupBy(shown, ({ id }) => id) as unknown as ReadonlyMap<string, ShownPayment[]>;
  const refunds = told.refunds.map(refundLife);
  const lives = new Map<string, Life>(refunds.map((life) => [life.id, life]));
  const { sights } = sightsOf(
    calls.filter(({ kind }) => callKinds[kind].resource === 'refund'),
    lives,
  );
  const moments = new Map(
    refunds.map((life) => [life.id, momentsOf(life, [], sights.get(life.id) ?? [], settled)]),
  );
  const processed = (life: RefundLife) => placeOf(life, 'processed', (of) => moments.get(of.id) as Moments);
  const precedes = (one: RefundLife, other: RefundLife) =>
    beforeOf(processed(one)) <= afterOf(processed(other));
  const isProcessed = ({ states }: RefundLife) => states[1]?.shown.status === 'processed';
  const byPayment = Map.groupBy(refunds, ({ states }) => states[0]?.shown.paymentId ?? '');
  const ordered: RefundLife[] = [];
  const placed = new Set<RefundLife>();
  const payments = told.payments.map((story) => {
    const own = byPayment.get(story.id) ?? [];
    const shownAs = [...(seen.get(story.id) ?? []), story.last];
    const { order, placed: certain } = processedOrder(own.filter(isProcessed), shownAs, precedes);
    for (const life of certain) placed.add(life);
    ordered.push(...order, ...own.filter((life) => !isProcessed(life)));
    return paymentLife(story, order, shownAs);
  });
  const orphans = refunds.filter((life) => !ordered.includes(life));
  return { payments, refunds: [...ordered, ...orphans], placed };
}

/** When and by whom each state was made, by the id of what it is a state of. */
function makingsOf(
  history: History,
  { invoices }: Told,
  operations: readonly Operation[],
  payments: readonly PaymentLife[],
  refunds: readonly RefundLife[],
) {
  const makings = new Map<string, readonly Making[]>();
  const ofInvoices = operations.filter(({ first: { kind } }) => callKinds[kind].resource === 'invoice');
  const byDescription = Map.groupBy(ofInvoices, ({ first }) => String(first.body?.description ?? ''));
  const byInvoice = Map.groupBy(ofInvoices, ({ first }) => first.invoice ?? '');
  const faults = invoices.flatMap((chain) => {
    const creations = byDescription.get(chain.versions[0]?.invoice.description ?? '') ?? [];
    const own = [
      ...creations.filter(({ first }) => first.kind === 'create'),
      ...(byInvoice.get(chain.id) ?? []),
    ];
    const makers = makersOf(chain, own, history);
    makings.set(chain.id, makers.makings);
    return makers.faults;
  });
  const byId = new Map(payments.map((life) => [life.id, life]));
  const paid = makersOfPayments(payments, operations, history);
  const refunded = makersOfRefunds(refunds, operations, byId, history);
  for (const [id, own] of [...paid.makings, ...refunded.makings]) makings.set(id, own);
  return {
    makings,
    makers: new Map([...paid.makers, ...refunded.makers]),
    faults: [...faults, ...paid.faults, ...refunded.faults],
  };
}

function familiesOf(
  invoices: readonly Life[],
  payments: readonly PaymentLife[],
  refunds: readonly RefundLife[],
  placed: ReadonlySet<RefundLife>,
): Family[] {
  const byInvoice = Map.groupBy(payments, ({ states }) => states[0]?.shown.invoiceId ?? '');
  const byPayment = Map.groupBy(refunds, ({ states }) => states[0]?.shown.paymentId ?? '');
  return invoices.map((invoice) => {
    const own = byInvoice.get(invoice.id) ?? [];
    return {
      invoice,
      payments: own,
      refunds: new Map(own.map(({ id }) => [id, byPayment.get(id) ?? []])),
      placed,
    };
  });
}

/** A repetition that began when its operation had taken effect is never refused for what that effect has changed. */
function ownEffectFaults(
  makers: ReadonlyMap<string, Operation>,
  lives: ReadonlyMap<string, Life>,
  of: (life: Life) => Moments,
): string[] {
  return [...makers].flatMap(([id, operation]) => {
    const life = lives.get(id);
    const since = life ? beforeOf({ moments: of(life), version: 1 }) : Number.POSITIVE_INFINITY;
    return operation.calls.flatMap((call) =>
      codeOf(call) !== '' && call.begin >= since
        ? [
            `${nameOf(operation)} had made ${id}, and its repetition ${call.label} was refused: ${codeOf(call)}`,
          ]
        : [],
    );
  });
}
