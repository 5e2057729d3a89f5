/**
 * Fails if folders import each other in a circle, also by types only. A file directly in `shared/` counts as a folder of
 * its own: those files are leaves that every folder may import, except `routes.ts`, which imports the resources' schemas.
 */
import { dirname } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';

const roots = ['functions', 'shared', 'infra', 'cli', 'client/src', 'test', 'bench'];

const { output } = await cruise(roots, {
  doNotFollow: { path: 'node_modules' },
  tsPreCompilationDeps: true,
  enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.json'], conditionNames: ['import', 'node'] },
});
const imports = importsBetweenFolders(output as ICruiseResult);
const cycles = findCycles(imports);
for (const cycle of cycles) {
  process.stderr.write(`${cycle.join(' → ')} → ${cycle[0]}\n`);
  for (const [index, folder] of cycle.entries()) {
    const next = cycle[(index + 1) % cycle.length] ?? '';
    process.stderr.write(`  ${imports.get(folder)?.get(next)}\n`);
  }
}
process.exitCode = cycles.length > 0 ? 1 : 0;

/** For each folder, the folders that it imports, with one import as an example. */
function importsBetweenFolders({ modules }: ICruiseResult): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)];
      if (from === to || !roots.some((root) => resolved.startsWith(`${root}/`))) continue;
      const targets = found.get(from) ?? new Map<string, string>();
      if (!targets.has(to)) targets.set(to, `${source} imports ${resolved}`);
      found.set(from, targets);
    }
  }
  return found;
}

function folderOf(file: string): string {
  const folder = dirname(file);
  return folder === 'shared' ? file : folder;
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
