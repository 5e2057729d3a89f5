/** The verdict on a run: all that is wrong with its history, and with what it left in the table and with receivers. */
import type { Instant } from '../../shared/time.ts';
import { balanceFaults } from './audit-balances.ts';
import { endpointLifeFaults, knownEndpoint } from './audit-endpoints.ts';
import { auditFollowUps, readChains } from './audit-table.ts';
import type { History } from './history.ts';
import { checkHistory } from './history-check.ts';
import type { ClientAccount } from './history-clients.ts';
import type { RandomEndpoints } from './history-endpoints.ts';
import { keyAuditFaults } from './history-keys.ts';
import type { HistoryReceivers } from './history-receivers.ts';
import { shownDeliveryFaults, shownEventFaults } from './history-shown.ts';
import { readMoney } from './history-stories.ts';
import type { TestItem } from './table.ts';
import { deliveriesOf, webhookFaults } from './webhook-audit.ts';

/** What a run has left, once everything has come to rest. */
export interface Left {
  readonly items: readonly TestItem[];
  readonly accounts: readonly ClientAccount[];
  readonly history: History;
  readonly endpoints: RandomEndpoints;
  readonly receivers: HistoryReceivers;
  readonly deadLetters: number;
  readonly now: Instant;
}

/** What is wrong, and how much was judged. */
export interface Verdict {
  readonly violations: readonly string[];
  readonly invoices: number;
  readonly payments: number;
  readonly refunds: number;
  readonly events: number;
  readonly deliveries: number;
  /** That came to receivers. */
  readonly messages: number;
}

export async function judge(left: Left): Promise<Verdict> {
  const { items, accounts, history, endpoints, receivers, deadLetters, now } = left;
  const received = receivers.received();
  const read = accounts.map(({ owner }) => {
    const { chains, faults } = readChains(items, owner);
    const { payments, refunds, faults: ofMoney } = readMoney(items, owner);
    return { owner, told: { invoices: chains, payments, refunds }, faults: [...faults, ...ofMoney] };
  });
  const violations = [
    ...checkHistory(history, new Map(read.map(({ owner, told }) => [owner, told]))),
    ...read.flatMap(({ owner, told, faults }) => {
      const lives = endpoints.lives.filter((life) => life.owner === owner);
      const keys = lives.flatMap((life) => life.keys);
      return [
        ...faults,
        ...auditFollowUps(items, owner, told.invoices, now),
        ...balanceFaults(items, owner),
        ...keyAuditFaults(items, owner, told, history, keys),
        ...webhookFaults(items, { owner, endpoints: lives.map(knownEndpoint) }, received),
      ];
    }),
    ...endpoints.lives.flatMap((life) =>
      endpointLifeFaults(life, items, received, receivers.acceptedBy(life.name)),
    ),
    ...endpoints.refusals,
    ...(await shownFaults(left)),
    ...(deadLetters > 0 ? [`${deadLetters} messages have come to dead-letter queues`] : []),
  ];
  const sum = (count: (one: (typeof read)[number]) => number) =>
    read.reduce((total, one) => total + count(one), 0);
  return {
    violations,
    invoices: sum(({ told }) => told.invoices.length),
    payments: sum(({ told }) => told.payments.length),
    refunds: sum(({ told }) => told.refunds.length),
    events: sum(({ owner }) => items.filter(({ pk }) => pk === `EVENTS#${owner}`).length),
    deliveries: sum(({ owner }) => deliveriesOf(items, owner).length),
    messages: received.length,
  };
}

/** What is wrong with how the API shows events and deliveries. */
async function shownFaults({ items, accounts, endpoints }: Left): Promise<string[]> {
  const faults = accounts.map(async (account) => {
    const own = endpoints.lives.filter(({ owner, lot }) => owner === account.owner && lot !== 'deleted');
    const ofDeliveries = own.map(({ id }) => shownDeliveryFaults(account, id, items));
    return [...(await shownEventFaults(account, items)), ...(await Promise.all(ofDeliveries)).flat()];
  });
  return (await Promise.all(faults)).flat();
}
