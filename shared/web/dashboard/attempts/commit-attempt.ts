/**
 * Commits what a form of the dashboard asks for.
 *
 * - Each form that a page shows is one attempt with a random id, which serves as its idempotency key. Sending the form
 *   twice has one effect, also at the same time.
 * - The reads, the attempt's idempotency record and the sequence number are requested together, so an action takes as
 *   many calls in sequence as the API's request. A repeated attempt leaves a gap in the numbers, which does no harm.
 */

import { hashOfIdempotencyKey, toRequestKey } from '../../../api/http/request-key.ts';
import type { AuditOrigin } from '../../../base/audit-origin.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { canonicalJson } from '../../../base/strict-json.ts';
import { readCurrentPageSettings } from '../../../domain/accounts/account-store.ts';
import type { PageSettings } from '../../../domain/accounts/page-settings.ts';
import { awaitNumber } from '../../../domain/documents/await-number.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import type { Principal } from '../../../store/account-state.ts';
import { type Command, type Committed, RecordedChange } from '../../../store/commit/command.ts';
import { commit, replay } from '../../../store/commit/commit.ts';
import { type RequestKey, readIdempotency, type Sealing } from '../../../store/commit/idempotency-records.ts';
import type { CommitContext } from '../../../store/commit/write-decision.ts';
import { allocateSequenceNumberIfOpen } from '../../../store/sequence-numbers.ts';

/** A form that was sent. */
export interface Attempt {
  readonly owner: Owner;
  /** The user who sent the form, and the action. */
  readonly origin: AuditOrigin;
  /** The id that the form carries. */
  readonly id: string;
  /** The id of what the action changes. Together with the action and `content`, identifies a repetition. */
  readonly target: string;
  /** The values that the form sent. */
  readonly content: unknown;
  /** Set if the answer contains a secret, so it is stored encrypted. */
  readonly sealing?: Sealing;
  readonly clock: Clock;
}

/** The answer of an attempt. */
export interface AttemptResult<Answer> {
  readonly answer: Answer;
}

/** Thrown if the account accepts no changes now. */
export class AttemptRefused extends Error {
  readonly reason: 'closed' | 'maintenance';

  constructor(reason: 'closed' | 'maintenance') {
    super(`The account accepts no changes: ${reason}.`);
    this.reason = reason;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the caller's function is the only one that knows the records
type AnyCommand<Answer> = Command<any, Answer> | RecordedChange<Answer>;

/**
 * Commits the command of an attempt, or returns the answer of the same attempt.
 * @param read starts the reads that the command needs
 * @param toCommand makes the command from them. It also gets the attempt's idempotency key.
 * @throws ApiError the errors of the command, or `idempotency_key_reused`
 * @throws AttemptRefused if the account is closed or in maintenance
 */
export async function commitAttempt<Loaded, Answer>(
  attempt: Attempt,
  read: () => Promise<Loaded>,
  toCommand: (loaded: Loaded, key: RequestKey) => Promise<AnyCommand<Answer>> | AnyCommand<Answer>,
): Promise<AttemptResult<Answer>> {
  const { account } = attempt.owner;
  return commitOnce(
    attempt,
    Promise.all([read(), readCurrentPageSettings(account)]),
    ([loaded, settings], key) => {
      requireOpen(settings);
      return toCommand(loaded, key);
    },
  );
}

/**
 * Does the same for a command that creates a record, with the next sequence number of `resource`. Waits up to a second for the number
 * of a new invoice, so that its page shows the number.
 * @throws ApiError and AttemptRefused as `commitAttempt`
 */
export async function commitCreation<Loaded, Answer extends { readonly id: string }>(
  attempt: Attempt,
  resource: Resource,
  read: () => Promise<Loaded>,
  toCommand: (principal: Principal, loaded: Loaded) => Promise<AnyCommand<Answer>> | AnyCommand<Answer>,
): Promise<AttemptResult<Answer>> {
  const { owner } = attempt;
  const seller = resource === 'invoice' ? readSellerSummary(owner) : undefined;
  const reading = Promise.all([read(), allocateSequenceNumberIfOpen(owner, resource), seller]);
  const result = await commitOnce(attempt, reading, async ([loaded, principal, summary]) => {
    if (principal) return toCommand({ ...principal, seller: summary }, loaded);
    requireOpen(await readCurrentPageSettings(owner.account));
    throw new Error(
      `The account ${owner.account} changed while a number was allocated. Send the form again.`,
    );
  });
  await awaitNumber({ seller: await seller }, result.answer.id);
  return result;
}

async function commitOnce<Loaded, Answer>(
  attempt: Attempt,
  reading: Promise<Loaded>,
  toCommand: (loaded: Loaded, key: RequestKey) => Promise<AnyCommand<Answer>> | AnyCommand<Answer>,
): Promise<AttemptResult<Answer>> {
  const { owner, origin, clock } = attempt;
  const key = await keyOfAttempt(attempt);
  const [stored, loaded] = await Promise.all([readIdempotency(owner, key.keyHash, clock.real), reading]);
  if (stored) return { answer: (await replay<[], Answer>(stored, key)).answer };
  const { answer } = await make(await toCommand(loaded, key), { clock, key, origin });
  return { answer };
}

async function make<Answer>(change: AnyCommand<Answer>, context: CommitContext): Promise<Committed<Answer>> {
  if (change instanceof RecordedChange) return change.make();
  try {
    return await commit<[], Answer>(change, context);
  } finally {
    await change.meanwhile;
  }
}

/** @throws AttemptRefused */
function requireOpen({ closed, isInMaintenance }: Pick<PageSettings, 'closed' | 'isInMaintenance'>): void {
  if (closed) throw new AttemptRefused('closed');
  if (isInMaintenance) throw new AttemptRefused('maintenance');
}

/** The attempt as an idempotency key. A client's key has no control characters, so it is never equal to an attempt's. */
function keyOfAttempt({ owner, origin, id, target, content, sealing }: Attempt): Promise<RequestKey> {
  const keyHash = hashOfIdempotencyKey(`dashboard\0${origin.actor.id}\0${id}`);
  const key = { owner, keyHash, status: 200, sealing };
  return toRequestKey(key, canonicalJson(['dashboard', origin.action, target, content]));
}
