/**
 * Erases the personal data of one customer of an account and mode.
 *
 * - Passes over records, lists, documents and events repeat until one finds nothing. Each begins so long after the one before that
 *   no function still works with what it had read.
 * - It can be interrupted at any call. The next run continues with the same pseudonym.
 * - It runs beside requests and background work. Data that a request writes meanwhile is erased or stays, never mixed.
 */
import { randomBytes } from 'node:crypto';
import { base32, type Owner } from '../../base/ids.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import { customerFilterKey } from '../../domain/invoices/record.ts';
import { forgetRecords } from '../reconciliation/digest-store.ts';
import { readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import { type CopiesOf, eraseAnswers, eraseEvents } from './copies.ts';
import { deleteCustomers, leaveEmailList, readCustomersToErase } from './customers.ts';
import { eraseDocuments } from './documents.ts';
import { deleteDraftsOf } from './drafts.ts';
import { beginErasure, endErasure, readBegunErasure } from './erasure-store.ts';
import { eraseMails } from './mails.ts';
import { eraseRecords, type RecordsOf, type RecordsPass } from './records.ts';
import { endSchedulesOf } from './schedules.ts';
import { eraseStatementRows } from './statements.ts';

/** Longer than any function runs that adds records to lists or sends webhooks, in milliseconds. */
export const lateWriteMs = 100_000;
const pollMs = 2_000;
/** The sweep relays what the stream missed within two minutes. */
const maxPolls = 90;

/** How many items of each kind were erased. */
export interface ErasedCounts {
  /** Customers of the customers API, with this ID or e-mail address. */
  customers: number;
  /** Drafts of the customer, which are deleted. */
  drafts: number;
  /** Schedules of the customer, which end. */
  schedules: number;
  invoices: number;
  payments: number;
  refunds: number;
  /** Invoices and credit notes with numbers. */
  documents: number;
  mails: number;
  /** Rows of bank statements that show the money of the customer. */
  rows: number;
  events: number;
  /** Stored answers of idempotency keys. */
  answers: number;
  /** Deliveries with answers of receivers. */
  deliveries: number;
}

export interface ErasureOptions {
  /** The pseudonym of a new erasure, from `newPseudonym`. */
  readonly pseudonym: string;
  /** Nothing is written, and the counts say what would be erased. */
  readonly dryRun: boolean;
  /** Waits. On the local stack, it may return earlier. @param reason a sentence for the operator */
  readonly wait: (ms: number, reason: string) => Promise<void>;
  /** Shows how far the erasure is. @param counts what this run has erased so far */
  readonly onProgress: (text: string, counts: ErasedCounts) => void;
}

/** Returns a customer id that stands for no customer. It is random, so it does not lead back to the customer. */
export function newPseudonym(): string {
  return `erased-${base32(randomBytes(10), 16)}`;
}

/**
 * Counts what names the customer. Returns undefined if there is nothing to erase: no invoice, no customer, no draft, no schedule, and no erasure
 * that was interrupted.
 * @throws Error if the account does not exist
 */
export async function countToErase(
  owner: Owner,
  customerId: string,
): Promise<{ invoices: number; customers: number; drafts: number; schedules: number } | undefined> {
  const { begun, ...scope } = await scopeOf(
    owner,
    customerId,
    { pseudonym: 'erased', dryRun: true },
    () => {},
  );
  const { records } = await eraseRecords(scope);
  const invoices = [...records.values()].filter(({ resource }) => resource === 'invoice').length;
  const found = await readCustomersToErase(owner, customerId);
  const customers = found.filter(({ status }) => status === 'active').length;
  const drafts = await deleteDraftsOf(owner, customerId, true);
  const schedules = await endSchedulesOf(owner, customerId, true);
  const total = invoices + customers + drafts + schedules;
  return total > 0 || begun ? { invoices, customers, drafts, schedules } : undefined;
}

/**
 * Erases the data of all invoices of a customer that exist now, and deletes the customers with the ID or e-mail address.
 * @returns the pseudonym and what was erased
 * @throws Error if the account does not exist, or if changes of the customer's records are not relayed within minutes
 */
export async function eraseCustomer(
  owner: Owner,
  customerId: string,
  options: ErasureOptions,
): Promise<{ pseudonym: string; counts: ErasedCounts }> {
  const counts: ErasedCounts = {
    customers: 0,
    drafts: 0,
    schedules: 0,
    invoices: 0,
    payments: 0,
    refunds: 0,
    documents: 0,
    mails: 0,
    rows: 0,
    events: 0,
    answers: 0,
    deliveries: 0,
  };
  const onProgress = (text: string) => options.onProgress(text, counts);
  const scope = await scopeOf(owner, customerId, options, onProgress);
  const run = { scope, customerId, counts, options };
  const first = await pass(run);
  if (options.dryRun) await eraseAnswersOnce(run, first);
  else await eraseToTheEnd(run);
  return { pseudonym: scope.erasure.pseudonym, counts };
}

interface Run {
  readonly scope: RecordsOf;
  readonly customerId: string;
  readonly counts: ErasedCounts;
  readonly options: ErasureOptions;
}

/** Continues after the first pass until nothing is left, and then forgets the erasure. */
async function eraseToTheEnd(run: Run): Promise<void> {
  const { owner, erasure } = run.scope;
  let settled: Pass;
  do {
    settled = await settle(run);
    if ((await eraseAnswersOnce(run, settled)) === 0) break;
    // A repetition that had read its stored answer before adds its index entries again.
    settled = await settle(run);
  } while (settled.changes > 0);
  // Their lists have changed, and the next reconciliation compares them again.
  await forgetRecords(owner, [...settled.records.values()]);
  await leaveEmailList(owner, run.customerId, settled.customers);
  await endErasure(owner, erasure.from);
}

interface Pass {
  readonly copies: CopiesOf;
  readonly eventIds: ReadonlySet<string>;
  readonly records: RecordsPass['records'];
  /** The deleted customers. */
  readonly customers: readonly Customer[];
  /** How much was changed. */
  readonly changes: number;
}

/** Makes passes until one that begins late enough finds nothing. Returns the last one, with the changes of all. */
async function settle(run: Run): Promise<Pass> {
  for (let changes = 0; ; ) {
    await run.options.wait(lateWriteMs, 'Waiting for requests and background work that started earlier.');
    const last = await pass(run);
    changes += last.changes;
    if (last.changes === 0) return { ...last, changes };
  }
}

/** Erases records, lists, documents and events once. */
async function pass({ scope, customerId, counts, options }: Run): Promise<Pass> {
  const customers = await readCustomersToErase(scope.owner, customerId);
  const deleted = scope.dryRun
    ? customers.filter(({ status }) => status === 'active').length
    : await deleteCustomers(scope.owner, customers);
  counts.customers += deleted;
  const drafts = await deleteDraftsOf(scope.owner, customerId, scope.dryRun);
  counts.drafts += drafts;
  const schedules = await endSchedulesOf(scope.owner, customerId, scope.dryRun);
  counts.schedules += schedules;
  const { records, rows: ownRows, changes } = await eraseUntilRelayed(scope, counts, options.wait);
  scope.onProgress('Erasing documents.');
  const documents = await eraseDocuments(scope, records, customers);
  counts.documents += documents;
  const { changed: mails, mailed } = await eraseMails(scope, records, customers);
  counts.mails += mails;
  const rows = await eraseStatementRows(scope, { rows: ownRows });
  counts.rows += rows;
  scope.onProgress('Erasing events.');
  const copies: CopiesOf = {
    ...scope,
    customerId,
    ids: new Set([...records.keys(), ...customers.map(({ id }) => id)]),
    mailed,
  };
  const { changed, eventIds } = await eraseEvents(copies);
  counts.events += changed;
  return {
    copies,
    eventIds,
    records,
    customers,
    changes: deleted + drafts + schedules + changes + documents + mails + rows + changed,
  };
}

/** Erases stored answers and the answers of receivers once. Returns how many. */
async function eraseAnswersOnce({ scope, counts }: Run, { copies, eventIds }: Pass): Promise<number> {
  const { answers, deliveries } = await eraseAnswers(copies, eventIds, scope.onProgress);
  counts.answers += answers;
  counts.deliveries += deliveries;
  return answers + deliveries;
}

async function scopeOf(
  owner: Owner,
  customerId: string,
  { pseudonym, dryRun }: Pick<ErasureOptions, 'pseudonym' | 'dryRun'>,
  onProgress: (text: string) => void,
): Promise<RecordsOf & { begun: boolean }> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) throw new Error(`There is no account ${owner.account}.`);
  const from = await customerFilterKey(customerId);
  const begun = await readBegunErasure(owner, from);
  const chosen = begun ?? (dryRun ? pseudonym : await beginErasure(owner, from, pseudonym));
  const erasure = { pseudonym: chosen, from, to: await customerFilterKey(chosen) };
  const lastInvoice = numbers.allocated.invoice;
  return { owner, erasure, lastInvoice, dryRun, onProgress, begun: begun !== undefined };
}

/** Erases the records until no change is left whose event or index entries contain personal data. */
async function eraseUntilRelayed(
  scope: RecordsOf,
  counts: ErasedCounts,
  wait: ErasureOptions['wait'],
): Promise<RecordsPass & { changes: number }> {
  let changes = 0;
  for (let polls = 0; ; polls++) {
    const last = await eraseRecords(scope);
    const { invoices, payments, refunds } = last.changed;
    counts.invoices += invoices;
    counts.payments += payments;
    counts.refunds += refunds;
    changes += invoices + payments + refunds + last.removed;
    if (last.unrelayed === 0 || scope.dryRun) return { ...last, changes };
    if (polls === maxPolls)
      throw new Error(
        `${last.unrelayed} changes of this customer's records have not been relayed for minutes, so their events cannot be erased yet. See docs/operate/alarms/outbox-age.md. Then run the command again.`,
      );
    await wait(pollMs, `Waiting until ${last.unrelayed} changes are relayed.`);
  }
}
