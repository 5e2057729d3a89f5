/** Provides the code of the functions from the package, where its build has put it, in place of `infra/bundles.ts`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AwsCalls } from '../infra/setting-values.ts';

/** Where the files of each function are in the decompressed archive, by the way they call AWS, by handler and by name. */
export type ArchiveIndex = Readonly<
  Record<AwsCalls, Readonly<Record<string, Readonly<Record<string, { start: number; end: number }>>>>>
>;

let archive: Buffer | undefined;

/**
 * Writes the files of each handler into a directory of its own.
 * @returns the directory by handler
 */
export function bundleHandlers(
  handlers: readonly string[],
  outdir: string,
  calls: AwsCalls = 'direct',
): ReadonlyMap<string, string> {
  const index: ArchiveIndex = JSON.parse(readFileSync(join(import.meta.dirname, 'functions.json'), 'utf8'));
  archive ??= brotliDecompressSync(readFileSync(join(import.meta.dirname, 'functions.br')));
  const content = archive;
  return new Map(
    handlers.map((handler) => {
      const directory = join(outdir, handler.replace(/\.ts$/, ''));
      mkdirSync(directory, { recursive: true });
      for (const [name, { start, end }] of Object.entries(index[calls][handler] ?? {}))
        writeFileSync(join(directory, name), content.subarray(start, end));
      return [handler, directory];
    }),
  );
}
