/**
 * Connects commands to the API.
 * - The URL and the API key come from the environment, a prompt or the local stack. They never come from arguments,
 *   because other users can read arguments and the shell stores them.
 */
import { Remit } from '../client/src/remit.ts';
import { CommandError } from './command.ts';
import { readLocalStack } from './local-stack.ts';
import { ask, isInteractive } from './terminal.ts';

/** The part of the help that all commands of the API share. */
export const apiHelp = `Set REMIT_URL to the URL of the service, and REMIT_API_KEY to your API key. If REMIT_API_KEY is not set, a
prompt asks for the key. Without REMIT_URL, the command uses the local stack and its test key, which npm start shows.`;

export interface ApiConnection {
  readonly remit: Remit;
  readonly baseUrl: string;
  readonly isLive: boolean;
}

/**
 * Creates a client for the service that the environment names, or else for the local stack.
 * @throws CommandError if no service or no valid API key is set
 */
export async function connectApi(): Promise<ApiConnection> {
  const { baseUrl, apiKey } = await resolveConnection();
  return { remit: new Remit({ baseUrl, apiKey }), baseUrl, isLive: apiKey.startsWith('sk_live_') };
}

async function resolveConnection(): Promise<{ baseUrl: string; apiKey: string }> {
  // An empty variable counts as not set.
  const baseUrl = process.env.REMIT_URL?.trim();
  const apiKey = process.env.REMIT_API_KEY?.trim();
  if (apiKey && !isApiKey(apiKey))
    throw new CommandError(`REMIT_API_KEY is not a valid API key. ${apiKeyFormat}`);
  if (baseUrl && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new CommandError('REMIT_URL must be an http or https URL, for example https://remit.example.com.');
  if (baseUrl) return { baseUrl, apiKey: apiKey || (await askForApiKey(baseUrl)) };
  const stack = await readLocalStack();
  if (!stack)
    throw new CommandError(
      'No local stack was found. Run npm start, or set REMIT_URL and REMIT_API_KEY to use another service.',
    );
  return { baseUrl: stack.baseUrl, apiKey: apiKey || stack.keys.test };
}

async function askForApiKey(baseUrl: string): Promise<string> {
  if (!isInteractive()) throw new CommandError('No API key is set. Set REMIT_API_KEY.');
  const apiKey = await ask(`API key for ${new URL(baseUrl).host} (input is hidden): `, { hidden: true });
  if (isApiKey(apiKey)) return apiKey;
  throw new CommandError(`The API key is not valid. ${apiKeyFormat}`);
}

const isApiKey = (text: string) => /^sk_(test|live)_\w+$/.test(text);
const apiKeyFormat = 'An API key begins with sk_test_ or sk_live_ and has no spaces.';
