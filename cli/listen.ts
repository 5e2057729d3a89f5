/** `npm run listen`: a receiver for development. It shows each event as it comes, verified, and can forward it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../infra/local/handler.ts';
import type { StackDescription } from '../infra/local/stack-file.ts';
import { eventTypes } from '../shared/events/event.ts';
import { CommandError, oneOf, usageError } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const usage = `Usage: npm run listen [-- OPTIONS]

  --forward-to URL     sends each event on to your own receiver, with the bytes and headers that came
  --events a,b         only these kinds: ${eventTypes.slice(0, 4).join(', ')},
                       ${eventTypes.slice(4).join(', ')}
  --json               each event's body as a line of JSON

It listens to the test mode of the account that npm start prints. REMIT_API_KEY names another key, and REMIT_API_URL
another stack, which must be able to reach this machine's loopback.`;

/** The endpoint's name, by which one that a killed process has left behind is recognised. */
const description = (pid: number | string) => `npm run listen ${pid}`;

interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
}

async function listen(): Promise<void> {
  const options = readOptions();
  if (!options) return void process.stdout.write(`${usage}\n`);
  const service = await findService();
  await deleteLeftEndpoints(service);
  const receiver = await startReceiver({ ...options, print: (line) => process.stdout.write(`${line}\n`) });
  const id = await createEndpoint(service, receiver, options.events).catch(async (error) => {
    await receiver.close();
    throw error;
  });
  process.stderr.write(`Listening. Ctrl-C ends it.\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await call(service, 'DELETE', `/api/webhooks/${id}`);
  await receiver.close();
}

async function createEndpoint(
  service: Service,
  receiver: Receiver,
  events: readonly string[],
): Promise<string> {
  const body = { url: receiver.url, events, description: description(process.pid) };
  const { id, secret } = (await call(service, 'POST', '/api/webhooks', body)) as Record<string, string>;
  receiver.trust(secret ?? '');
  return id ?? '';
}

/** Endpoints of processes that are not there any more. */
async function deleteLeftEndpoints(service: Service): Promise<void> {
  const { data } = (await call(service, 'GET', '/api/webhooks')) as {
    data: { id: string; description: string | null }[];
  };
  for (const endpoint of data) {
    const [, pid] = /^npm run listen (\d+)$/.exec(endpoint.description ?? '') ?? [];
    if (pid && !isAlive(Number(pid))) await call(service, 'DELETE', `/api/webhooks/${endpoint.id}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readOptions() {
  let values: { 'forward-to'?: string; events?: string; json?: boolean; help?: boolean };
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    ({ values } = parseArgs({ options: { 'forward-to': text, events: text, json: flag, help: flag } }));
  } catch (error) {
    throw usageError(`${(error as Error).message.split('. ')[0]}.\n\n${usage}`);
  }
  if (values.help) return undefined;
  const forwardTo = values['forward-to'];
  if (forwardTo !== undefined && !/^https?:/.test(URL.parse(forwardTo)?.protocol ?? '')) {
    throw usageError(
      '--forward-to must be an http or https address, such as http://localhost:3000/webhooks.',
    );
  }
  const named = values.events?.split(',').map((word) => oneOf('events', word.trim(), eventTypes));
  return { forwardTo, events: named ?? eventTypes, json: values.json === true };
}

async function findService(): Promise<Service> {
  const { REMIT_API_URL, REMIT_API_KEY } = process.env;
  if (REMIT_API_URL && REMIT_API_KEY) return { baseUrl: REMIT_API_URL, apiKey: REMIT_API_KEY };
  try {
    const text = await readFile(join(repositoryRoot, '.local', 'stack.json'), 'utf8');
    const { baseUrl, keys } = JSON.parse(text) as StackDescription;
    return { baseUrl: REMIT_API_URL ?? baseUrl, apiKey: REMIT_API_KEY ?? keys.test };
  } catch {
    throw new CommandError(
      'No stack was found: run npm start first, or set REMIT_API_URL and REMIT_API_KEY for another one.',
    );
  }
}

/** Calls the API. Throws its message if it refuses. */
async function call(
  { baseUrl, apiKey }: Service,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const request = {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  };
  const response = await fetch(`${baseUrl}${path}`, request).catch(() => {
    throw new CommandError(`${baseUrl} does not answer: run npm start first.`);
  });
  const answer = (await response.json()) as { error?: { message: string } };
  if (answer.error) throw new CommandError(answer.error.message);
  return answer;
}

try {
  await listen();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}
