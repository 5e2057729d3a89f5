/** Audits a finished run: its history, the items in the table, and the messages that the receivers got. */
import type { Instant } from '../../shared/base/time.ts';
import type { TestItem } from '../support/table.ts';
import { deliveryItemsOf, webhookViolations } from '../support/webhook-audit.ts';
import { deliveryMismatches, eventMismatches } from './api-matches-table.ts';
import { balanceViolations } from './audit-balances.ts';
import { endpointViolations, toAuditedEndpoint } from './audit-endpoints.ts';
import { followUpViolations, readInvoiceVersions } from './audit-table.ts';
import { checkHistory } from './check.ts';
import type { History } from './history.ts';
import { idempotencyRecordViolations } from './idempotency-records.ts';
import type { ClientAccount } from './random-clients.ts';
import type { RandomEndpoints } from './random-endpoints.ts';
import type { RandomReceivers } from './random-receivers.ts';
import { readLifecycles } from './stored-lifecycles.ts';

/** What a run has left behind, once the system is quiescent. */
export interface FinishedRun {
  /** All items of the table. */
  readonly items: readonly TestItem[];
  readonly accounts: readonly ClientAccount[];
  readonly history: History;
  readonly endpoints: RandomEndpoints;
  readonly receivers: RandomReceivers;
  /** How many messages are in dead-letter queues. */
  readonly deadLetters: number;
  readonly now: Instant;
}

/** All violations, and how many records were audited. */
export interface RunAudit {
  readonly violations: readonly string[];
  readonly invoices: number;
  readonly payments: number;
  readonly refunds: number;
  readonly events: number;
  readonly deliveries: number;
  /** How many messages the receivers got. */
  readonly messages: number;
}

export async function auditRun(run: FinishedRun): Promise<RunAudit> {
  const { items, accounts, history, endpoints, receivers, deadLetters, now } = run;
  const received = receivers.received();
  const owners = accounts.map(({ owner }) => {
    const { invoices, violations } = readInvoiceVersions(items, owner);
    const { payments, refunds, violations: ofLifecycles } = readLifecycles(items, owner);
    const stored = { invoices, payments, refunds };
    return { owner, stored, violations: [...violations, ...ofLifecycles] };
  });
  const violations = [
    ...checkHistory(history, new Map(owners.map(({ owner, stored }) => [owner, stored]))),
    ...owners.flatMap(({ owner, stored, violations: ofRecords }) => {
      const ownEndpoints = endpoints.histories.filter((endpoint) => endpoint.owner === owner);
      const keys = ownEndpoints.flatMap(({ idempotencyKeys }) => idempotencyKeys);
      return [
        ...ofRecords,
        ...followUpViolations(items, owner, stored.invoices, now),
        ...balanceViolations(items, owner),
        ...idempotencyRecordViolations(items, owner, stored, history, keys),
        ...webhookViolations(items, { owner, endpoints: ownEndpoints.map(toAuditedEndpoint) }, received),
      ];
    }),
    ...endpoints.histories.flatMap((endpoint) =>
      endpointViolations(endpoint, items, received, receivers.acceptedBy(endpoint.name)),
    ),
    ...endpoints.unexpectedRefusals,
    ...(await apiMismatches(run)),
    ...(deadLetters > 0 ? [`${deadLetters} messages are in dead-letter queues`] : []),
  ];
  const sum = (count: (owner: (typeof owners)[number]) => number) =>
    owners.reduce((total, owner) => total + count(owner), 0);
  return {
    violations,
    invoices: sum(({ stored }) => stored.invoices.length),
    payments: sum(({ stored }) => stored.payments.length),
    refunds: sum(({ stored }) => stored.refunds.length),
    events: sum(({ owner }) => items.filter(({ pk }) => pk === `EVENTS#${owner}`).length),
    deliveries: sum(({ owner }) => deliveryItemsOf(items, owner).length),
    messages: received.length,
  };
}

async function apiMismatches({ items, accounts, endpoints }: FinishedRun): Promise<string[]> {
  const violations = accounts.map(async (account) => {
    const own = endpoints.histories.filter(
      ({ owner, scenario }) => owner === account.owner && scenario !== 'deleted',
    );
    const ofDeliveries = own.map(({ id }) => deliveryMismatches(account, id, items));
    return [...(await eventMismatches(account, items)), ...(await Promise.all(ofDeliveries)).flat()];
  });
  return (await Promise.all(violations)).flat();
}
