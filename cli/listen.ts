/** Defines `remit listen`: receives, verifies, shows and forwards webhook events during development. */
import type { EventType, Remit } from '../client/src/remit.ts';
import { eventTypes } from '../shared/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { type CliCommand, parseChoice, usageError } from './command.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { keepListenSecret } from './listen-secret.ts';
import { type EventReceiver, startEventReceiver } from './receiver.ts';
import { readList } from './resources.ts';

export const listenCommand: CliCommand = {
  about: 'Show events as they happen, and forward them to your own webhook endpoint.',
  details: `${apiHelp}

The signing secret of forwarded events is kept for each account and mode, so your endpoint needs it only once. The command
verifies each event, and signs it again with this secret.

The service sends events to the loopback address of this machine, so this works with the local stack only. For a
deployed service, use npx remit events list.`,
  options: {
    'forward-to': {
      value: 'URL',
      about: 'Forward each event to this URL, with its original body, signed with the kept secret.',
    },
    events: { value: 'A,B', about: `Only these event types, separated by commas: ${eventTypes.join(', ')}.` },
    'new-secret': { about: 'Replace the kept signing secret by a new one.' },
  },
  examples: [
    'npx remit listen',
    'npx remit listen --forward-to http://localhost:3000/webhooks --events invoice.paid',
  ],
  run: async (options) => {
    const forwardTo = options.optional('forward-to');
    if (
      forwardTo !== undefined &&
      !(URL.canParse(forwardTo) && /^https?:$/.test(new URL(forwardTo).protocol))
    ) {
      throw usageError(
        '--forward-to must be an http or https URL, for example http://localhost:3000/webhooks.',
      );
    }
    const events = readList(options, 'events')?.map((type) => parseChoice('events', type, eventTypes));
    const { remit, accountKey } = await connectApi();
    await deleteStaleEndpoints(remit);
    const forwardSecret = await keepListenSecret(accountKey, options.flag('new-secret'));
    const print = (line: string) => process.stdout.write(`${escapeControlCharacters(line)}\n`);
    const receiver = await startEventReceiver({ forwardTo, forwardSecret, json: options.json, print });
    try {
      await receiveUntilSignal(remit, receiver, events ?? eventTypes, forwardSecret);
    } finally {
      await receiver.close();
    }
    return undefined;
  },
};

/** Describes the endpoint of a process. `deleteStaleEndpoints` recognizes the endpoints of killed processes by it. */
export const endpointDescription = (pid: number | string) => `remit listen ${pid}`;

/** Registers the endpoint, receives events until a signal arrives, and deletes the endpoint. */
async function receiveUntilSignal(
  remit: Remit,
  receiver: EventReceiver,
  events: readonly EventType[],
  forwardSecret: string,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const body = { url: receiver.url, events: [...events], description: endpointDescription(process.pid) };
  const { id, secret } = await remit.webhooks.create(body);
  receiver.setSecret(secret);
  process.stderr.write(
    `Signing secret of forwarded events: ${forwardSecret}\nListening for events. Press Ctrl-C to stop.\n`,
  );
  await ended;
  await remit.webhooks.delete(id);
}

/** Deletes the endpoints of processes that no longer run. */
export async function deleteStaleEndpoints(remit: Remit): Promise<void> {
  for (const endpoint of (await remit.webhooks.list()).data) {
    const [, pid] = /^remit listen (\d+)$/.exec(endpoint.description ?? '') ?? [];
    if (pid && !isAlive(Number(pid))) await remit.webhooks.delete(endpoint.id);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
