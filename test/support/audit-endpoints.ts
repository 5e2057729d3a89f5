/**
 * What must have become of one webhook endpoint's deliveries by what was done to it: how they ended, where they went,
 * who signed them. Pure, like the other audits; what all endpoints have in common is judged by `webhook-audit.ts`.
 */
import { eventTypes } from '../../shared/events/event.ts';
import type { Instant } from '../../shared/time.ts';
import { arrivalsBeforeGone } from './history-receivers.ts';
import type { TestItem } from './table.ts';
import { asksFor, type KnownEndpoint } from './webhook-audit.ts';
import type { Received } from './webhook-receiver.ts';

/**
 * What happens to an endpoint: nothing; its address and wishes change; its secret; it is disabled and enabled, in the
 * end for long, and asks for what it missed; it is deleted; its receiver answers 410 one day; its receiver takes nothing.
 */
export type Lot = 'steady' | 'moved' | 'rotated' | 'paused' | 'deleted' | 'gone' | 'dead';

export interface EndpointLife {
  readonly id: string;
  /** `account#mode`. */
  readonly owner: string;
  /** Its paths are `/<name>/0`, `/<name>/1`, and so on. */
  readonly name: string;
  readonly lot: Lot;
  /** All that it has asked for, each in turn. */
  readonly wishes: (readonly string[])[];
  /** When it was answered that it is somewhere else. */
  readonly movedAt: Instant[];
  /** When it was answered that there is another secret, and for how long the one before signs along. */
  readonly rotations: { readonly at: Instant; readonly overlapMs: number }[];
  /** The idempotency keys with which it was changed. */
  readonly keys: string[];
  deletedAt?: Instant;
  /** From when until when it was disabled for long. */
  paused?: { readonly from: Instant; readonly to: Instant };
}

/** What the audit of all endpoints is to know of it: what it wanted all its life, and what at some time. */
export function knownEndpoint({ id, name, wishes, deletedAt }: EndpointLife): KnownEndpoint {
  const always = eventTypes.filter((type) => wishes.every((wish) => asksFor(wish, type)));
  return {
    ...{ id, path: `/${name}`, events: deletedAt === undefined ? always : [] },
    sometimes: wishes.flat(),
  };
}

/**
 * @param all the items of the table
 * @param accepted the ids of the events that its receiver has answered with success
 */
export function endpointLifeFaults(
  life: EndpointLife,
  all: readonly TestItem[],
  received: readonly Received[],
  accepted: ReadonlySet<string>,
): string[] {
  const { id, owner, name } = life;
  const webhook = all.find(({ pk, sk }) => pk === `WEBHOOKS#${owner}` && sk === id);
  const deliveries = all.filter(({ pk }) => pk === `DELIVERIES#${id}`);
  const messages = received.filter(({ path }) => path.startsWith(`/${name}/`));
  const counts = Map.groupBy(messages, (message) => message.id);
  const faults = [
    ...stateFaults(life, webhook, messages.length),
    ...deliveries.flatMap((delivery) => endingFaults(life, webhook, delivery)),
    ...deliveries.flatMap((delivery) => attemptFaults(delivery, counts.get(delivery.eventId) ?? [])),
    ...deliveries
      .filter(({ status, eventId }) => status === 'succeeded' && !accepted.has(eventId))
      .map(({ eventId }) => `${eventId} is said to have succeeded, and its receiver never took it`),
    ...messages.flatMap((message) => lateFaults(life, webhook, message)),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}

/** How the endpoint itself is to stand there in the end. */
function stateFaults({ lot }: EndpointLife, webhook: TestItem | undefined, arrivals: number): string[] {
  const isGone = lot === 'gone' && arrivals > arrivalsBeforeGone;
  const expected = lot === 'deleted' ? 'deleted' : isGone ? 'disabled gone' : 'enabled null';
  const present = webhook ? `${webhook.status} ${webhook.disabledReason}` : 'deleted';
  // If its deliveries have failed for so long.
  if (lot === 'dead' && present === 'disabled failing') return [];
  return present === expected ? [] : [`it is ${present}, and was to be ${expected}`];
}

const endings: Readonly<Record<Lot, readonly string[]>> = {
  ...{ steady: ['succeeded'], moved: ['succeeded'], rotated: ['succeeded'], paused: ['succeeded'] },
  ...{
    deleted: ['succeeded', 'skipped'],
    gone: ['succeeded', 'failed', 'skipped'],
    dead: ['failed', 'skipped'],
  },
};
/** Attempts of a delivery that fails. */
const maxTries = 10;

function endingFaults(
  { lot }: EndpointLife,
  webhook: TestItem | undefined,
  { sk, status, tries, attempts }: TestItem,
): string[] {
  if (!endings[lot].includes(status)) return [`${sk} is ${status}`];
  if (status === 'skipped' && webhook?.status === 'enabled')
    return [`${sk} is skipped, and nothing was disabled`];
  if (status !== 'failed') return [];
  if (lot === 'dead' && tries !== maxTries) return [`${sk} has failed after ${tries} tries`];
  return lot === 'gone' && attempts.at(-1)?.status !== 410 ? [`${sk} has failed without a 410`] : [];
}

/** Attempts are numbered in turn, and what was answered was asked for. */
function attemptFaults({ sk, attempts }: TestItem, messages: readonly Received[]): string[] {
  const [first] = attempts;
  const numbers = attempts.map(({ number }: TestItem, place: number) => number - place);
  const faults = numbers.every((number: number) => number === first.number)
    ? []
    : [`${sk} has attempts missing`];
  const answered = attempts.filter(({ status }: TestItem) => status !== undefined).length;
  if (answered > messages.length)
    faults.push(`${sk} tells of ${answered} answers to ${messages.length} messages`);
  return faults;
}

/** What is under way may arrive some time after a change was answered, and no later than that. */
const underWayMs = 15 * 60_000;

function lateFaults(life: EndpointLife, webhook: TestItem | undefined, message: Received): string[] {
  const { movedAt, rotations, deletedAt, paused } = life;
  const { id, path, at, verifiedBy } = message;
  const faults: string[] = [];
  const isLong = (since: Instant) => at - since > underWayMs;
  const closedAt = webhook?.status === 'disabled' ? webhook.updatedAt : deletedAt;
  if (closedAt !== undefined && isLong(closedAt)) faults.push(`it got ${id} long after its end`);
  if (paused && isLong(paused.from) && at < paused.to) faults.push(`it got ${id} while it was disabled`);
  const place = movedAt.filter(isLong).length;
  if (Number(path.split('/')[2]) < place) faults.push(`it got ${id} where it is no more`);
  const present = rotations.filter((rotation) => isLong(rotation.at)).length;
  // One that no secret verifies is a fault for all endpoints alike.
  if (verifiedBy.length > 0 && !verifiedBy.some((secret) => secret >= present))
    faults.push(`${id} is not signed with the present secret`);
  for (const secret of verifiedBy) {
    const replaced = rotations[secret];
    if (replaced && isLong(replaced.at + replaced.overlapMs))
      faults.push(`${id} is signed with a secret that has ended`);
  }
  return faults;
}
