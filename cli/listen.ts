/** Defines `remit listen`, which shows and forwards events during development. `run-listen.ts` does it. */
import { eventTypes } from '../shared/domain/events/event.ts';
import { apiVersions } from '../shared/domain/versions/versions.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { readApiVersion } from './api-version-option.ts';
import { type CliCommand, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { keepListenSecret } from './listen-secret.ts';
import { readList } from './resources.ts';
import type { ListenPlan } from './run-listen.ts';

export const listenCommand: CliCommand = {
  about: 'Show events as they happen, and forward them to your own webhook endpoint.',
  details: `${apiHelp}

The signing secret of forwarded events is kept for each account and mode, so your endpoint needs it only once. The command
signs each event with this secret, and sends it with the headers and the body that a webhook endpoint gets.

A service on this machine sends its events to the command directly. From all other services, the command reads the events every
2 to 30 seconds, so it also works behind a firewall. It then continues at the next start where it stopped, and misses nothing for
30 days. --follow selects this way for a service on this machine.`,
  options: {
    'forward-to': {
      value: 'URL',
      about: 'Forward each event to this URL, with its original body, signed with the kept secret.',
    },
    events: { value: 'A,B', about: `Only these event types, separated by commas: ${eventTypes.join(', ')}.` },
    'new-secret': { about: 'Replace the kept signing secret by a new one.' },
    'api-version': {
      value: 'VERSION',
      about: `Version of the API in which events are sent: ${apiVersions.join(' or ')}. Default: the one of the API key, as for a new webhook endpoint.`,
    },
    follow: { about: 'Read the events from the list of events, also from a service on this machine.' },
    'from-now': { about: 'Begin with new events, and forget where the command stopped.' },
  },
  examples: [
    'npx remit listen',
    'npx remit listen --forward-to http://localhost:3000/webhooks --events invoice.paid',
  ],
  run: async (options) => {
    const plan = readPlan(options);
    const connection = await connectApi(readApiVersion(options) ?? 'key');
    const secret = await keepListenSecret(connection.accountKey, options.flag('new-secret'));
    const ended = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.abort());
    const { listen } = await import('./run-listen.ts');
    await listen(connection, plan, secret, ended.signal);
    return undefined;
  },
};

function readPlan(options: ParsedOptions): ListenPlan {
  const forwardTo = options.optional('forward-to');
  if (
    forwardTo !== undefined &&
    !(URL.canParse(forwardTo) && /^https?:$/.test(new URL(forwardTo).protocol))
  ) {
    throw usageError(
      '--forward-to must be an http or https URL, for example http://localhost:3000/webhooks.',
    );
  }
  return {
    forwardTo,
    types: readList(options, 'events')?.map((type) => parseChoice('events', type, eventTypes)) ?? eventTypes,
    json: options.json,
    follow: options.flag('follow'),
    fromNow: options.flag('from-now'),
  };
}
