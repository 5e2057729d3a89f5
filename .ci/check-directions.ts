/**
 * Fails if a file imports what it may not: by the rules in `.dependency-cruiser.mjs`, or because folders import each other in a
 * circle, also by types only.
 */
import { dirname } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const roots = [
  'functions',
  'shared',
  'infra',
  'cli',
  'cli-package',
  'infra-package',
  'client/src',
  'client-python',
  'client-go',
  'test',
  'bench',
];

const options = await extractDepcruiseOptions('./.dependency-cruiser.mjs');
const { modules, summary } = (await cruise(roots, { ...options, validate: true })).output as ICruiseResult;
/** An import in the wrong direction usually closes many circles. One of them is enough to find it. */
const problems = [forbiddenImports(), circles(fileCycles()), circles(folderCycles())].find(
  (found) => found.length > 0,
);
if (problems) {
  process.stderr.write(`${problems.join('\n\n')}\n`);
  process.exitCode = 1;
}

/** Says what was imported, why that is not allowed, and what to do instead. */
function forbiddenImports(): string[] {
  return summary.violations
    .filter(({ cycle }) => !cycle)
    .map(({ rule, from, to }) => `${from}\n  imports ${to}\n  ${commentOf(rule.name)}`);
}

function fileCycles(): string[] {
  return summary.violations
    .filter(({ cycle }) => cycle)
    .toSorted((a, b) => (a.cycle?.length ?? 0) - (b.cycle?.length ?? 0))
    .map(({ rule, from, cycle }) =>
      [from, ...(cycle?.map(({ name }) => `  imports ${name}`) ?? []), `  ${commentOf(rule.name)}`].join(
        '\n',
      ),
    );
}

function commentOf(name: string): string {
  const rule = summary.ruleSetUsed?.forbidden?.find((each) => each.name === name);
  return `${rule?.comment} (${name})`;
}

/** Returns the first circle, and the number of the others. */
function circles([first, ...others]: readonly string[]): string[] {
  if (first === undefined) return [];
  return others.length === 0 ? [first] : [first, `There are ${others.length} more circles.`];
}

function folderCycles(): string[] {
  const imports = importsBetweenFolders();
  const cycles = findCycles(imports).toSorted((a, b) => a.length - b.length);
  return cycles.map((cycle) => {
    const edges = cycle.map((folder, index) =>
      imports.get(folder)?.get(cycle[(index + 1) % cycle.length] ?? ''),
    );
    return [
      `Folders import each other in a circle: ${[...cycle, cycle[0]].join(' → ')}`,
      ...edges.map((edge) => `  ${edge}`),
      '  A folder that depends on itself cannot be understood alone. Move what both need to the folder that comes first.',
    ].join('\n');
  });
}

/** For each folder, the folders that it imports, with one import as an example. */
function importsBetweenFolders(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [dirname(source), dirname(resolved)];
      if (from === to || !roots.some((root) => resolved.startsWith(`${root}/`))) continue;
      const targets = found.get(from) ?? new Map<string, string>();
      if (!targets.has(to)) targets.set(to, `${source} imports ${resolved}`);
      found.set(from, targets);
    }
  }
  return found;
}

/** One shortest cycle for each folder that is in one; cycles of the same folders are listed once. */
function findCycles(graph: ReadonlyMap<string, ReadonlyMap<string, string>>): string[][] {
  const found = new Map<string, string[]>();
  for (const start of graph.keys()) {
    const cycle = shortestCycle(graph, start);
    if (cycle) found.set([...cycle].sort().join(' '), cycle);
  }
  return [...found.values()];
}

function shortestCycle(
  graph: ReadonlyMap<string, ReadonlyMap<string, string>>,
  start: string,
): string[] | undefined {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1) ?? '')?.keys() ?? []) {
      if (next === start) return path;
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
