/**
 * Finds the credit of customers: one item for each payment that has some, which names the payment.
 *
 * - The transaction that gives a payment its first credit puts the item, and the one that uses the last of it deletes the item. Both
 *   change the payment, so they never run at once. Other payments cost nothing more.
 * - A refund leaves the item. So a payment that is named can have no credit left, and readers skip it.
 * - The key has the hash of the customer. If an erasure gives the payment to a pseudonym, the item moves with it.
 */
import type { Owner } from '../../base/ids.ts';
import type { Change, Decision } from '../../store/commit/command.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { queryPages } from '../../store/query-pages.ts';
import { type Item, type LoadedRecord, readRecords, requireRecords } from '../../store/records.ts';
import { defineItem, text } from '../../store/stored-fields.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { creditLeftOf, customerKeyOf, isCreditFor } from './credit.ts';
import { amountCreditedOf, type Payment } from './payment.ts';
import { paymentType } from './record.ts';

/** Payments that are read at once. */
const batchSize = 25;
/** The most payments of a customer whose credit is added up. One call reads so many. */
export const maxCreditsShown = 100;

const parseCredit = defineItem<{ readonly id: string }>(({ sk }) => String(sk), { id: text });

/** Whether a payment is named as one with credit. Refunds do not matter. */
const isNamed = ({ status, voidedAt, amountOver = 0, ...payment }: Payment): boolean =>
  status === 'completed' && voidedAt === undefined && amountOver > amountCreditedOf(payment);

/** Returns the item that names a payment. Undefined: it has none. */
function itemOf(payment: Payment | undefined): (Item & Key) | undefined {
  if (!payment || !isNamed(payment)) return undefined;
  const { account, mode, id, currency, createdAt } = payment;
  return { ...tableKeys.credit({ account, mode }, customerKeyOf(payment), currency, createdAt, id), id };
}

/** Returns what a change of payments puts and deletes. @param before the payments before the change. Undefined: they are new */
export function creditItems(
  before: readonly (Payment | undefined)[],
  changes: readonly (Change<Payment> | undefined)[],
): Required<Pick<Decision<[Payment], unknown>, 'puts' | 'deletes'>> {
  const changed = changes.flatMap((change, index) => {
    const [was, is] = [itemOf(before[index]), itemOf(change?.record)];
    return change && was?.sk !== is?.sk ? [{ was, is }] : [];
  });
  return {
    puts: changed.flatMap(({ is }) => is ?? []),
    deletes: changed.flatMap(({ was }) => was ?? []),
  };
}

/**
 * Reads the payments with credit that an invoice can use, oldest first. One query, and a call for each 25 payments that it names.
 * @param wanted reads no more when they come to this amount, in the smallest unit of the currency
 * @param most at most so many payments
 */
export async function findCredits(
  invoice: Pick<Invoice, 'account' | 'mode' | 'filterKeys' | 'currency'>,
  wanted: number,
  most: number,
): Promise<readonly LoadedRecord<Payment>[]> {
  const { account, mode, currency } = invoice;
  const owner = { account, mode };
  const found: LoadedRecord<Payment>[] = [];
  let sum = 0;
  for await (const ids of namedIds(owner, `${customerKeyOf(invoice)}#${currency}#`)) {
    const records = requireRecords(await readRecords(paymentType, owner, ids));
    for (const id of ids) {
      const record = records.get(id);
      const left = record && isCreditFor(record, invoice as Invoice) ? creditLeftOf(record) : 0;
      if (left === 0) continue;
      found.push({ type: paymentType, owner, id, record });
      sum += left;
      if (sum >= wanted || found.length === most) return found;
    }
  }
  return found;
}

/** What is left of the credit of a customer. */
export interface FreeCredits {
  /** The payments that have some left, oldest first, in each currency. */
  readonly payments: readonly Payment[];
  /** Whether more payments are named, which were not read. */
  readonly hasMore: boolean;
}

/**
 * Reads the payments with credit of a customer, in all currencies. Two calls in sequence, one if there is none.
 * @param customerKey from `customerFilterKey`
 * @param most reads at most so many payments
 */
export async function readFreeCredits(
  owner: Owner,
  customerKey: string,
  most = maxCreditsShown,
): Promise<FreeCredits> {
  const named: string[] = [];
  for await (const ids of namedIds(owner, `${customerKey}#`)) {
    named.push(...ids);
    if (named.length > most) break;
  }
  const shown = named.slice(0, most);
  const { records, malformed } = await readRecords(paymentType, owner, shown);
  noteLeftOut(malformed.values());
  const payments = shown.flatMap((id) => records.get(id) ?? []).filter((each) => creditLeftOf(each) > 0);
  return { payments, hasMore: named.length > shown.length };
}

/** Yields the ids of the payments that items with this beginning of their sort keys name, oldest first. */
async function* namedIds(owner: Owner, prefix: string): AsyncGenerator<readonly string[]> {
  const { pk } = tableKeys.credit(owner, '', '', 0, '');
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  });
  for await (const items of pages)
    for (let start = 0; start < items.length; start += batchSize)
      yield items.slice(start, start + batchSize).map((item) => parseCredit(item).id);
}
