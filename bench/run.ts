/**
 * Runs `npm run bench [-- --seed S] [--only bundle,units,…]`: prints the benchmark tables and writes them to
 * `bench/RESULTS.md`. A new table replaces the table with the same title.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Stack } from '../infra/local/stack.ts';
import { withBenchStack } from './bench-stack.ts';
import { benchBundle } from './bundle.ts';
import { describeMachine, printLine, type Table, toMarkdown } from './results.ts';

/** The benchmarks by name. Modules that read the environment of the stack are imported after the stack has started. */
const topics: Readonly<Record<string, (stack: Stack, seed: number) => Promise<Table>>> = {
  // This must be first, because the stream and the queues must contain nothing from other benchmarks.
  delivery: async (stack) => (await import('./delivery.ts')).benchDelivery(stack),
  bundle: async () => benchBundle(),
  units: async (stack) => (await import('./units.ts')).benchUnits(stack),
  'month-end': async () => (await import('./month-end.ts')).benchMonthEnd(),
  leases: async () => (await import('./leases.ts')).benchLeases(),
  creates: async (stack, seed) => (await import('./creates.ts')).benchCreates(stack, seed),
  dispatch: async (stack, seed) => (await import('./dispatch.ts')).benchDispatch(stack, seed),
  relay: async () => (await import('./relay.ts')).benchRelay(),
  list: async (stack, seed) => (await import('./list.ts')).benchList(stack, seed),
  reconciliation: async (stack) => (await import('./reconciliation.ts')).benchReconciliation(stack),
  million: async (stack, seed) => (await import('./list-of-a-million.ts')).benchListOfAMillion(stack, seed),
};

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string' } },
});
const seed = Number(values.seed);
const only = values.only?.split(',');
const names = Object.keys(topics).filter((name) => only?.includes(name) ?? true);
const unknown = only?.filter((name) => !topics[name]) ?? [];
if (!Number.isSafeInteger(seed) || unknown.length > 0) {
  throw new Error(`Use npm run bench [-- --seed <integer>] [--only ${Object.keys(topics).join(',')}].`);
}

const head = `${new Date().toISOString().slice(0, 10)}, seed ${seed}, ${describeMachine()}.`;
const tables: string[] = [];
printLine(head);
await withBenchStack(async (stack) => {
  for (const name of names) {
    printLine(`\n${name} …`);
    const table = await topics[name]?.(stack, seed);
    if (!table) continue;
    tables.push(toMarkdown(table, head));
    printLine(tables.at(-1) ?? '');
  }
});
const file = join(import.meta.dirname, 'RESULTS.md');
const sections = new Map(
  [...sectionsOf(readFileSync(file, 'utf8')), ...tables].map((text) => [text.split('\n', 1)[0], text]),
);
writeFileSync(file, `# Results of \`npm run bench\`\n\n${[...sections.values()].join('\n')}`);
process.exit();

/** Splits the file into its tables. Each starts with its title. */
function sectionsOf(text: string): string[] {
  return text
    .split(/^(?=## )/m)
    .slice(1)
    .map((section) => `${section.trimEnd()}\n`);
}
