/**
 * Runs `npm run bench [-- --seed S] [--only bundle,units,…]`: prints the benchmark tables and writes them to
 * `bench/RESULTS.md`. A new table replaces the table with the same title. Diagrams go to `docs/images/performance`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Stack } from '../infra/local/stack.ts';
import { withBenchStack } from './bench-stack.ts';
import { benchBundle } from './bundle.ts';
import { drawDiagram } from './diagram.ts';
import { type GoalResult, isGoalTable, toGoalTable } from './goals.ts';
import { describeMachine, printLine, type Table, toMarkdown } from './results.ts';

/** The benchmarks by name. Modules that read the environment of the stack are imported after the stack has started. */
const topics: Readonly<Record<string, (stack: Stack, seed: number) => Promise<Table>>> = {
  // These three are first, in this order, because the stream and the queues must contain nothing from other benchmarks.
  calls: async (stack) => (await import('./calls-per-change.ts')).benchCallsPerChange(stack),
  delivery: async (stack) => (await import('./delivery.ts')).benchDelivery(stack),
  backlog: async (stack, seed) => (await import('./backlog.ts')).benchBacklog(stack, seed),
  mails: async (stack) => (await import('./mails.ts')).benchMails(stack),
  bundle: async () => benchBundle(),
  pdf: async () => (await import('./pdf.ts')).benchPdf(),
  units: async (stack) => (await import('./units.ts')).benchUnits(stack),
  cost: async (stack, seed) => (await import('./cost-by-age.ts')).benchCostByAge(stack, seed),
  usual: async (stack, seed) => (await import('./usual-build.ts')).benchUsualBuild(stack, seed),
  lists: async (stack, seed) => (await import('./index-units.ts')).benchIndexUnits(stack, seed),
  'month-end': async () => (await import('./month-end.ts')).benchMonthEnd(),
  leases: async () => (await import('./leases.ts')).benchLeases(),
  creates: async (stack, seed) => (await import('./creates.ts')).benchCreates(stack, seed),
  dispatch: async (stack, seed) => (await import('./dispatch.ts')).benchDispatch(stack, seed),
  relay: async () => (await import('./relay.ts')).benchRelay(),
  list: async (stack, seed) => (await import('./list.ts')).benchList(stack, seed),
  exports: async (stack, seed) => (await import('./exports.ts')).benchExports(stack, seed),
  reconciliation: async (stack) => (await import('./reconciliation.ts')).benchReconciliation(stack),
  statements: async (stack) => (await import('./match-statements.ts')).benchStatements(stack),
  folded: async (stack, seed) => (await import('./list-folded.ts')).benchFoldedLists(stack, seed),
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

const date = new Date().toISOString().slice(0, 10);
const head = `${date}, seed ${seed}, ${describeMachine()}.`;
const tables: string[] = [];
const goals: GoalResult[] = [];
const images = join(import.meta.dirname, '..', 'docs', 'images', 'performance');
mkdirSync(images, { recursive: true });
printLine(head);
await withBenchStack(async (stack) => {
  for (const name of names) {
    printLine(`\n${name} …`);
    const table = await topics[name]?.(stack, seed);
    if (!table) continue;
    tables.push(toMarkdown(table, head));
    printLine(tables.at(-1) ?? '');
    goals.push(...(table.goals ?? []));
    for (const diagram of table.diagrams ?? []) {
      writeFileSync(join(images, diagram.file), drawDiagram(diagram));
    }
  }
});
const file = join(import.meta.dirname, 'RESULTS.md');
const previous = sectionsOf(readFileSync(file, 'utf8'));
const goalTable = toGoalTable(previous.find(isGoalTable) ?? '', goals, date);
const sections = new Map(
  [...previous.filter((text) => !isGoalTable(text)), ...tables].map((text) => [text.split('\n', 1)[0], text]),
);
writeFileSync(file, `# Results of \`npm run bench\`\n\n${[goalTable, ...sections.values()].join('\n')}`);
process.exit();

/** Splits the file into its tables. Each starts with its title. */
function sectionsOf(text: string): string[] {
  return text
    .split(/^(?=## )/m)
    .slice(1)
    .map((section) => `${section.trimEnd()}\n`);
}
