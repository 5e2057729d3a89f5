/**
 * Begins a series of numbers where another system has stopped. That is possible only before its first number, because numbers must
 * neither repeat nor leave a gap. For the same reason, no series takes the prefix of numbers that another kind of document has.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { SettingChange } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import type { AccountTime } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { count, defineItem } from '../../store/stored-fields.ts';
import type { TransactionItem } from '../../store/transactions.ts';
import { prefixAt } from './fiscal-year.ts';
import { type Seller, type SellerChange, type SeriesKind, seriesKinds } from './seller.ts';
import { sellerRefusal } from './seller-rules.ts';

/** Whose numbers begin, and when. The time decides the year of the numbers. */
export interface SeriesStart {
  readonly owner: Owner;
  readonly at: AccountTime;
}

/** The kinds of documents, as the counters of their numbers name them. */
const kinds = { invoice: 'invoice', creditNote: 'credit_note', receipt: 'receipt' } as const;

const toCounter = defineItem<{ readonly last: number }>(({ pk, sk }) => `the series ${pk} ${sk}`, {
  last: count,
});

/** What begins the series that a change names. */
interface SeriesStarts {
  readonly actions: readonly TransactionItem[];
  readonly changes: readonly SettingChange[];
}

/**
 * Returns the actions that begin the series with a `next`, for the transaction of the change. A series that begins there already
 * needs none.
 * @param seller the profile after the change
 * @throws ApiError `invalid_seller` if the series has begun at another number
 */
export async function seriesStartsOf(
  { series = {} }: SellerChange,
  seller: Seller,
  start: SeriesStart,
): Promise<SeriesStarts> {
  const actions: TransactionItem[] = [];
  const changes: SettingChange[] = [];
  for (const kind of seriesKinds) {
    const next = series[kind]?.next;
    if (next === undefined) continue;
    const prefix = prefixAt(seller.series[kind].prefix, seller, start.at);
    const key = tableKeys.series(start.owner, kinds[kind], prefix);
    const last = await readLast(key);
    const field = `seller.series.${kind}.next`;
    if (last > 0 && last !== next - 1) {
      const message = `The numbers that begin with ${prefix} have reached ${last} in ${start.owner.mode} mode, so the next number cannot be ${next}. Leave next out, or choose another prefix.`;
      throw sellerRefusal([{ field, message }]);
    }
    if (last === next - 1) continue;
    const Item = { ...key, first: next, last: next - 1 };
    actions.push({
      Put: { TableName: env.tableName(), Item, ConditionExpression: 'attribute_not_exists(pk)' },
    });
    changes.push({ field: `${field}.${start.owner.mode}`, before: null, after: String(next) });
  }
  return { actions, changes };
}

/**
 * Refuses a prefix whose numbers another kind of document has, in either mode and in the fiscal year of the change.
 * @param current the profile before the change. Its prefixes are not looked at again
 * @throws ApiError `invalid_seller`
 */
export async function requireOwnNumbers(
  current: Seller | undefined,
  seller: Seller,
  { owner: { account }, at }: SeriesStart,
): Promise<void> {
  const changed = seriesKinds.filter((kind) => seller.series[kind].prefix !== current?.series[kind].prefix);
  const pairs = changed.flatMap((kind) =>
    seriesKinds
      .filter((other) => other !== kind)
      .flatMap((other) => modes.map((mode) => ({ kind, other, mode }))),
  );
  await Promise.all(pairs.map((pair) => requireFree({ account, mode: pair.mode }, pair, seller, at)));
}

async function requireFree(
  owner: Owner,
  { kind, other }: { readonly kind: SeriesKind; readonly other: SeriesKind },
  seller: Seller,
  at: AccountTime,
): Promise<void> {
  const prefix = prefixAt(seller.series[kind].prefix, seller, at);
  const last = await readLast(tableKeys.series(owner, kinds[other], prefix));
  if (last === 0) return;
  const message = `The numbers that begin with ${prefix} are those of the series ${other}, which have reached ${last} in ${owner.mode} mode. They would repeat. Choose another prefix.`;
  throw sellerRefusal([{ field: `seller.series.${kind}.prefix`, message }]);
}

/** Returns the last number of a series. 0: it has none. */
async function readLast(Key: ReturnType<typeof tableKeys.series>): Promise<number> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key, ConsistentRead: true }),
  );
  return item ? toCounter(item).last : 0;
}
