/**
 * Says which sums follow from an entry of the journal. Pure.
 *
 * - Each figure is a sum of accounts, so the figures of all days always follow from the journal.
 * - A day has one item with the figures of all currencies. Attributes are `<currency>:<figure>`, and short, because an overview of a
 *   year reads 365 items.
 * - A change counts on its own day. Only money received counts on the day of its receipt, if the payment says it: a bank statement of
 *   November that is read in December raises the figures of November, and a void lowers them again.
 * - What is outstanding is stored under the day on which it is due. So its age follows from the day of the reader, and no event is
 *   needed to move it.
 */
import type { Instant } from '../../base/time.ts';
import type { Addition } from '../../store/additions.ts';
import type { Key } from '../../store/keys.ts';
import type { MoneyEntry } from '../../store/money-entries.ts';
import { dayIn, dueDayIn } from '../accounts/fiscal-year.ts';

/** The figures of a day, by the names of their attributes. */
export const figures = {
  invoiced: 'i',
  tax: 't',
  cancelled: 'c',
  refunded: 'f',
  writtenOff: 'w',
  withdrawn: 'd',
  fees: 'e',
  invoices: 'ni',
  cancellations: 'nc',
  payments: 'np',
  refunds: 'nf',
} as const;

export type Figure = keyof typeof figures;

/** What is outstanding of the amounts that are due on a day, or in total. */
export const outstanding = 'o';
/** The prefix of the figures of money received. The name of the way follows. */
export const received = 'r:';

/** The attribute of a day with the position of the last change in it. */
export const lastPosition = 'p';

/** The account that says what customers owe. */
const receivable = 'receivable';
/** The prefix of the accounts with money received. */
const receivedBy = 'received:';

/** The events that are counted. A void takes its payment back. */
const counted: Readonly<Record<string, readonly [figure: Figure, amount: 1 | -1]>> = {
  'invoice.created': ['invoices', 1],
  'invoice.cancelled': ['cancellations', 1],
  'payment.completed': ['payments', 1],
  'payment.voided': ['payments', -1],
  'refund.processed': ['refunds', 1],
};

/** A change as the journal and the sums see it. */
export interface MoneyChange {
  /** In the time of the account. */
  readonly at: Instant;
  readonly entries: readonly MoneyEntry[];
  /** The types of its events, without those of payments with credit: they receive no money. */
  readonly types: readonly string[];
}

/**
 * Returns what a change adds to the sums: to the items of days, and to the totals.
 * @param keyOf returns the key of the item of a day
 * @param timeZone an IANA name. It decides on which day a moment is
 */
export function additionsOf(
  { at, entries, types }: MoneyChange,
  timeZone: string,
  keyOf: (day: string) => Key,
  totals: Key,
): readonly Addition[] {
  const [first] = entries;
  if (!first) return [];
  const dayOf = (on: Instant | undefined) =>
    keyOf(on === undefined ? dayIn(timeZone, at) : dueDayIn(timeZone, on));
  const receivedOn = entries.find(({ account }) => account.startsWith(receivedBy))?.on;
  const counts = types.flatMap((type) => {
    const [figure, amount = 0] = counted[type] ?? [];
    if (!figure) return [];
    const key = dayOf(figure === 'payments' ? receivedOn : undefined);
    return { key, attribute: attributeOf(first.currency, figures[figure]), amount };
  });
  const sums = entries.flatMap(({ account, currency, amount, on }) => {
    if (account === receivable) {
      const attribute = attributeOf(currency, outstanding);
      return [dayOf(on), totals].map((key) => ({ key, attribute, amount }));
    }
    return figuresOf(account).map(([figure, sign]) => ({
      key: dayOf(on),
      attribute: attributeOf(currency, figure),
      amount: sign * amount,
    }));
  });
  return [...sums, ...counts];
}

const attributeOf = (currency: string, figure: string): string => `${currency}:${figure}`;

/** Returns the figures to which the amounts of an account belong, with the sign. */
function figuresOf(account: string): readonly (readonly [figure: string, sign: 1 | -1])[] {
  const [kind = '', detail = ''] = account.split(':');
  switch (kind) {
    case 'sales':
    case 'tax_reversed':
      return [[figures.invoiced, -1]];
    case 'tax':
      return [
        [figures.invoiced, -1],
        [figures.tax, -1],
      ];
    case 'cancelled':
      return [[figures.cancelled, 1]];
    case 'written_off':
      return [[figures.writtenOff, 1]];
    case 'received':
      return [[received + detail, 1]];
    case 'refunded':
      return [[figures.refunded, -1]];
    case 'withdrawn':
      return [[figures.withdrawn, -1]];
    case 'fees_kept':
      return [[figures.fees, -1]];
    default:
      return [];
  }
}
