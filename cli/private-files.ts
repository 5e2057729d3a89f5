/**
 * Reads and writes files with secrets in the user's configuration folder, `$XDG_CONFIG_HOME/remit` or `~/.config/remit`.
 * - Only the user can read the folder (0700) and its files (0600). A file that others can read is refused.
 * - A file is replaced as a whole, so a reader never sees a part of it.
 */
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from './command.ts';

/** Returns the configuration folder. It may not exist. */
export function configFolder(): string {
  const { XDG_CONFIG_HOME = '' } = process.env;
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'remit');
}

/**
 * Reads a file of the configuration folder.
 * @param name the path in the folder
 * @returns undefined if the file does not exist
 * @throws CommandError if it is not a file of this user, or if others can read or change it
 */
export async function readPrivateFile(name: string): Promise<string | undefined> {
  const path = join(configFolder(), name);
  const file = await open(path).catch(throwUnlessMissing);
  if (!file) return undefined;
  try {
    const { mode, uid } = await file.stat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    if (!isOwn) throw new CommandError(`${path} belongs to another user. Delete it, or set XDG_CONFIG_HOME.`);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new CommandError(
        `Other users can read or change ${path}. Run chmod 600 on it. If they may have read a key in it, revoke the key.`,
      );
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Writes a file of the configuration folder, and creates the folder.
 * @param replaces whether an existing file is replaced
 * @returns false if the file exists and is not replaced
 */
export async function writePrivateFile(name: string, text: string, replaces = true): Promise<boolean> {
  const path = join(configFolder(), name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await chmod(configFolder(), 0o700);
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    if (replaces) await rename(draft, path);
    else await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

/** Deletes a file of the configuration folder, if it exists. */
export const deletePrivateFile = (name: string): Promise<void> =>
  rm(join(configFolder(), name), { force: true });

/** Returns the names of the files in a subfolder of the configuration folder, in alphabetical order. */
export async function listPrivateFiles(folder: string): Promise<readonly string[]> {
  return ((await readdir(join(configFolder(), folder)).catch(throwUnlessMissing)) ?? []).toSorted();
}

function throwUnlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
