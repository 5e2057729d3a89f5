/**
 * Compares the journal of an account with its records and its sums, as a part of the daily reconciliation. If the account has another
 * time zone than the sums, builds the sums again.
 *
 * - The records are compared when nothing follows from a change any more and no change comes while they are read. So the records and
 *   the journal are of one moment.
 * - The journal is read once, and gives the sums that must be stored. An entry that does not balance, or a sum that differs, is a
 *   difference. Sums that differ are built again.
 * - New sums are a generation of their own beside those in use. One write of the cursor, on the condition that no change came
 *   meanwhile, makes them those in use. So readers and the relay see either all old sums or all new ones.
 * - The old generation is deleted by the next reconciliation, because a reader may still use it.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { addSums, type Sum, sumIn } from '../../base/exact-sum.ts';
import type { Owner } from '../../base/ids.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import {
  positionOf,
  type SumsState,
  sumsKeyOf,
  toJournalEntry,
  toSumsState,
} from '../../domain/journal/journal-item.ts';
import { readJournal } from '../../domain/journal/journal-store.ts';
import { additionsOf, lastPosition } from '../../domain/journal/sums.ts';
import { deleteItems, putItems } from '../../store/batch-write.ts';
import { dynamodb } from '../../store/client.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { imbalancesOf } from '../../store/money-entries.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type Item, readItem } from '../../store/records.ts';
import type { JournalDifference } from './difference.ts';
import { addTo, type Balances, readBalances } from './journal-records.ts';

/** How often a check or a rebuild begins again because of changes meanwhile. The next day tries again. */
const maxTries = 5;
/** More differences than this have one cause. */
const maxDifferences = 20;

/** The sums that follow from a part of the journal: amounts by the name of an item and by attribute. */
class FoldedJournal {
  readonly sums = new Map<string, { readonly key: Key; readonly amounts: Map<string, Sum> }>();
  /** The positions of the entries that do not balance. */
  readonly unbalanced: number[] = [];
  readonly balances: Balances = new Map();
  /** The position up to which the journal is contained. */
  position = 0;
  readonly #owner: Owner;
  readonly #generation: number;
  readonly #timeZone: string;

  constructor(owner: Owner, generation: number, timeZone: string) {
    this.#owner = owner;
    this.#generation = generation;
    this.#timeZone = timeZone;
  }

  /**
   * Adds the entries up to a position.
   * @returns the names of the items that have changed
   * @throws MalformedItemError
   */
  async readTo(position: number): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    for await (const item of readJournal(this.#owner, this.position)) {
      if (positionOf(item) > position) break;
      for (const name of this.#add(item)) changed.add(name);
    }
    this.position = position;
    return changed;
  }

  #add(item: Item): readonly string[] {
    const entry = toJournalEntry(item);
    if (imbalancesOf(entry.entries).length > 0) this.unbalanced.push(positionOf(item));
    addTo(this.balances, entry.entries);
    const keyOf = sumsKeyOf(this.#owner, this.#generation);
    const additions = additionsOf(entry, this.#timeZone, keyOf, tableKeys.eventCursor(this.#owner));
    return additions.map(({ key, attribute, amount }) => {
      const name = `${key.pk} ${key.sk}`;
      const sum = this.sums.get(name) ?? { key, amounts: new Map<string, Sum>() };
      this.sums.set(name, sum);
      sum.amounts.set(attribute, addSums(sum.amounts.get(attribute) ?? 0, amount));
      return name;
    });
  }
}

/**
 * Returns what differs between the journal of an account and mode, its records and its sums. Builds the sums again if the time zone
 * of the account is another one.
 * @param isFull whether to read all records also of a large account
 * @throws MalformedItemError if an item cannot be read; the error of DynamoDB
 */
export async function reconcileJournal(owner: Owner, isFull = false): Promise<JournalDifference[]> {
  const state = await readState(owner);
  if (state?.sumsZone === undefined) return [];
  const { sums: generation = 0 } = state;
  await deleteBefore(owner, generation);
  const timeZone = (await readAccount(owner.account))?.timeZone ?? 'UTC';
  if (timeZone !== state.sumsZone) {
    await rebuild(owner, generation, timeZone);
    return [];
  }
  const differences = await findDifferences(owner, new FoldedJournal(owner, generation, timeZone), isFull);
  if (differences.some(({ rule }) => rule === 'journal_sums_differ'))
    await rebuild(owner, generation, timeZone);
  return differences;
}

async function readState(owner: Owner): Promise<(SumsState & Item & Key) | undefined> {
  const cursor = await readItem(tableKeys.eventCursor(owner));
  return cursor && { ...(cursor as Item & Key), ...toSumsState(cursor) };
}

/** Compares the journal with the stored sums and with the records. A change between two reads makes it begin again. */
async function findDifferences(
  owner: Owner,
  journal: FoldedJournal,
  isFull: boolean,
): Promise<JournalDifference[]> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await readState(owner);
    if (!before) return [];
    await journal.readTo(before.position);
    const days = await readDays(owner, before.sums ?? 0);
    const isQuiet = (await readUnrelayed(owner)).length === 0;
    const balances = isQuiet ? await readBalances(owner, isFull) : undefined;
    const isStillQuiet = isQuiet && (await readUnrelayed(owner)).length === 0;
    const after = await readState(owner);
    if (after?.position !== before.position || after.sums !== before.sums) continue;
    return [
      ...differencesOf(owner, journal, [...days, after]),
      ...(balances && isStillQuiet ? recordDifferences(owner, journal.balances, balances) : []),
    ].slice(0, maxDifferences);
  }
  return [];
}

