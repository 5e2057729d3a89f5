/**
 * Decides which records a reconciliation remembers in digests, so that the cost of a day follows the day's changes. Pure.
 *
 * A digest belongs to one page of numbers. It holds the status of each record that is final and has agreed with its
 * lists and with the records that belong to it. The next daily comparison takes such a record from the digest.
 *
 * - A record is taken from the digest only while the list of all records shows the same status.
 * - A final record changes only together with a payment or a refund, which is new or has reached another status, or with an invoice
 *   that is new and replaces it. The comparison of that record removes the records that it changes from their digests
 *   (`relatedRecords`).
 * - A processed refund can fail weeks later. The list then shows another status, so it is compared again.
 * - Only a comparison of all records of a page finds what else can change: records and filtered lists that somebody edits in
 *   the table. Each page has its days for that (`full-schedule.ts`). If the list of all records contradicts a digest, the
 *   owner's next comparison is full.
 */
import type { Resource } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { paymentsOf } from '../../domain/invoices/received-money.ts';
import { pageSize } from '../../store/keys.ts';
import { precedenceOf } from '../../store/lists/pages/index-pages.ts';
import type { Difference } from './difference.ts';
import type { Facts, PageLocation, RecordOf } from './facts.ts';

export interface Digest {
  /** One higher with each write. 0 if the digest is not stored yet. */
  readonly version: number;
  /**
   * For each number of the page, the precedence of the status with which its record agreed. 0 if it has agreed that no
   * record exists, and `notAgreed` if the number must be compared.
   */
  readonly agreed: Uint8Array;
  /** The numbers up to this one were allocated at `allocatedAt`. The digest last changed in the hour from then on. */
  readonly allocated: number;
  readonly allocatedAt: Instant;
}

/** A page of numbers before it is compared. */
export interface PlannedPage extends PageLocation {
  /** The precedence of each number in the list of all records. */
  readonly listed: Uint8Array;
  readonly digest: Digest;
}

/** The precedence of no status. */
export const notAgreed = 255;

/** The digest of a page of which nothing is remembered. */
export const emptyDigest: Digest = {
  version: 0,
  agreed: new Uint8Array(pageSize).fill(notAgreed),
  allocated: 0,
  allocatedAt: 0,
};

/** A record whose number was allocated longer ago than this, in milliseconds, exists by now or never will. */
const allocationMs = 60 * 60 * 1000;

/** Whether the digest holds this number, and the list of all records still shows what the digest holds. */
export function isRemembered({ digest, listed }: PlannedPage, seq: number): boolean {
  const low = seq % pageSize;
  return digest.agreed[low] === listed[low];
}

/**
 * Whether the list of all records shows another status than the digest holds. That is rare: only a processed refund can
 * still change, if it fails later. Customers, products and drafts are left out, because they can be deleted at any time.
 */
export function contradictsDigest({ resource, digest, listed }: PlannedPage): boolean {
  if (resource === 'customer' || resource === 'product' || resource === 'draft') return false;
  return digest.agreed.some((precedence, low) => precedence !== notAgreed && precedence !== listed[low]);
}

/**
 * Returns the numbers of a page that a daily comparison reads: all that may have a record, except remembered ones.
 * @param allocated the last number that was allocated
 */
export function numbersToCompare(page: PlannedPage, allocated: number): number[] {
  return numbersOf(page).filter((seq) => (seq > allocated ? isListed(page, seq) : !isRemembered(page, seq)));
}

/** Counts the records of a page that a daily comparison takes from the digest. */
export function countRemembered(page: PlannedPage, allocated: number): number {
  return numbersOf(page).filter((seq) => seq <= allocated && isListed(page, seq) && isRemembered(page, seq))
    .length;
}

/**
 * Returns the records that may have changed together with the compared payments and refunds, and with the compared invoices that
 * replace others. Remembered records are final and have not changed, so they are left out.
 */
