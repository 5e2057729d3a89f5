/**
 * Connects commands to the API.
 * - The first of these that is set selects the service: `--profile`, the environment, the current profile, the local stack.
 * - A profile's key is only sent to the profile's URL.
 * - Keys never come from arguments, because other users can read arguments and the shell stores them.
 */
import { createHash } from 'node:crypto';
import { type ApiCall, createApiCall } from '../client/src/call.ts';
import { Remit } from '../client/src/remit.ts';
import type { Mode } from '../shared/base/ids.ts';
import type { ApiVersion } from '../shared/domain/versions/versions.ts';
import { type CliCommand, CommandError, type OptionSpec, usageError } from './command.ts';
import { escapeToOneLine } from './escape-control-characters.ts';
import { readLocalStack } from './local-stack.ts';
import { type RateLimitState, readRateLimit } from './poll-delay.ts';
import { readCurrentProfileName, readProfile } from './profile-store.ts';
import { ask, isInteractive } from './terminal.ts';

/** The part of the help that all commands of the API share. */
export const apiHelp = `Run npx remit login once, or set REMIT_URL to the URL of the service and REMIT_API_KEY to your API key. If only
REMIT_URL is set, a prompt asks for the key. --profile and REMIT_PROFILE select another profile than the current one. Without
all of these, the command uses the local stack and its test key, which npm start shows.`;

const profileOption: OptionSpec = {
  value: 'NAME',
  about: 'Use this profile, which npx remit login has stored.',
};

export interface ApiConnection {
  readonly remit: Remit;
  /** Calls an operation that the client has no method for. */
  readonly call: ApiCall;
  readonly baseUrl: string;
  readonly isLive: boolean;
  /** The values of the header `Remit-Warning` in the answers so far. */
  readonly warnings: ReadonlySet<string>;
  /** What the last answer said about the rate limit. Undefined before the first one. */
  readonly rateLimit: () => RateLimitState | undefined;
  /** The mode and the profile, for questions: `live mode (profile shop)`. */
  readonly where: string;
  /** Identifies the account and the mode. Contains no secret. */
  readonly accountKey: string;
}

const versionHeader = 'X-API-Version';

let selectedProfile: string | undefined;

/** Adds the option that selects a profile to commands that call the API. */
export function withProfileOption<Name extends string>(
  commands: Readonly<Record<Name, CliCommand>>,
): Readonly<Record<Name, CliCommand>> {
  const entries = Object.entries<CliCommand>(commands).map(([name, command]) => [
    name,
    {
      ...command,
      options: { ...command.options, profile: profileOption },
      run: (options) => {
        selectedProfile = options.optional('profile');
        return command.run(options);
      },
    } satisfies CliCommand,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Creates a client for the selected service.
 * @param apiVersion the version of the API for all requests, or `key` for the one of the API key. Default: the client's.
 * @throws CommandError if no service or no valid API key is set
 */
export async function connectApi(apiVersion?: ApiVersion | 'key'): Promise<ApiConnection> {
  const { baseUrl, apiKey, profile } = await resolveConnection();
  const mode = modeOf(apiKey);
  const where = `${mode} mode${profile === undefined ? '' : ` (profile ${profile})`}`;
  if (profile !== undefined && process.stderr.isTTY)
    process.stderr.write(`${escapeToOneLine(`Using ${where} at ${new URL(baseUrl).host}.`)}\n`);
  const warnings = new Set<string>();
  let rateLimit: RateLimitState | undefined;
  const observingFetch: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (apiVersion === 'key') headers.delete(versionHeader);
    else if (apiVersion) headers.set(versionHeader, apiVersion);
    const response = await fetch(input, { ...init, headers });
    const warning = response.headers.get('remit-warning');
    if (warning) warnings.add(warning);
    rateLimit = readRateLimit(response.headers) ?? rateLimit;
    return response;
  };
  const clientOptions = { baseUrl, apiKey, fetch: observingFetch };
  return {
    remit: new Remit(clientOptions),
    call: createApiCall(clientOptions),
    warnings,
    rateLimit: () => rateLimit,
    baseUrl,
    isLive: mode === 'live',
    where,
    accountKey: accountKeyOf(apiKey),
  };
}

interface Selection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly profile?: string;
}

async function resolveConnection(): Promise<Selection> {
  if (selectedProfile !== undefined) return connectProfile(selectedProfile);
  // An empty variable counts as not set.
  const baseUrl = process.env.REMIT_URL?.trim();
  const apiKey = process.env.REMIT_API_KEY?.trim();
  const profile = process.env.REMIT_PROFILE?.trim();
  if (profile && (baseUrl || apiKey))
    throw usageError(
      `REMIT_PROFILE and ${baseUrl ? 'REMIT_URL' : 'REMIT_API_KEY'} both select a service. Unset one of them.`,
    );
  if (profile) return connectProfile(profile);
  if (apiKey && !isApiKey(apiKey))
    throw new CommandError(`REMIT_API_KEY is not a valid API key. ${apiKeyFormat}`);
  if (baseUrl) {
    const url = parseBaseUrl('REMIT_URL', baseUrl);
    return { baseUrl: url, apiKey: apiKey || (await askForApiKey(url)) };
  }
  const current = apiKey ? undefined : await readCurrentProfileName();
  if (current !== undefined) return connectProfile(current);
  const stack = await readLocalStack();
  if (stack) return { baseUrl: stack.baseUrl, apiKey: apiKey || stack.keys.test };
  throw new CommandError(
    apiKey
      ? 'REMIT_API_KEY is set, but REMIT_URL is not, and no local stack was found. Set REMIT_URL, too.'
      : 'No local stack was found. Run npm start, or npx remit login to use another service.',
  );
}

async function connectProfile(name: string): Promise<Selection> {
  const { baseUrl, apiKey } = await readProfile(name);
  return { baseUrl, apiKey, profile: name };
}

async function askForApiKey(baseUrl: string): Promise<string> {
  if (!isInteractive()) throw new CommandError('No API key is set. Set REMIT_API_KEY.');
  const apiKey = await ask(`API key for ${new URL(baseUrl).host} (input is hidden): `, { hidden: true });
  if (isApiKey(apiKey)) return apiKey;
  throw new CommandError(`The API key is not valid. ${apiKeyFormat}`);
}

/**
 * Returns the URL of the service without a trailing slash. Also accepts the URL of its `/api`.
 * @param name the subject of the error
 * @throws CommandError if it is not an http or https URL
 */
export function parseBaseUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
    return text.replace(/\/+$/, '').replace(/\/api$/, '');
  throw new CommandError(`${name} must be an http or https URL, for example https://remit.example.com.`);
}

/** Returns the mode of an API key. */
export const modeOf = (apiKey: string): Mode => (apiKey.startsWith('sk_live_') ? 'live' : 'test');

export const isApiKey = (text: string): boolean => /^sk_(test|live)_\w+$/.test(text);
export const apiKeyFormat = 'An API key begins with sk_test_ or sk_live_ and has no spaces.';

/** The account of a key is the part of 16 characters before the secret and the check, which have 38. */
function accountKeyOf(apiKey: string): string {
  const [, account] = /^sk_\w+_\d+([0-9a-z]{16})[0-9a-z]{38}$/.exec(apiKey) ?? [];
  return `${account ?? createHash('sha256').update(apiKey).digest('hex')}-${modeOf(apiKey)}`;
}
