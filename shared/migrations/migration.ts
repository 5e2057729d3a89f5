/**
 * Defines migrations: how items that an earlier release stored get the schema of this release.
 *
 * A migration belongs to the release after the one that learned to read the new schema, so that both releases of a
 * rollout can read what it writes.
 */
import { type ItemKind, itemKindOf, schemaNumberOf } from '../store/item-kinds.ts';
import type { Key } from '../store/keys.ts';
import type { Item } from '../store/records.ts';

/** Rewrites items of one kind from the schema before `to`. */
export interface Migration {
  readonly kind: ItemKind;
  /** The number of the schema that it leads to. */
  readonly to: number;
  /** Returns the attributes that change, with their new values. Undefined removes an attribute. Pure. */
  readonly change: (item: Item) => Readonly<Record<string, unknown>>;
}

/** All migrations. Those of one kind are in the order of their schema numbers. */
export const migrations: readonly Migration[] = [];

/**
 * Returns the attributes that change until the item has the newest schema that `all` leads to, among them `schema`.
 * Returns undefined if the item needs no migration.
 */
export function planMigration(
  item: Item,
  all: readonly Migration[],
): Readonly<Record<string, unknown>> | undefined {
  const kind = itemKindOf(item as unknown as Key);
  let changes: Record<string, unknown> | undefined;
  for (const { kind: ofKind, to, change } of all) {
    const current = { ...item, ...changes };
    if (ofKind !== kind || schemaNumberOf(current) !== to - 1) continue;
    changes = { ...changes, ...change(current), schema: to };
  }
  return changes;
}
