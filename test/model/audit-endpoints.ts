/**
 * Checks one webhook endpoint against its scenario: how its deliveries ended, to which path its messages went, and with
 * which secrets they were signed. `webhook-audit.ts` checks what holds for all endpoints. Pure.
 */

import type { Instant } from '../../shared/base/time.ts';
import { eventTypes } from '../../shared/domain/events/event.ts';
import type { TestItem } from '../support/table.ts';
import { type AuditedEndpoint, isSubscribed } from '../support/webhook-audit.ts';
import type { ReceivedMessage } from '../support/webhook-receiver.ts';
import { maxRefusals, messagesBeforeGone } from './random-receivers.ts';

/**
 * What happens to an endpoint during a run.
 *
 * - `steady`: nothing.
 * - `moved`: its URL and its subscription change.
 * - `rotated`: its secret changes.
 * - `paused`: it is disabled and enabled, the last time for long. Then it recovers what it missed.
 * - `deleted`: it is deleted.
 * - `gone`: its receiver responds with 410 after some messages.
 * - `failing`: its receiver accepts no message.
 */
export type EndpointScenario = 'steady' | 'moved' | 'rotated' | 'paused' | 'deleted' | 'gone' | 'failing';

/** What happened to an endpoint. The times are those at which the response to the change arrived. */
export interface EndpointHistory {
  readonly id: string;
  /** `account#mode`. */
  readonly owner: string;
  /** Its paths are `/<name>/0`, `/<name>/1`, and so on. */
  readonly name: string;
  readonly scenario: EndpointScenario;
  /** The event types of all its subscriptions, oldest first. */
  readonly subscriptions: (readonly string[])[];
  readonly movedAt: Instant[];
  /** For `overlapMs` after a rotation, the replaced secret signs messages, too. */
  readonly rotations: { readonly at: Instant; readonly overlapMs: number }[];
  /** The idempotency keys of its changes. */
  readonly idempotencyKeys: string[];
  deletedAt?: Instant;
  /** The time for which it was disabled for long. */
  disabledDuring?: { readonly from: Instant; readonly to: Instant };
}

/** Converts the history to what `webhook-audit.ts` needs: which event types the endpoint wanted always, and which for some time. */
export function toAuditedEndpoint(endpoint: EndpointHistory): AuditedEndpoint {
  const { id, name, subscriptions, deletedAt } = endpoint;
  const always = eventTypes.filter((type) =>
    subscriptions.every((subscription) => isSubscribed(subscription, type)),
  );
  return {
    id,
    path: `/${name}`,
    events: deletedAt === undefined ? always : [],
    temporaryEvents: subscriptions.flat(),
  };
}

/**
 * @param all all items of the table
 * @param acceptedEvents the ids of the events for which the receiver returned a success
 */
export function endpointViolations(
  endpoint: EndpointHistory,
  all: readonly TestItem[],
  received: readonly ReceivedMessage[],
  acceptedEvents: ReadonlySet<string>,
): string[] {
  const { id, owner, name } = endpoint;
  const webhook = all.find(({ pk, sk }) => pk === `WEBHOOKS#${owner}` && sk === id);
  const deliveries = all.filter(({ pk }) => pk === `DELIVERIES#${id}`);
  const messages = received.filter(({ path }) => path.startsWith(`/${name}/`));
  const messagesByEvent = Map.groupBy(messages, (message) => message.id);
  const violations = [
    ...statusViolations(endpoint, webhook, messages.length),
    ...deliveries.flatMap((delivery) => outcomeViolations(endpoint, webhook, delivery)),
    ...deliveries.flatMap((delivery) =>
      attemptViolations(delivery, messagesByEvent.get(delivery.eventId) ?? []),
    ),
    ...deliveries
      .filter(({ status, eventId }) => status === 'succeeded' && !acceptedEvents.has(eventId))
      .map(
        ({ eventId }) => `the delivery of ${eventId} succeeded, but the receiver never accepted the event`,
      ),
    ...messages.flatMap((message) => messageViolations(endpoint, webhook, message)),
  ];
  return violations.map((violation) => `${name}: ${violation}`);
}