/** A difference of the journal has no number and no evidence. */
const baseOf = (owner: Owner) => ({ ...owner, resource: 'journal', seq: 0, evidence: '' }) as const;

function recordDifferences(owner: Owner, journal: Balances, records: Balances): JournalDifference[] {
  return [...new Set([...journal.keys(), ...records.keys()])].flatMap((id) => {
    const [expected, found] = [records.get(id) ?? 0, journal.get(id) ?? 0];
    if (expected === found) return [];
    const rule = 'journal_records_differ' as const;
    return { ...baseOf(owner), id, rule, expected: shown(expected), found: shown(found) };
  });
}

function differencesOf(
  owner: Owner,
  { unbalanced, sums }: FoldedJournal,
  stored: readonly (Item & Key)[],
): JournalDifference[] {
  const base = baseOf(owner);
  const ofEntries = unbalanced.map((position) => {
    const rule = 'journal_unbalanced' as const;
    return { ...base, id: `position ${position}`, rule, expected: 0, found: 'another sum' };
  });
  const items = new Map(stored.map((item) => [`${item.pk} ${item.sk}`, item]));
  const ofSums = [...new Set([...sums.keys(), ...items.keys()])].flatMap((name) => {
    const amounts = sums.get(name)?.amounts ?? new Map<string, Sum>();
    const item: Item = items.get(name) ?? {};
    const attributes = new Set([...amounts.keys(), ...Object.keys(item).filter(isFigure)]);
    return [...attributes].flatMap((attribute) => {
      const [expected, found] = [amounts.get(attribute) ?? 0, sumIn(item, attribute)];
      const id = `${name.split(' ')[1]} ${attribute}`;
      return expected === found
        ? []
        : [
            {
              ...base,
              id,
              rule: 'journal_sums_differ' as const,
              expected: shown(expected),
              found: shown(found),
            },
          ];
    });
  });
  return [...ofEntries, ...ofSums];
}

/** Reports are JSON, which has no bigint. */
const shown = (sum: Sum): number | string => (typeof sum === 'bigint' ? String(sum) : sum);

/** The names of figures have a currency and a colon. */
const isFigure = (attribute: string): boolean => attribute.includes(':');

/** Builds the sums from the journal, as the next generation. */
async function rebuild(owner: Owner, generation: number, timeZone: string): Promise<void> {
  const next = generation + 1;
  const journal = new FoldedJournal(owner, next, timeZone);
  const totals = tableKeys.eventCursor(owner);
  await deleteItems(await readDays(owner, next));
  for (let tries = 0; tries < maxTries; tries++) {
    const state = await readState(owner);
    if (!state) return;
    const changed = await journal.readTo(state.position);
    const items = [...changed].flatMap((name) => {
      const sum = journal.sums.get(name);
      if (!sum || sum.key.pk === totals.pk) return [];
      return { ...sum.key, ...Object.fromEntries(sum.amounts), [lastPosition]: state.position };
    });
    await putItems(items);
    const ofCursor = journal.sums.get(`${totals.pk} ${totals.sk}`)?.amounts ?? new Map<string, Sum>();
    if (await switchTo(owner, next, timeZone, state, ofCursor)) return;
  }
}

/** Makes a generation the one in use. @param totals by attribute of the cursor @returns false if a change came meanwhile */
async function switchTo(
  owner: Owner,
  next: number,
  timeZone: string,
  state: SumsState,
  totals: ReadonlyMap<string, Sum>,
): Promise<boolean> {
  const names = [...totals.keys()];
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.eventCursor(owner),
        UpdateExpression: [
          'SET #sums = :next, #zone = :zone',
          ...names.map((_, index) => `#t${index} = :t${index}`),
        ].join(', '),
        ConditionExpression: `#position = :position AND ${state.sums === undefined ? 'attribute_not_exists(#sums)' : '#sums = :sums'}`,
        ExpressionAttributeNames: {
          '#sums': 'sums',
          '#zone': 'sumsZone',
          '#position': 'position',
          ...numbered('#t', names),
        },
        ExpressionAttributeValues: {
          ':next': next,
          ':zone': timeZone,
          ':position': state.position,
          ...numbered(':t', [...totals.values()]),
          ...(state.sums !== undefined && { ':sums': state.sums }),
        },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

const numbered = <Value>(prefix: string, values: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(values.map((value, index) => [`${prefix}${index}`, value]));

/** Reads the items of days of a generation. */
async function readDays(owner: Owner, generation: number): Promise<(Item & Key)[]> {
  const { pk, sk } = tableKeys.daySums(owner, generation, '');
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :generation)',
    ExpressionAttributeValues: { ':pk': pk, ':generation': sk },
  });
  return items as (Item & Key)[];
}

/** Deletes the items of the generations before one. */
async function deleteBefore(owner: Owner, generation: number): Promise<void> {
  if (generation === 0) return;
  const { pk, sk } = tableKeys.daySums(owner, generation, '');
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk < :generation',
    ExpressionAttributeValues: { ':pk': pk, ':generation': sk },
  });
  await deleteItems(items as (Item & Key)[]);
}
