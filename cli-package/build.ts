/**
 * Builds the package into `dist` with all dependencies, for Node 20 and later: one file for all commands, and files for the
 * protocol of `remit mcp`, which only that command loads.
 * - Its texts name the program `remit`, because npx is for the repository.
 * - The support of proxies is a file of its own, which only Node 20 to 24.13 load, and only if a proxy is set.
 * - It has the commands of the API. The names of all others are in it, so that it can say where they run.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { apiCommands } from '../cli/api-commands.ts';
import { commands } from '../cli/commands.ts';

const directory = import.meta.dirname;
const outdir = join(directory, 'dist');
const operatorCommands = Object.keys(commands.commands).filter(
  (name) => name !== 'completion' && !Object.hasOwn(apiCommands, name),
);

const installed: Plugin = {
  name: 'installed',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^\.\/local-stack\.ts$/ }, () => ({ path: join(directory, 'local-stack.ts') }));
    onLoad({ filter: /\/cli\/[\w-]+\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('npx remit', 'remit'), loader: 'ts' };
    });
  },
};

/**
 * Takes only the proxy agent of undici, which is half of the package. As in its main module, the proxy agent needs `connect` of
 * the dispatchers. The dispatcher has the name that all versions of undici share, also the one in Node.
 */
const proxyAgentOnly: Plugin = {
  name: 'proxyAgentOnly',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'proxy-agent', namespace: 'undici' }));
    onLoad({ filter: /.*/, namespace: 'undici' }, () => ({
      resolveDir: directory,
      contents: `
        import connect from 'undici/lib/api/api-connect.js';
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
        import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
        import { setGlobalDispatcher } from 'undici/lib/global.js';
        Dispatcher.prototype.connect = connect;
        export { EnvHttpProxyAgent, setGlobalDispatcher };`,
    }));
  },
};

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(directory, 'remit.ts')],
  outdir,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Modules in CommonJS format load modules of Node with require.
  banner: {
    js: '#!/usr/bin/env node\nimport{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);',
  },
  define: { operatorCommands: JSON.stringify(operatorCommands) },
  plugins: [installed, proxyAgentOnly],
});
