/**
 * Runs the migrations over the whole table.
 *
 * - A run saves its position after each page, and the next run continues there. So an interrupted run loses nothing.
 * - An item that changes meanwhile is migrated as it is then (`rewriteItem`).
 */
import { type ItemKind, itemKindOf, schemaNumberOf } from '../store/item-kinds.ts';
import type { Key } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { rewriteItem } from '../store/rewrite-item.ts';
import { type Migration, planMigration } from './migration.ts';
import { deleteProgress, type MigrationProgress, readProgress, saveProgress, scanTable } from './store.ts';

/** How many items have a kind and a schema number. The kind is undefined if this release does not know it. */
export interface SchemaCount {
  readonly kind: ItemKind | undefined;
  readonly schema: number;
  readonly items: number;
  /** How many of them a migration would rewrite. */
  readonly outdated: number;
}

/** Counts the items of the table by kind and schema. Reads the whole table. */
export async function countSchemas(
  all: readonly Migration[],
  onProgress: (read: number) => void,
): Promise<SchemaCount[]> {
  const counts = new Map<string, { -readonly [Name in keyof SchemaCount]: SchemaCount[Name] }>();
  let read = 0;
  for await (const { items } of scanTable(undefined)) {
    for (const item of items) {
      const [kind, schema] = [itemKindOf(item as unknown as Key), schemaNumberOf(item)];
      const name = `${kind ?? ''} ${String(schema).padStart(6, '0')}`;
      const count = counts.get(name) ?? { kind, schema, items: 0, outdated: 0 };
      count.items += 1;
      if (planMigration(item, all)) count.outdated += 1;
      counts.set(name, count);
    }
    read += items.length;
    onProgress(read);
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

/**
 * Migrates all items of the table that need it, from where the last run was interrupted.
 * @returns the counts of the whole run, including the part before an interruption
 */
export async function migrateTable(
  all: readonly Migration[],
  { dryRun, onProgress }: { dryRun: boolean; onProgress: (progress: MigrationProgress) => void },
): Promise<MigrationProgress> {
  const saved = dryRun ? undefined : await readProgress();
  let { read, migrated } = saved ?? { read: 0, migrated: 0 };
  for await (const { items, next } of scanTable(saved?.next)) {
    for (const item of items) {
      const plan = (current: Item) => planMigration(current, all);
      const isMigrated = dryRun ? plan(item) !== undefined : await rewriteItem(item, plan);
      if (isMigrated) migrated += 1;
    }
    read += items.length;
    if (!dryRun && next) await saveProgress({ read, migrated, next });
    onProgress({ read, migrated });
  }
  if (!dryRun) {
    await deleteProgress();
  }
  return { read, migrated };
}