/** Checks the final status of the endpoint itself. */
function statusViolations(
  { scenario }: EndpointHistory,
  webhook: TestItem | undefined,
  messageCount: number,
): string[] {
  const isGone = scenario === 'gone' && messageCount > messagesBeforeGone;
  const expected = scenario === 'deleted' ? 'deleted' : isGone ? 'disabled (gone)' : 'enabled';
  const reason = webhook?.disabledReason === null ? '' : ` (${webhook?.disabledReason})`;
  const actual = webhook ? `${webhook.status}${reason}` : 'deleted';
  // The service disables an endpoint whose deliveries fail for long enough.
  if (scenario === 'failing' && actual === 'disabled (failing)') return [];
  return actual === expected ? [] : [`the endpoint is ${actual}, expected ${expected}`];
}

/** How the deliveries of an endpoint may end. */
const allowedOutcomes: Readonly<Record<EndpointScenario, readonly string[]>> = {
  steady: ['succeeded'],
  moved: ['succeeded'],
  rotated: ['succeeded'],
  paused: ['succeeded'],
  deleted: ['succeeded', 'skipped'],
  gone: ['succeeded', 'failed', 'skipped'],
  failing: ['failed', 'skipped'],
};
/** How many attempts a delivery has before it fails. */
const maxAttempts = 10;

/** Whether a delivery failed because the circuit of a slow receiver was open, so that the receiver could not accept the event. */
function isUnresponsive({ status, attempts }: TestItem): boolean {
  const made = attempts.filter(({ error }: TestItem) => error !== 'endpoint_unresponsive');
  return status === 'failed' && made.length < attempts.length && made.length <= maxRefusals;
}

function outcomeViolations(
  { scenario }: EndpointHistory,
  webhook: TestItem | undefined,
  delivery: TestItem,
): string[] {
  const { sk, status, tries, attempts } = delivery;
  if (!allowedOutcomes[scenario].includes(status) && !isUnresponsive(delivery))
    return [
      `${sk} is ${status}, expected ${allowedOutcomes[scenario].join(' or ')}: ${JSON.stringify(attempts)}`,
    ];
  if (status === 'skipped' && webhook?.status === 'enabled')
    return [`${sk} was skipped, but the endpoint is enabled`];
  if (status !== 'failed') return [];
  if (scenario === 'failing' && tries !== maxAttempts)
    return [`${sk} failed after ${tries} attempts, expected ${maxAttempts}`];
  return scenario === 'gone' && attempts.at(-1)?.status !== 410
    ? [`${sk} failed without a 410 response`]
    : [];
}

/** Checks that attempts have consecutive numbers, and that no attempt has a response without a message. */
function attemptViolations({ sk, attempts }: TestItem, messages: readonly ReceivedMessage[]): string[] {
  const [first] = attempts;
  const isConsecutive = attempts.every(
    ({ number }: TestItem, index: number) => number === first.number + index,
  );
  const violations = isConsecutive ? [] : [`${sk} has gaps in its attempt numbers`];
  const responses = attempts.filter(({ status }: TestItem) => status !== undefined).length;
  if (responses > messages.length)
    violations.push(`${sk} has ${responses} responses, but the receiver got ${messages.length} messages`);
  return violations;
}

/** A message that was in flight during a change may arrive for so long after the response to the change. */
const inFlightMs = 15 * 60_000;

/** Checks when, at which path and with which signatures a message arrived. */
function messageViolations(
  { movedAt, rotations, deletedAt, disabledDuring }: EndpointHistory,
  webhook: TestItem | undefined,
  { id, path, at, verifiedBy }: ReceivedMessage,
): string[] {
  const violations: string[] = [];
  const isLongSince = (since: Instant) => at - since > inFlightMs;
  const closedAt = webhook?.status === 'disabled' ? webhook.updatedAt : deletedAt;
  if (closedAt !== undefined && isLongSince(closedAt))
    violations.push(`${id} arrived long after the endpoint was closed`);
  if (disabledDuring && isLongSince(disabledDuring.from) && at < disabledDuring.to)
    violations.push(`${id} arrived while the endpoint was disabled`);
  const oldestPath = movedAt.filter(isLongSince).length;
  if (Number(path.split('/')[2]) < oldestPath) violations.push(`${id} arrived at an old path`);
  const currentSecret = rotations.filter((rotation) => isLongSince(rotation.at)).length;
  // webhook-audit.ts reports messages that no secret verifies.
  if (verifiedBy.length > 0 && !verifiedBy.some((secret) => secret >= currentSecret))
    violations.push(`${id} is not signed with the current secret`);
  for (const secret of verifiedBy) {
    const replacement = rotations[secret];
    if (replacement && isLongSince(replacement.at + replacement.overlapMs))
      violations.push(`${id} is signed with an expired secret`);
  }
  return violations;
}
