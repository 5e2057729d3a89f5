/** What the steps of a run of random money share. */
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import type { Random } from '../support/seeded-random.ts';
import type { TestItem } from '../support/table.ts';

export interface MoneyWorld {
  readonly double: ProviderDouble;
  /** Sends a request until its outcome is known, under an idempotency key. */
  readonly send: (method: string, path: string, body?: object) => Promise<TestItem | undefined>;
  /** Reads without faults. */
  readonly read: (path: string) => Promise<TestItem>;
  /** Returns the payment reference of an invoice, which payers see and the API does not show. */
  readonly paymentReferenceOf: (invoice: string) => Promise<string>;
  /** Counts that something happened. */
  readonly count: (name: string) => void;
  /** Names an invocation that meets faults. */
  readonly newLabel: () => string;
  /** The day of a time on the clock of the run. */
  readonly today: () => string;
  /** The bodies of the statements that were sent. */
  readonly statements: object[];
}
export type MoneyStep = (world: MoneyWorld, random: Random) => Promise<unknown>;

/** The currency of the provider. */
export const providerCurrency = 'INR';

/** One of the newest invoices, mostly one that can be paid. */
export const invoiceOf = async ({ read }: MoneyWorld, random: Random): Promise<TestItem | undefined> => {
  const status = random.chance(0.8) ? '&status=pending' : '';
  return random.pick((await read(`/api/invoices?limit=8${status}`)).data as TestItem[]);
};
/** All that is due, a part of it, or sometimes more. */
export const partOf = (random: Random, due: number) =>
  random.chance(0.3) ? Math.max(1, due) : random.integer(1, Math.max(1, Math.ceil(due * 1.02)));
/** A part that an invoice takes by card: it leaves nothing, or enough for another card. */
export const cardPartOf = (random: Random, due: number) =>
  random.chance(0.3) || due < 200 ? due : random.integer(100, due - 100);
export const pickPayment = async ({ read }: MoneyWorld, random: Random) =>
  random.pick((await read('/api/payments?limit=40')).data as TestItem[]);

/** Returns the newest payments that wait for a decision, because the provider took another amount. */
export const heldPayments = async ({ read }: Pick<MoneyWorld, 'read'>): Promise<TestItem[]> =>
  ((await read('/api/payments?limit=100&status=pending')).data as TestItem[]).filter(
    ({ pendingReason }) => pendingReason === 'amount_differs',
  );
