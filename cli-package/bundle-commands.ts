/** Bundles a command line with all its dependencies. The package of the command line and the one of the construct have one each. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const directory = import.meta.dirname;

/** Outside the repository, the local stack is the one of the current folder. */
const localStack: Plugin = {
  name: 'localStack',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/local-stack\.ts$/ }, () => ({ path: join(directory, 'local-stack.ts') }));
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

export interface CommandLine {
  readonly entryPoint: string;
  readonly outdir: string;
  /** The extension of the written files. */
  readonly extension: '.js' | '.mjs';
  /** The oldest version of Node that it runs on. */
  readonly target: 'node20' | 'node22';
  readonly define?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
}

/** Writes the bundle: one file for what all commands need, and files that only some commands load. */
export async function bundleCommands(commandLine: CommandLine): Promise<void> {
  const { entryPoint, outdir, extension, target, define = {}, plugins = [] } = commandLine;
  await build({
    entryPoints: [entryPoint],
    outdir,
    outExtension: { '.js': extension },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target,
    // Modules in CommonJS format load modules of Node with require.
    banner: {
      js: '#!/usr/bin/env node\nimport{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);',
    },
    define: { ...define },
    plugins: [localStack, proxyAgentOnly, ...plugins],
  });
}
