/**
 * Stores sessions. Each session has two items: one under its hash, which every request reads, and one in its user's
 * partition, which names the session, so that all sessions of a user can be listed and ended.
 *
 * - Both items are written and deleted in one transaction, so ending all sessions misses none.
 * - DynamoDB deletes expired items late, so a session counts only until its `endsAt`.
 * - A request stores its time only if the stored one is five minutes old. All else in a session never changes, and is signed.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { logger } from '../../base/log.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { defineItem, flag, instant, parseOrError, text } from '../../store/stored-fields.ts';
import { writeTransaction } from '../../store/transactions.ts';
import {
  hashSessionId,
  type Identity,
  isOpen,
  isUseDue,
  randomSessionId,
  type Session,
  sessionMs,
  userIdOf,
} from './session.ts';
import { signInActions } from './sign-in-entries.ts';
import { isSigned, signItem } from './signed-item.ts';

/** How many sessions of a user are read at the same time. */
const readsAtOnce = 10;

/**
 * Starts a session with a new id, and ends the session that it replaces. The audit logs of the user's accounts record it.
 * @param replaced the session that the browser had before, if any
 * @returns the session's id, which only the browser's cookie keeps
 */
export async function startSession(
  identity: Identity,
  details: {
    readonly authenticatedAt: Instant;
    readonly browser: string;
    readonly now: Instant;
    /** The id of the request that signs the user in. Undefined: the audit log does not record it. */
    readonly requestId?: string | undefined;
    /** The browser has no cookie of an earlier sign-in of the user. Default: it has one. */
    readonly isNewBrowser?: boolean;
  },
  replaced: Session | undefined,
): Promise<string> {
  const { authenticatedAt, browser, now, requestId, isNewBrowser = false } = details;
  const id = randomSessionId();
  const session: Session = {
    ...identity,
    user: userIdOf(identity),
    hash: hashSessionId(id),
    startedAt: now,
    endsAt: now + sessionMs,
    authenticatedAt: Math.min(authenticatedAt, now),
    usedAt: now,
    browser,
  };
  const expiresAt = toSeconds(session.endsAt);
  const [key, userKey] = keysOf(session);
  const items = [await signItem({ ...key, ...session, expiresAt }), { ...userKey, expiresAt }];
  const action = replaced?.user === session.user ? 'user.step_up' : 'user.sign_in';
  const recorded =
    requestId === undefined
      ? []
      : await signInActions(session.user, browser, { action, requestId, isNewBrowser }, now);
  await writeTransaction([
    ...recorded,
    ...items.map((Item) => ({ Put: { TableName: env.tableName(), Item } })),
    ...(replaced ? deletionsOf(replaced) : []),
  ]);
  return id;
}

/**
 * Reads the session with this id, strongly consistent, and stores that it is in use.
 * @returns undefined if it has ended or never existed
 */
export async function useSession(id: string, now: Instant): Promise<Session | undefined> {
  const session = await readSession(hashSessionId(id), now);
  if (!session || !isUseDue(session, now)) return session;
  return (await storeUse(session, now)) ? { ...session, usedAt: now } : undefined;
}

/**
 * Reads the session with this hash, strongly consistent. Returns undefined if it has ended, never existed, or is not as the function
 * of the sign-in has stored it.
 */
async function readSession(hash: string, now: Instant): Promise<Session | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.session(hash), ConsistentRead: true }),
  );
  if (!item) return undefined;
  const [session] = leaveOutMalformed([parseOrError(item, toSession)]);
  if (!session || !isOpen(session, now)) return undefined;
  if (await isSigned(item)) return session;
  logger.error('a session without a valid signature was refused', { hash });
  return undefined;
}

/** Returns false if another request has ended the session meanwhile. */
async function storeUse({ hash }: Session, now: Instant): Promise<boolean> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.session(hash),
        UpdateExpression: 'SET usedAt = :now',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': now },
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
}

/** Reads the sessions of a user that have not ended, newest first. */
export async function listSessions(user: string, now: Instant): Promise<Session[]> {
  const limited = limitConcurrency(readsAtOnce);
  const hashes = await listHashes(user);
  const sessions = await Promise.all(hashes.map((hash) => limited(() => readSession(hash, now))));
  return sessions
    .filter((session) => session !== undefined)
    .filter((session) => session.user === user)
    .sort((one, other) => other.startedAt - one.startedAt);
}

async function listHashes(user: string): Promise<string[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.userSession(user, '').pk },
  });
  return items.map(({ sk }) => String(sk));
}

/** Ends a session. The next request with it is refused. */
export async function endSession(session: Pick<Session, 'user' | 'hash'>): Promise<void> {
  await writeTransaction(deletionsOf(session));
}

/** Ends the session with this hash. Another user's session, and one that has ended, stays as it is. */
export async function endSessionOf(user: string, hash: string): Promise<void> {
  if ((await listHashes(user)).includes(hash)) await endSession({ user, hash });
}

/** Ends all sessions that a user had when the call began. */
export async function endAllSessions(user: string): Promise<void> {
  const limited = limitConcurrency(readsAtOnce);
  const hashes = await listHashes(user);
  await Promise.all(hashes.map((hash) => limited(() => endSession({ user, hash }))));
}

const keysOf = ({ user, hash }: Pick<Session, 'user' | 'hash'>) =>
  [tableKeys.session(hash), tableKeys.userSession(user, hash)] as const;

const deletionsOf = (session: Pick<Session, 'user' | 'hash'>) =>
  keysOf(session).map((Key) => ({ Delete: { TableName: env.tableName(), Key } }));

const parseSession = defineItem<Session>(({ pk }) => String(pk), {
  issuer: text,
  subject: text,
  email: text,
  isEmailVerified: flag,
  user: text,
  hash: text,
  startedAt: instant,
  endsAt: instant,
  authenticatedAt: instant,
  usedAt: instant,
  browser: text,
});

function toSession(item: Item): Session {
  const { pk: _, sk: __, expiresAt: ___, signature: ____, ...session } = parseSession(item) as Session & Item;
  return session;
}