export function relatedRecords(page: PlannedPage, facts: Facts): { resource: Resource; seq: number }[] {
  const changed = [...facts.records.values()].filter(({ seq }) => !isRemembered(page, seq));
  return changed.flatMap((record) => {
    const { paymentId, invoiceId, replaces, creditFrom, ...named } = record as Partial<
      RecordOf['refund'] & RecordOf['invoice'] & RecordOf['payment']
    >;
    // The payments of an invoice that replaces a paid one have moved to it.
    const moved = replaces === undefined ? [] : paymentsOf(named);
    const payments = [paymentId ?? [], creditFrom ?? [], moved]
      .flat()
      .flatMap((id) => facts.payments.get(id) ?? []);
    const invoices = [invoiceId ?? [], replaces ?? []].flat().flatMap((id) => facts.invoices.get(id) ?? []);
    return [
      ...payments.map(({ seq }) => ({ resource: 'payment', seq }) as const),
      ...invoices.map(({ seq }) => ({ resource: 'invoice', seq }) as const),
    ];
  });
}

/**
 * Returns the records that no digest may hold because of these differences on one page. A list of other records can
 * show a record that does not belong there. So such a difference is found again only if all records of the page are read.
 */
export function disputedRecords(
  location: PageLocation,
  differences: readonly Difference[],
): { resource: Resource; seq: number }[] {
  const { resource } = location;
  const seqs = differences.some(({ rule }) => rule === 'index_ahead' || rule === 'record_missing')
    ? numbersOf(location)
    : differences.map(({ seq }) => seq);
  return seqs.map((seq) => ({ resource, seq }));
}

/**
 * Returns the digest of a page after a comparison, or undefined if it does not change.
 * @param disputed the numbers with differences, and those that this version cannot judge
 */
export function nextDigest(
  { digest }: PlannedPage,
  facts: Facts,
  disputed: ReadonlySet<number>,
  now: Instant,
): Digest | undefined {
  const isRecent = digest.allocatedAt > now - allocationMs;
  const agreed = digest.agreed.map((precedence, low) =>
    disputed.has(facts.page * pageSize + low) ? notAgreed : precedence,
  );
  let isWaiting = false;
  for (const [seq, id] of facts.ids) {
    const record = facts.records.get(id);
    const precedence = record ? settledPrecedence(facts.resource, record) : 0;
    const mayAppear = !record && !facts.malformed.has(id) && (isRecent || seq > digest.allocated);
    const isAgreed = !disputed.has(seq) && seq <= facts.allocated && !mayAppear;
    agreed[seq % pageSize] = isAgreed ? precedence : notAgreed;
    isWaiting ||= mayAppear && seq <= facts.allocated;
  }
  const isChanged = agreed.some((precedence, low) => precedence !== digest.agreed[low]);
  if (!isChanged && (!isWaiting || isRecent)) return undefined;
  const { allocated, allocatedAt } = isRecent ? digest : { allocated: facts.allocated, allocatedAt: now };
  return { version: digest.version + 1, agreed, allocated, allocatedAt };
}

/** The precedence of the record's status, or `notAgreed` if the record still changes without a new payment or refund. */
function settledPrecedence(resource: Resource, record: RecordOf[Resource]): number {
  const isSettled: (record: never) => boolean = settled[resource];
  return isSettled(record as never) ? precedenceOf(resource, record.status) : notAgreed;
}

const settled: { readonly [R in Resource]: (record: RecordOf[R]) => boolean } = {
  invoice: ({ status, paymentInProgress }) =>
    (status === 'paid' || status === 'cancelled') && paymentInProgress === undefined,
  payment: ({ status, amountReserved, pendingCompensation }) =>
    (status === 'completed' || status === 'failed') && amountReserved === 0 && !pendingCompensation,
  refund: ({ status }) => status === 'processed' || status === 'failed',
  // Only the list of all customers depends on a customer, and it shows a deletion. A product is the same.
  customer: () => true,
  product: () => true,
  // So it is with a draft.
  draft: () => true,
  statement: ({ status }) => status === 'ready',
  // Each invoice changes it, and no list but that of all shows it.
  schedule: ({ status }) => status === 'ended',
  export: ({ status }) => status !== 'running',
};

const isListed = ({ listed }: PlannedPage, seq: number) => (listed[seq % pageSize] ?? 0) > 0;

/** The sequence numbers of a page. The first page begins with 1, because no record has the number 0. */
export function numbersOf({ page }: PageLocation): number[] {
  return Array.from({ length: pageSize }, (_, low) => page * pageSize + low).filter((seq) => seq > 0);
}
