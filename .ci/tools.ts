/**
 * The tools of the checks: a package of their own with a lock file, so that running and testing the service installs none of
 * them.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

interface LockFile {
  /** The packages by their paths. The path of the tools' own package is empty. */
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly devDependencies?: Readonly<Record<string, string>> }>
  >;
}

const folder = import.meta.dirname;
const programs = join(folder, 'node_modules', '.bin');

/**
 * Installs the tools, unless those of the lock file are installed.
 * @throws Error if npm cannot install them
 */
export async function installTools(): Promise<void> {
  const [{ packages: wanted }, { packages: installed }] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(readLockFile),
  );
  // Packages for other platforms are in the lock file only.
  const isSame = Object.entries(installed).every(([path, { version }]) => wanted[path]?.version === version);
  const names = Object.keys(wanted['']?.devDependencies ?? {});
  if (isSame && names.every((name) => installed[`node_modules/${name}`])) return;
  const failure = await execute(`npm ci --prefix ${folder} --no-audit --no-fund`);
  if (failure !== undefined) throw new Error(`The tools of the checks could not be installed.\n${failure}`);
}

async function readLockFile(file: string): Promise<LockFile> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '{"packages":{}}');
  return JSON.parse(text);
}

/** Runs a program of the tools or of `node_modules/.bin`, which npm adds to the path. Returns what it printed if it failed. */
export function execute(command: string): Promise<string | undefined> {
  const [program = '', ...args] = command.split(' ');
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
  return new Promise((resolve) =>
    execFile(program, args, { env, maxBuffer: 64 * 2 ** 20 }, (error, output, errors) =>
      resolve(error ? `${output}${errors}` || error.message : undefined),
    ),
  );
}
