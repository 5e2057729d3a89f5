/** `remit listen`: a receiver for development. It shows each event as it comes, verified, and can forward it. */
import type { EventType, Remit } from '../client/src/remit.ts';
import { eventTypes } from '../shared/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { type Command, oneOf, usageError } from './command.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { wordsOf } from './resources.ts';
import { visible } from './visible.ts';

export const listen: Command = {
  about: 'Shows events as they come, verified; can send them on to a receiver of your own.',
  details: `${apiHelp}

Events come to this machine's loopback, so a deployed service cannot reach it; npx remit events list can.`,
  options: {
    'forward-to': { value: 'URL', about: 'sends each event on, with the bytes and headers that came' },
    events: { value: 'A,B', about: `only these kinds: ${eventTypes.join(', ')}` },
  },
  examples: [
    'npx remit listen',
    'npx remit listen --forward-to http://localhost:3000/webhooks --events invoice.paid',
  ],
  run: async (options) => {
    const forwardTo = options.optional('forward-to');
    if (forwardTo !== undefined && !/^https?:/.test(URL.parse(forwardTo)?.protocol ?? '')) {
      throw usageError(
        '--forward-to must be an http or https address, such as http://localhost:3000/webhooks.',
      );
    }
    const events = wordsOf(options, 'events')?.map((word) => oneOf('events', word, eventTypes));
    const { remit } = await connectApi();
    await deleteLeftEndpoints(remit);
    const print = (line: string) => process.stdout.write(`${visible(line)}\n`);
    const receiver = await startReceiver({ forwardTo, json: options.json, print });
    try {
      await receive(remit, receiver, events ?? eventTypes);
    } finally {
      await receiver.close();
    }
    return undefined;
  },
};

/** The endpoint's name, by which one that a killed process has left behind is recognised. */
const description = (pid: number | string) => `remit listen ${pid}`;

/** Until a signal ends it. */
async function receive(remit: Remit, receiver: Receiver, events: readonly EventType[]): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const body = { url: receiver.url, events: [...events], description: description(process.pid) };
  const { id, secret } = await remit.webhooks.create(body);
  receiver.trust(secret);
  process.stderr.write(`Signing secret, until it ends: ${secret}\nListening. Ctrl-C ends it.\n`);
  await ended;
  await remit.webhooks.delete(id);
}

/** Endpoints of processes that are not there any more. */
async function deleteLeftEndpoints(remit: Remit): Promise<void> {
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
