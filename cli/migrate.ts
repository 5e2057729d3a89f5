/** Defines `remit migrate`: shows in which schema the items of the table are stored, and rewrites outdated items. */
import { migrations } from '../shared/migrations/migration.ts';
import { currentSchemaNumber } from '../shared/store/item-kinds.ts';
import { auditOperation } from './audit-operation.ts';
import type { CliCommand, CommandGroup } from './command.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';
import { showProgress } from './terminal.ts';

const status: CliCommand = {
  about: 'Count the items of the table by kind and schema.',
  details: `Reads the whole table. The exit code is 1 if a migration is needed, or if the table has items that this release does not
know: a newer release has written them.`,
  examples: ['npx remit migrate status --stage prod', 'npx remit migrate status --stage prod --json'],
  run: async () => {
    const { countSchemas } = await loadRuns();
    const counted = await countSchemas(migrations, (read) => showProgress(`${read} items read`));
    const counts = counted.map((count) => {
      const { kind, schema, outdated } = count;
      const isNewer = kind === undefined || schema > currentSchemaNumber(kind);
      return { ...count, state: isNewer ? 'newer' : outdated > 0 ? 'outdated' : 'current' };
    });
    const rows = counts.map(({ kind, schema, items, state }) => [
      kind ?? '(unknown)',
      String(schema),
      String(items),
      state,
    ]);
    const has = (state: string) => counts.some((count) => count.state === state);
    const lines = [
      ...(has('newer') ? ['A newer release has written items that this release does not know.'] : []),
      has('outdated') ? 'Some items are outdated. Run npx remit migrate run.' : 'No item needs a migration.',
    ];
    return {
      json: counts.map((count) => ({ ...count, kind: count.kind ?? null })),
      table: { headers: ['KIND', 'SCHEMA', 'ITEMS', 'STATE'], rows },
      text: lines.join('\n'),
      failed: has('newer') || has('outdated'),
    };
  },
};

const run: CliCommand = {
  about: 'Rewrite all items that an earlier release stored in an outdated schema.',
  details: `Run it after a deployment, when all functions have the new release. The service continues to work meanwhile. You can
interrupt the command and run it again: it continues where it stopped.`,
  options: { 'dry-run': { about: 'Only count the items that would be rewritten. Change nothing.' } },
  examples: ['npx remit migrate run --stage prod --dry-run', 'npx remit migrate run --stage prod'],
  run: async (options) => {
    const { migrateTable } = await loadRuns();
    const dryRun = options.flag('dry-run');
    const verb = dryRun ? 'to rewrite' : 'rewritten';
    const migrate = () =>
      migrateTable(migrations, {
        dryRun,
        onProgress: ({ read, migrated }) => showProgress(`${read} items read, ${migrated} ${verb}`),
      });
    const result = await (dryRun ? migrate() : auditOperation({ action: 'table.migrate' }, migrate));
    return {
      json: { ...result, dryRun },
      text: `Items read: ${result.read}. Items ${verb}: ${result.migrated}.`,
    };
  },
};

export const migrateCommands: CommandGroup = {
  about: 'Rewrite what earlier releases have stored in an outdated schema.',
  details: tableHelp,
  commands: withDeploymentOptions({ status, run }),
};

/** Loads the module that accesses the table. It reads the environment when it loads. */
async function loadRuns() {
  await connectTable();
  return import('../shared/migrations/migrate.ts');
}
