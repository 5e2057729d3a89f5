/** Shows and forwards events until it is ended. `remit listen` loads it, and so the library that signs messages, only when it runs. */
import type { EventType, RemitEvent } from '../client/src/remit.ts';
import { isLoopback } from '../infra/loopback.ts';
import { fixedMessageHeaders } from '../shared/domain/webhooks/signature.ts';
import type { ApiConnection } from './api-connection.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { type Delivered, followEvents } from './follow-events.ts';
import { forwardMessage, signMessage } from './forward-event.ts';
import { listenDirectly } from './listen-directly.ts';
import { positionFile } from './listen-position.ts';
import { eventLine } from './receiver.ts';

/** What the options ask for. */
export interface ListenPlan {
  readonly forwardTo: string | undefined;
  readonly types: readonly EventType[];
  readonly json: boolean;
  readonly follow: boolean;
  readonly fromNow: boolean;
}

const print = (line: string) => process.stdout.write(`${escapeControlCharacters(line)}\n`);
const report = (line: string) => process.stderr.write(`${escapeControlCharacters(line)}\n`);

/** Listens until the signal aborts, and says which way it uses and why. */
export async function listen(
  { remit, baseUrl, accountKey, rateLimit, where }: ApiConnection,
  { forwardTo, types, json, follow, fromNow }: ListenPlan,
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
