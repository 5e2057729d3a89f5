/** Adds to attributes of items in a transaction. Several additions to one item are one action, as DynamoDB requires. */
import { env } from '../base/env.ts';
import type { Key } from './keys.ts';
import type { TransactionItem } from './transactions.ts';

/** An amount that is added to an attribute of an item. An item or attribute that does not exist begins with 0. */
export interface Addition {
  readonly key: Key;
  readonly attribute: string;
  readonly amount: number;
}

/** The parts of an `Update` that add amounts. */
interface AddExpression {
  /** Begins with `ADD`. Empty: nothing is added. */
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

/** Returns the parts of an `Update` that adds amounts to attributes. @param amounts by attribute */
export function addExpression(amounts: ReadonlyMap<string, number>): AddExpression {
  const added = [...amounts].filter(([, amount]) => amount !== 0);
  return {
    expression: added.length > 0 ? `ADD ${added.map((_, index) => `#a${index} :a${index}`).join(', ')}` : '',
    names: Object.fromEntries(added.map(([attribute], index) => [`#a${index}`, attribute])),
    values: Object.fromEntries(added.map(([, amount], index) => [`:a${index}`, amount])),
  };
}

/**
 * Returns one action for each item to which something is added.
 * @param position is stored in the attribute `p` of each item. So a reader sees which changes an item contains
 */
export function updatesOf(additions: readonly Addition[], position: number): readonly TransactionItem[] {
  const items = new Map<string, { readonly key: Key; readonly amounts: Map<string, number> }>();
  for (const { key, attribute, amount } of additions) {
    const name = `${key.pk} ${key.sk}`;
    const item = items.get(name) ?? { key, amounts: new Map() };
    items.set(name, item);
    item.amounts.set(attribute, (item.amounts.get(attribute) ?? 0) + amount);
  }
  return [...items.values()].flatMap(({ key: { pk, sk }, amounts }) => {
    const { expression, names, values } = addExpression(amounts);
    if (expression === '') return [];
    return {
      Update: {
        TableName: env.tableName(),
        Key: { pk, sk },
        UpdateExpression: `SET #p = :p ${expression}`,
        ExpressionAttributeNames: { ...names, '#p': 'p' },
        ExpressionAttributeValues: { ...values, ':p': position },
      },
    };
  });
}
