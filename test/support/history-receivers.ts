/**
 * The receivers of a run: one by http for test mode, one by https for live mode. They misbehave as their seed says;
 * but for those that are dead or gone, each takes every event in the end.
 */
import tls from 'node:tls';
import { type Dice, diceOf } from './seeded-random.ts';
import { selfSigned } from './self-signed.ts';
import { type Decide, type Received, startWebhookReceiver } from './webhook-receiver.ts';

/** How an endpoint's receiver is: `moody` takes everything in the end, `dead` nothing, `gone` answers 410 after some. */
export type Manner = 'moody' | 'dead' | 'gone';

export interface HistoryReceivers {
  urlOf(mode: string, path: string): string;
  /** From now on messages to `path` may be signed with that secret, too. */
  trust(path: string, secret: string): void;
  /** The paths of an endpoint begin with its name. */
  behave(name: string, manner: Manner): void;
  /** In the order of arrival, of either receiver by itself. */
  received(): readonly Received[];
  /** The events that were answered with success at the endpoint's paths. */
  acceptedBy(name: string): ReadonlySet<string>;
  close(): Promise<void>;
}

/** How one endpoint's receiver has been treated so far, and how it treats. */
interface Party {
  readonly manner: Manner;
  arrivals: number;
  /** How often it still refuses an event. */
  readonly refusals: Map<string, number>;
  readonly accepted: Set<string>;
}

type Answer = Awaited<ReturnType<Decide>>;

export async function startHistoryReceivers(seed: number): Promise<HistoryReceivers> {
  const certificate = selfSigned(['127.0.0.1']);
  const authorities = tls.getCACertificates();
  tls.setDefaultCACertificates([...authorities, certificate.cert]);
  const [plain, secure] = await Promise.all([startWebhookReceiver(), startWebhookReceiver(certificate)]);
  const both = [plain, secure];
  const parties = new Map<string, Party>();
  for (const receiver of both) {
    receiver.answer(({ id, path }) => {
      const name = nameOf(path);
      const party = parties.get(name);
      return party ? answerOf(party, id, diceOf(seed, name, party.arrivals++)) : { status: 404 };
    });
  }
  return {
    urlOf: (mode, path) => (mode === 'live' ? secure : plain).urlOf(path),
    trust: (path, secret) => {
      for (const receiver of both) receiver.trust(path, secret);
    },
    behave: (name, manner) => {
      parties.set(name, { manner, arrivals: 0, refusals: new Map(), accepted: new Set() });
    },
    received: () => both.flatMap(({ received }) => received),
    acceptedBy: (name) => parties.get(name)?.accepted ?? new Set(),
    close: async () => {
      tls.setDefaultCACertificates(authorities);
      await Promise.all(both.map((receiver) => receiver.close()));
    },
  };
}

/** Of the endpoint that has that path. */
const nameOf = (path: string): string => path.split('/')[1] ?? '';

/** What the receiver of one that is `gone` still takes. */
export const arrivalsBeforeGone = 6;

function answerOf({ manner, arrivals, refusals, accepted }: Party, eventId: string, dice: Dice): Answer {
  if (manner === 'dead') return { status: dice.pick([500, 404, 302]) ?? 500 };
  if (manner === 'gone' && arrivals > arrivalsBeforeGone) return { status: 410 };
  const isFirst = !refusals.has(eventId);
  const left = refusals.get(eventId) ?? (dice.chance(0.25) ? dice.integer(1, 3) : 0);
  refusals.set(eventId, left - 1);
  if (left > 0) return refusal(dice, isFirst);
  accepted.add(eventId);
  return { status: dice.pick([200, 202, 204]) ?? 200 };
}

/** Only an event's first message is left hanging: again and again it would have the endpoint left alone for long. */
function refusal(dice: Dice, mayHang: boolean): Answer {
  const headers = { 'Retry-After': String(dice.integer(1, 7_200)) };
  const answers = [{ status: 500 }, { status: 429, headers }, { status: 503, headers }, 'close'] as const;
  return mayHang && dice.chance(0.15) ? 'hang' : (dice.pick<Answer>(answers) ?? 'close');
}
