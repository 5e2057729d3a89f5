/**
 * Builds the package into `dist` with all dependencies, for Node 20 and later: one file for all commands, and files for the
 * protocol of `remit mcp`, which only that command loads.
 * - Its texts name the program `remit`, because npx is for the repository.
 * - The support of proxies is a file of its own, which only Node 20 to 24.13 load, and only if a proxy is set.
 * - It has the commands of the API. The names of all others are in it, so that it can say where they run.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { apiCommands } from '../cli/api-commands.ts';
import { commands } from '../cli/commands.ts';
import { bundleCommands } from './bundle-commands.ts';

const directory = import.meta.dirname;
const outdir = join(directory, 'dist');
const operatorCommands = Object.keys(commands.commands).filter(
  (name) => name !== 'completion' && !Object.hasOwn(apiCommands, name),
);

const installed: Plugin = {
  name: 'installed',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/cli\/[\w-]+\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('npx remit', 'remit'), loader: 'ts' };
    });
  },
};

await rm(outdir, { recursive: true, force: true });
await bundleCommands({
  ...{ entryPoint: join(directory, 'remit.ts'), outdir, extension: '.js', target: 'node20' },
  define: { operatorCommands: JSON.stringify(operatorCommands) },
  plugins: [installed],
});
