/** Packs the client and installs it in an empty project without a network, as its users do. */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../infra/local/handler.ts';

const run = promisify(execFile);

export interface PackedClient {
  /** The empty project. */
  readonly directory: string;
  /** Writes a file of the project and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Runs a file with Node and returns its output. Rejects if it fails. */
  run(file: string, environment?: Readonly<Record<string, string>>): Promise<string>;
  /** Checks files with the TypeScript compiler. Rejects with the compiler errors, if there are any. */
  check(files: readonly string[], options: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function installPackedClient(): Promise<PackedClient> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'remit-client-')));
  // npm sets these variables for the scripts that it runs, such as these tests. They would lead the inner npm to the wrong project.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const npm = (words: readonly string[], cwd: string) => run('npm', words as string[], { cwd, env });
  const { stdout } = await npm(
    ['pack', '--json', '--pack-destination', directory],
    join(repositoryRoot, 'client'),
  );
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const write = async (name: string, text: string) => {
    await writeFile(join(directory, name), text);
    return join(directory, name);
  };
  await write('package.json', '{}');
  await npm(['install', `./${filename}`, '--offline', '--no-audit', '--no-fund'], directory);
  return {
    directory,
    write,
    run: async (file, environment = {}) => {
      const { stdout } = await run(process.execPath, [file], {
        cwd: directory,
        env: { ...process.env, ...environment },
      });
      return stdout;
    },
    check: async (files, options) => {
      const tsc = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc');
      const all = [tsc, '--noEmit', '--strict', '--target', 'es2022', ...options, ...files];
      await run(process.execPath, all, { cwd: directory }).catch(({ stdout }) => {
        throw new Error(stdout);
      });
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
