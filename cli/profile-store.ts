/**
 * Stores profiles: the URL of a service and an API key, under a name. Each profile is a private file of its own, so commands
 * that run at the same time never lose one.
 */
import { CommandError, usageError } from './command.ts';
import { deletePrivateFile, listPrivateFiles, readPrivateFile, writePrivateFile } from './private-files.ts';

export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

const folder = 'profiles';
const currentFile = 'current-profile';
const fileOf = (name: string) => `${folder}/${name}.json`;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns the name of a profile. @throws CommandError (usage) if it is not valid */
export function parseProfileName(name: string): string {
  if (namePattern.test(name)) return name;
  throw usageError('The name of a profile must have 1 to 64 letters, digits, hyphens and underscores.');
}

/**
 * Reads a profile.
 * @throws CommandError if it does not exist, is damaged, or if others can read it. The message never contains the key
 */
export async function readProfile(name: string): Promise<Profile> {
  const text = await readPrivateFile(fileOf(parseProfileName(name)));
  if (text === undefined)
    throw new CommandError(
      `There is no profile ${name}. To see all, run npx remit profiles list. To create it, run npx remit login --profile ${name}.`,
    );
  const { baseUrl, apiKey } = parseProfile(text);
  if (typeof baseUrl === 'string' && typeof apiKey === 'string') return { name, baseUrl, apiKey };
  throw new CommandError(`The profile ${name} is damaged. Run npx remit login --profile ${name} again.`);
}

/** Stores a profile. Replaces one of the same name. */
export async function saveProfile({ name, baseUrl, apiKey }: Profile): Promise<void> {
  await writePrivateFile(fileOf(name), `${JSON.stringify({ baseUrl, apiKey }, null, 2)}\n`);
}

/** Deletes a profile. If it is the current one, no profile is current afterwards. */
export async function deleteProfile(name: string): Promise<void> {
  if ((await readCurrentProfileName()) === name) await deletePrivateFile(currentFile);
  await deletePrivateFile(fileOf(name));
}

/** Returns the names of all profiles, in alphabetical order. */
export async function listProfileNames(): Promise<readonly string[]> {
  const names = (await listPrivateFiles(folder)).map((file) => /^(.+)\.json$/.exec(file)?.[1] ?? '');
  return names.filter((name) => namePattern.test(name));
}

/** Returns the name of the profile that commands use by default. Undefined if there is none. */
export async function readCurrentProfileName(): Promise<string | undefined> {
  return (await readPrivateFile(currentFile))?.trim() || undefined;
}

/** Makes commands use a profile by default. */
export async function selectCurrentProfile(name: string): Promise<void> {
  await writePrivateFile(currentFile, `${name}\n`);
}

function parseProfile(text: string): { baseUrl?: unknown; apiKey?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
