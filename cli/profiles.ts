/** Defines `remit login`, `remit logout` and `remit profiles`: stores the URL of a service and an API key under a name. */
import { text as readStream } from 'node:stream/consumers';
import { AuthenticationError, PermissionError, Remit } from '../client/src/remit.ts';
import { isLoopback } from '../infra/loopback.ts';
import { apiKeyFormat, isApiKey, modeOf, parseBaseUrl } from './api-connection.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type ParsedOptions,
  usageError,
} from './command.ts';
import { configFolder } from './private-files.ts';
import {
  deleteProfile,
  listProfileNames,
  type Profile,
  parseProfileName,
  readCurrentProfileName,
  readProfile,
  saveProfile,
  selectCurrentProfile,
} from './profile-store.ts';
import { ask, isInteractive } from './terminal.ts';

const defaultName = 'default';

export const loginCommand: CliCommand = {
  about: 'Store the URL of a service and an API key as a profile, and make it the current one.',
  details: `The command asks for the URL and the key, and does not show the key. Without a terminal, add --url, and write the key to
standard input. It checks the key with a request before it stores anything.

The profile is a file in $XDG_CONFIG_HOME/remit or ~/.config/remit that only you can read. No keychain is used.`,
  options: {
    profile: { value: 'NAME', about: `Name of the profile. Default: REMIT_PROFILE, or else ${defaultName}.` },
    url: { value: 'URL', about: 'URL of the service, for example https://remit.example.com.' },
  },
  examples: ['npx remit login', 'npx remit login --profile shop --url https://remit.example.com'],
  run: async (options) => {
    const name = parseProfileName(readSelectedName(options) ?? defaultName);
    const baseUrl = requireSafeUrl(parseBaseUrl('The URL', await readUrl(options)));
    const apiKey = await readApiKey(baseUrl);
    await checkKey(baseUrl, apiKey);
    const profile = { name, baseUrl, apiKey };
    await saveProfile(profile);
    await selectCurrentProfile(name);
    return {
      json: { ...toOutput(profile, name), folder: configFolder() },
      text: `The profile ${name} (${modeOf(apiKey)} mode at ${baseUrl}) is stored in ${configFolder()}, and is the current one.`,
    };
  },
};

export const logoutCommand: CliCommand = {
  about: 'Delete a profile with its API key from this machine. The key still works.',
  options: {
    profile: {
      value: 'NAME',
      about: 'Name of the profile. Default: REMIT_PROFILE, or else the current one.',
    },
  },
  examples: ['npx remit logout', 'npx remit logout --profile shop'],
  run: async (options) => {
    const name = parseProfileName(readSelectedName(options) ?? (await requireCurrentName()));
    if (!(await listProfileNames()).includes(name)) throw new CommandError(`There is no profile ${name}.`);
    await deleteProfile(name);
    const [other] = await listProfileNames();
    const isNoneCurrent = other !== undefined && (await readCurrentProfileName()) === undefined;
    return {
      json: { name },
      text: `The profile ${name} is deleted. Its key still works. Revoke it if nothing else uses it.`,
      remark: isNoneCurrent ? `No profile is current now. Run npx remit profiles use ${other}.` : undefined,
    };
  },
};

const list: CliCommand = {
  about: 'List all profiles. Shows no keys.',
  examples: ['npx remit profiles list', 'npx remit profiles list --json'],
  run: async () => {
    const current = await readCurrentProfileName();
    const found = await Promise.all((await listProfileNames()).map(readProfile));
    const profiles = found.map((profile) => toOutput(profile, current));
    const rows = profiles.map(({ name, mode, baseUrl, isCurrent }) => [
      name,
      mode,
      isCurrent ? 'yes' : '',
      baseUrl,
    ]);
    const remark = rows.length === 0 ? 'No profiles. To create one, run npx remit login.' : undefined;
    return { json: profiles, table: { headers: ['PROFILE', 'MODE', 'CURRENT', 'URL'], rows }, remark };
  },
};

const current: CliCommand = {
  about: 'Show the profile that commands use if neither an option nor the environment selects a service.',
  examples: ['npx remit profiles current'],
  run: async () => {
    const name = await requireCurrentName();
    const profile = toOutput(await readProfile(name), name);
    const set = ['REMIT_URL', 'REMIT_API_KEY', 'REMIT_PROFILE'].filter((variable) => process.env[variable]);
    const remark = set.length > 0 ? `Commands do not use it, because ${set.join(', ')} is set.` : undefined;
    const { mode, baseUrl } = profile;
    return { json: profile, table: { rows: Object.entries({ profile: name, mode, url: baseUrl }) }, remark };
  },
};

const use: CliCommand = {
  about: 'Make a profile the current one.',
  operands: ['NAME'],
  examples: ['npx remit profiles use shop'],
  run: async (options) => {
    const profile = await readProfile(options.required('NAME'));
    const { name, apiKey, baseUrl } = profile;
    await selectCurrentProfile(name);
    const text = `Commands now use the profile ${name} (${modeOf(apiKey)} mode at ${baseUrl}).`;
    return { json: toOutput(profile, name), text };
  },
};

export const profileCommands: CommandGroup = {
  about: 'List profiles, and select the one that commands use. To create one, run npx remit login.',
  commands: { list, current, use },
};

/** Returns what is shown of a profile, without its key. */
const toOutput = ({ name, baseUrl, apiKey }: Profile, currentName: string | undefined) => ({
  name,
  baseUrl,
  mode: modeOf(apiKey),
  isCurrent: name === currentName,
});

/** Returns the name that the option or the environment selects. */
const readSelectedName = (options: ParsedOptions) =>
  options.optional('profile') ?? (process.env.REMIT_PROFILE?.trim() || undefined);

async function requireCurrentName(): Promise<string> {
  const name = await readCurrentProfileName();
  if (name !== undefined) return name;
  throw new CommandError('No profile is current. Run npx remit login, or npx remit profiles use NAME.');
}

async function readUrl(options: ParsedOptions): Promise<string> {
  const url = options.optional('url');
  if (url !== undefined) return url;
  if (isInteractive()) return ask('URL of the service, for example https://remit.example.com: ');
  throw usageError(
    'Without a terminal, add --url with the URL of the service, and write the key to standard input.',
  );
}

/** Rejects a URL on which others on the network could read the key. */
function requireSafeUrl(baseUrl: string): string {
  if (baseUrl.startsWith('https:') || isLoopback(baseUrl)) return baseUrl;
  throw usageError('The URL must begin with https:, because others could read the API key on the network.');
}

async function readApiKey(baseUrl: string): Promise<string> {
  const apiKey = isInteractive()
    ? await ask(`API key for ${new URL(baseUrl).host} (input is hidden): `, { hidden: true })
    : (await readStream(process.stdin)).trim();
  if (isApiKey(apiKey)) return apiKey;
  throw new CommandError(`The API key is not valid. ${apiKeyFormat} Nothing was stored.`);
}

/** Checks the key with a request. A key without the permission of the request is a key of the service, too. */
async function checkKey(baseUrl: string, apiKey: string): Promise<void> {
  try {
    await new Remit({ baseUrl, apiKey }).invoices.list({ limit: 1 });
  } catch (error) {
    if (error instanceof PermissionError) return;
    if (!(error instanceof AuthenticationError)) throw error;
    throw new CommandError(
      `The service at ${baseUrl} does not accept this API key. Nothing was stored. Check the URL and the key.`,
    );
  }
}
