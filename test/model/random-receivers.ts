/**
 * Runs the webhook receivers of a run: one with http for test mode and one with https for live mode. The seed decides
 * how they misbehave. Each unreliable receiver accepts every event in the end.
 */
import tls from 'node:tls';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { createCertificate } from '../support/self-signed.ts';
import { type ReceivedMessage, type Responder, startWebhookReceiver } from '../support/webhook-receiver.ts';

/**
 * How the receiver of an endpoint behaves: `unreliable` accepts every event in the end, `failing` accepts none, and
 * `gone` responds with 410 after some messages.
 */
export type ReceiverBehavior = 'unreliable' | 'failing' | 'gone';

export interface RandomReceivers {
  urlOf(mode: string, path: string): string;
  /** Accepts a further secret for messages to `path`. */
  trust(path: string, secret: string): void;
  /** Sets the behavior for all paths that start with the endpoint's name. */
  setBehavior(name: string, behavior: ReceiverBehavior): void;
  /** All messages; those of one receiver are in the order of arrival. */
  received(): readonly ReceivedMessage[];
  /** The ids of the events for which the endpoint's paths returned a success. */
  acceptedBy(name: string): ReadonlySet<string>;
  close(): Promise<void>;
}

/** The state of the receiver of one endpoint. */
interface ReceiverState {
  readonly behavior: ReceiverBehavior;
  /** How many messages have arrived. */
  messages: number;
  /** How many more times the receiver refuses an event, by event id. */
  readonly remainingRefusals: Map<string, number>;
  readonly accepted: Set<string>;
}

type Response = Awaited<ReturnType<Responder>>;

export async function startRandomReceivers(seed: number): Promise<RandomReceivers> {
  const certificate = createCertificate(['127.0.0.1']);
  const defaultCertificates = tls.getCACertificates();
  tls.setDefaultCACertificates([...defaultCertificates, certificate.cert]);
  const [plain, secure] = await Promise.all([startWebhookReceiver(), startWebhookReceiver(certificate)]);
  const both = [plain, secure];
  const states = new Map<string, ReceiverState>();
  for (const receiver of both) {
    receiver.respondWith(({ id, path }) => {
      const name = endpointNameOf(path);
      const state = states.get(name);
      return state ? respond(state, id, seededRandom(seed, name, state.messages++)) : { status: 404 };
    });
  }
  return {
    urlOf: (mode, path) => (mode === 'live' ? secure : plain).urlOf(path),
    trust: (path, secret) => {
      for (const receiver of both) receiver.trust(path, secret);
    },
    setBehavior: (name, behavior) => {
      states.set(name, { behavior, messages: 0, remainingRefusals: new Map(), accepted: new Set() });
    },
    received: () => both.flatMap(({ received }) => received),
    acceptedBy: (name) => states.get(name)?.accepted ?? new Set(),
    close: async () => {
      tls.setDefaultCACertificates(defaultCertificates);
      await Promise.all(both.map((receiver) => receiver.close()));
    },
  };
}

const endpointNameOf = (path: string): string => path.split('/')[1] ?? '';

/** How often an unreliable receiver refuses an event at most. */
export const maxRefusals = 3;
/** How many messages a receiver accepts before its behavior `gone` starts. */
export const messagesBeforeGone = 6;

function respond(state: ReceiverState, eventId: string, random: Random): Response {
  const { behavior, messages, remainingRefusals, accepted } = state;
  if (behavior === 'failing') return { status: random.pick([500, 404, 302]) ?? 500 };
  if (behavior === 'gone' && messages > messagesBeforeGone) return { status: 410 };
  const isFirst = !remainingRefusals.has(eventId);
  const refusals =
    remainingRefusals.get(eventId) ?? (random.chance(0.25) ? random.integer(1, maxRefusals) : 0);
  remainingRefusals.set(eventId, refusals - 1);
  if (refusals > 0) return refuse(random, isFirst);
  accepted.add(eventId);
  return { status: random.pick([200, 202, 204]) ?? 200 };
}

/** Hangs only for the first message of an event. More hangs would open the endpoint's circuit for a long time. */
function refuse(random: Random, mayHang: boolean): Response {
  const headers = { 'Retry-After': String(random.integer(1, 7_200)) };
  const responses = [{ status: 500 }, { status: 429, headers }, { status: 503, headers }, 'close'] as const;
  return mayHang && random.chance(0.15) ? 'hang' : (random.pick<Response>(responses) ?? 'close');
}
