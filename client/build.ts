/** Builds the package into `dist`: one file for ESM and one for CommonJS, each with its type declarations. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const directory = import.meta.dirname;
const entry = join(directory, 'src', 'remit.ts');

await rm(join(directory, 'dist'), { recursive: true, force: true });
for (const [format, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
] as const) {
  const outdir = join(directory, 'dist', format);
  await build({ entryPoints: [entry], outdir, format, bundle: true, target: 'es2022' });
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outdir];
  await promisify(execFile)('tsc', ['-p', directory, ...emit]);
  for (const name of await readdir(outdir)) await renameImportsToJs(join(outdir, name));
  await writeFile(join(outdir, 'package.json'), `${JSON.stringify({ type })}\n`);
}

/** Changes imports such as `./list.ts` to `./list.js`. The compiler keeps `.ts` in declarations, which older compilers reject. */
async function renameImportsToJs(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/(?<= from '\.\/[\w-]+)\.ts(?=';)/g, '.js'));
}
