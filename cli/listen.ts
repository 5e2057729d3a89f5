/** Defines `remit listen`: shows and forwards events during development. */
import type { RemitEvent } from '../client/src/remit.ts';
import { isLoopback } from '../infra/loopback.ts';
import { eventTypes } from '../shared/domain/events/event.ts';
import { apiVersions } from '../shared/domain/versions/versions.ts';
import { fixedMessageHeaders } from '../shared/domain/webhooks/signature.ts';
import { type ApiConnection, apiHelp, connectApi } from './api-connection.ts';
import { readApiVersion } from './api-version-option.ts';
import { type CliCommand, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { type Delivered, followEvents } from './follow-events.ts';
import { forwardMessage, signMessage } from './forward-event.ts';
import { listenDirectly } from './listen-directly.ts';
import { positionFile } from './listen-position.ts';
import { keepListenSecret } from './listen-secret.ts';
import { eventLine } from './receiver.ts';
import { readList } from './resources.ts';

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
    await listen(connection, plan, secret, ended.signal);
    return undefined;
  },
};

interface Plan {
  readonly forwardTo: string | undefined;
  readonly types: readonly (typeof eventTypes)[number][];
  readonly json: boolean;
  readonly follow: boolean;
  readonly fromNow: boolean;
}

function readPlan(options: ParsedOptions): Plan {
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

const print = (line: string) => process.stdout.write(`${escapeControlCharacters(line)}\n`);
const report = (line: string) => process.stderr.write(`${escapeControlCharacters(line)}\n`);

/** Listens until the signal aborts, and says which way it uses and why. */
async function listen(
  { remit, baseUrl, accountKey, rateLimit, where }: ApiConnection,
  { forwardTo, types, json, follow, fromNow }: Plan,
  secret: string,
  signal: AbortSignal,
): Promise<void> {
  const { host } = new URL(baseUrl);
  report(`Signing secret of forwarded events: ${secret}`);
  let reason = follow ? 'because of --follow' : 'because a service elsewhere cannot send to this machine';
  if (isLoopback(baseUrl) && !follow) {
    const receiver = { forwardTo, forwardSecret: secret, json, print };
    const onListening = () =>
      report(
        `${host} sends its events in ${where} here directly, because it runs on this machine.\nListening for events. Press Ctrl-C to stop.`,
      );
    const refusal = await listenDirectly(remit, types, receiver, { signal, onListening });
    if (refusal === undefined) return;
    reason = `because it does not accept an endpoint here: ${refusal}`;
  }
  report(`Reading the events in ${where} from ${host}, ${reason.replace(/\.$/, '')}.`);
  const position = positionFile(accountKey, baseUrl, forwardTo);
  const deliver = (event: RemitEvent) => deliverEvent(event, { forwardTo, secret, json, signal });
  await followEvents({ remit, position, fromNow, types, deliver, rateLimit, report, signal });
}

/** Shows an event, and forwards it with the headers and the body that a webhook endpoint gets. */
async function deliverEvent(
  event: RemitEvent,
  {
    forwardTo,
    secret,
    json,
    signal,
  }: { forwardTo: string | undefined; secret: string; json: boolean; signal: AbortSignal },
): Promise<Delivered> {
  const body = JSON.stringify(event);
  const headers = { ...fixedMessageHeaders, ...signMessage(secret, { id: event.id, at: Date.now(), body }) };
  const result = forwardTo === undefined ? undefined : await forwardMessage(forwardTo, headers, body, signal);
  if (result?.isUnreachable) return 'unreachable';
  print(json ? body : eventLine(event, [undefined, result?.text]));
  return result === undefined || (result.status >= 200 && result.status < 300) ? 'accepted' : 'refused';
}
