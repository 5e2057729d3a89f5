/** Which service the commands call, and with which key: never from arguments, always from the environment or a question. */
import { Remit } from '../client/src/remit.ts';
import { CommandError } from './command.ts';
import { readLocalStack } from './local-stack.ts';
import { ask, canAsk } from './terminal.ts';

/** For the help of such commands. */
export const apiHelp = `REMIT_URL says where the service is, and REMIT_API_KEY with which key to call it; without the key you are
asked for one, on a terminal. Without REMIT_URL it is the local stack, with the test key that npm start shows.`;

export interface Service {
  readonly remit: Remit;
  readonly isLive: boolean;
}

/** The client of the service that the environment names, else of the local stack. */
export async function connectApi(): Promise<Service> {
  const { baseUrl, apiKey } = await findService();
  return { remit: new Remit({ baseUrl, apiKey }), isLive: apiKey.startsWith('sk_live_') };
}

async function findService(): Promise<{ baseUrl: string; apiKey: string }> {
  // An empty variable is none.
  const baseUrl = process.env.REMIT_URL?.trim();
  const apiKey = process.env.REMIT_API_KEY?.trim();
  if (apiKey && !isKey(apiKey)) throw new CommandError(`REMIT_API_KEY is no API key: ${keyForm}`);
  if (baseUrl && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new CommandError('REMIT_URL must be an http or https address, such as https://remit.example.com.');
  if (baseUrl) return { baseUrl, apiKey: apiKey || (await askForKey(baseUrl)) };
  const stack = await readLocalStack();
  if (!stack)
    throw new CommandError(
      'No stack was found: run npm start first, or set REMIT_URL and REMIT_API_KEY for another one.',
    );
  return { baseUrl: stack.baseUrl, apiKey: apiKey || stack.keys.test };
}

async function askForKey(baseUrl: string): Promise<string> {
  if (!canAsk()) throw new CommandError('No API key is set: set REMIT_API_KEY.');
  const apiKey = await ask(`API key for ${new URL(baseUrl).host} (not shown): `, { hidden: true });
  if (isKey(apiKey)) return apiKey;
  throw new CommandError(`That is no API key: ${keyForm}`);
}

const isKey = (text: string) => /^sk_(test|live)_\w+$/.test(text);
const keyForm = 'it begins with sk_test_ or sk_live_, and has no blanks.';
