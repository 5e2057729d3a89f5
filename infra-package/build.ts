/**
 * Builds the package into `dist`: one file with the construct, its type declarations, the code of all functions, and the command line.
 *
 * - It is CommonJS, as the CDK is. ES modules import it too.
 * - The package of the CDK and `constructs` stay outside, because an app must have each of them once.
 * - The code of the functions is bundled here, for each way to call AWS. So the app of a team needs neither the sources nor esbuild.
 * - The functions share most of their code. So it is one archive, which brotli compresses far better than npm could.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { bundleCommands } from '../cli-package/bundle-commands.ts';
import { bundleHandlers } from '../infra/bundles.ts';
import { awsCalls } from '../infra/setting-values.ts';
import { readSourceCommit } from '../infra/source-commit.ts';
import type { ArchiveIndex } from './bundles.ts';
import { declareTypes } from './declare-types.ts';

const directory = import.meta.dirname;
const root = resolve(directory, '..');
const outdir = join(directory, 'dist');
const target = 'node22';

/** In the package, the functions are bundled already. */
const bundledFunctions: Plugin = {
  name: 'bundledFunctions',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/bundles\.ts$/ }, () => ({ path: join(directory, 'bundles.ts') }));
  },
};

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir);
await build({
  entryPoints: [join(root, 'infra', 'remit.ts')],
  outdir,
  bundle: true,
  platform: 'node',
  target,
  format: 'cjs',
  external: ['aws-cdk-lib', 'constructs'],
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename);' },
  define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
  plugins: [bundledFunctions],
});
writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(outdir, 'archive-commit.txt'), `${readSourceCommit()}\n`);
for (const [name, text] of declareTypes(root)) writeFileSync(join(outdir, name), text);
writeFunctions();
// The extension says that these files are ES modules.
await bundleCommands({
  ...{ entryPoint: join(directory, 'remit.ts'), outdir: join(outdir, 'cli'), extension: '.mjs', target },
});

/** Writes the files of all functions, each content once, and where each of them is. */
function writeFunctions(): void {
  const handlers = globSync('functions/**/*.ts', { cwd: root }).sort();
  const folder = mkdtempSync(join(tmpdir(), 'remit-package-'));
  const contents: Buffer[] = [];
  const places = new Map<string, { start: number; end: number }>();
  let length = 0;
  const placeOf = (content: Buffer) => {
    const digest = createHash('sha256').update(content).digest('hex');
    const place = places.get(digest) ?? { start: length, end: length + content.length };
    if (!places.has(digest)) {
      contents.push(content);
      places.set(digest, place);
      length = place.end;
    }
    return place;
  };
  try {
    const index = awsCalls.map((calls) => {
      const bundles = [...bundleHandlers(handlers, join(folder, calls), calls)];
      const files = bundles.map(([handler, bundle]) => [
        handler,
        Object.fromEntries(
          readdirSync(bundle, { withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ name }) => [name, placeOf(readFileSync(join(bundle, name)))]),
        ),
      ]);
      return [calls, Object.fromEntries(files)];
    });
    const written: ArchiveIndex = Object.fromEntries(index);
    writeFileSync(join(outdir, 'functions.json'), JSON.stringify(written));
    const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window } = constants;
    const params = { [quality]: 9, [window]: constants.BROTLI_MAX_WINDOW_BITS };
    writeFileSync(join(outdir, 'functions.br'), brotliCompressSync(Buffer.concat(contents), { params }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
