/**
 * Starts a temporary PostgreSQL on this machine. It listens on the loopback address: a server reaches it with TCP, as it reaches
 * a database in a deployment, and as Remit's server reaches DynamoDB Local.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../infra/local/free-port.ts';

export interface TemporaryPostgres {
  /** The settings of a connection, for the package `pg`. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Stops the server and deletes its data. */
  close(): Promise<void>;
}

const folders = [
  ...(process.env.PATH ?? '').split(':'),
  ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ...globSync('/opt/homebrew/opt/postgresql*/bin').sort().reverse(),
];
const host = '127.0.0.1';
const user = 'bench';
const readyWithinMs = 60_000;

/** Returns the folder of PostgreSQL's programs, or undefined if they are not installed. */
export function findPostgres(): string | undefined {
  return folders.find((folder) =>
    ['postgres', 'initdb'].every((program) => folder !== '' && existsSync(join(folder, program))),
  );
}

/** Creates an empty cluster and starts it with PostgreSQL's own defaults. @param folder that of its programs */
export async function startPostgres(folder: string): Promise<TemporaryPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'remit-postgres-'));
  const account = unprivilegedAccount();
  if (account) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const options = { ...account, cwd: directory, stdio: 'ignore' } as const;
  execFileSync(
    join(folder, 'initdb'),
    ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    options,
  );
  const port = await freePort();
  const settings = [
    `listen_addresses=${host}`,
    `port=${port}`,
    // Not in the common folder, which other servers of this machine use.
    `unix_socket_directories=${directory}`,
  ].flatMap((setting) => ['-c', setting]);
  const server = spawn(join(folder, 'postgres'), ['-D', data, ...settings], options);
  const ended = once(server, 'exit');
  const close = async () => {
    // A fast shutdown: it closes the connections that are left.
    if (server.exitCode === null && server.kill('SIGINT')) await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  const deadline = Date.now() + readyWithinMs;
  while (!isReady(join(data, 'postmaster.pid'))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`PostgreSQL in ${dirname(data)} did not start.`);
    }
    await sleep(50);
  }
  return { connection: { host, port, user, database: 'postgres' }, close };
}

/** PostgreSQL writes its state into the last line of this file. It refuses connections before it is ready. */
function isReady(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').trimEnd().endsWith('ready');
}

/** PostgreSQL refuses to run as root. Returns the account that runs it instead, or undefined if none is needed. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, name: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // This machine does not have the account.
    }
  }
  throw new Error('PostgreSQL needs an account other than root. Create the account postgres.');
}
