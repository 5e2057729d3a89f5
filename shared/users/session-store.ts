/**
 * Stores sessions. Each session has two items: one under its hash, which every request reads, and one in its user's
 * partition, so that all sessions of a user can be listed and ended.
 *
 * - Both items are written and deleted in one transaction, so ending all sessions misses none.
 * - DynamoDB deletes expired items late, so a session counts only until its `endsAt`.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import { queryAll } from '../store/query-pages.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';
import {
  hashSessionId,
  type Identity,
  randomSessionId,
  type Session,
  sessionMs,
  userIdOf,
} from './session.ts';

/**
 * Starts a session with a new id, and ends the session that it replaces.
 * @param replaced the session that the browser had before, if any
 * @returns the session's id, which only the browser's cookie keeps
 */
export async function startSession(
  identity: Identity,
  details: { readonly authenticatedAt: Instant; readonly browser: string; readonly now: Instant },
  replaced: Session | undefined,
): Promise<string> {
  const { authenticatedAt, browser, now } = details;
  const id = randomSessionId();
  const session: Session = {
    ...identity,
    user: userIdOf(identity),
    hash: hashSessionId(id),
    startedAt: now,
    endsAt: now + sessionMs,
    authenticatedAt: Math.min(authenticatedAt, now),
    browser,
  };
  await writeTransaction([
    ...keysOf(session).map((key) => ({ Put: { TableName: env.tableName(), Item: toItem(session, key) } })),
    ...(replaced ? deletionsOf(replaced) : []),
  ]);
  return id;
}

/** Reads the session with this id, strongly consistent. Returns undefined if it has ended or never existed. */
export async function readSession(id: string, now: Instant): Promise<Session | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.session(hashSessionId(id)),
      ConsistentRead: true,
    }),
  );
  const session = item && toSession(item);
  return session && session.endsAt > now ? session : undefined;
}

/** Reads the sessions of a user that have not ended, newest first. */
export async function listSessions(user: string, now: Instant): Promise<Session[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.userSession(user, '').pk },
  });
  return items
    .map(toSession)
    .filter(({ endsAt }) => endsAt > now)
    .sort((one, other) => other.startedAt - one.startedAt);
}

/** Ends a session. The next request with it is refused. */
export async function endSession(session: Pick<Session, 'user' | 'hash'>): Promise<void> {
  await writeTransaction(deletionsOf(session));
}

/** Ends all sessions that a user had when the call began. */
export async function endAllSessions(user: string, now: Instant): Promise<void> {
  await Promise.all((await listSessions(user, now)).map(endSession));
}

const keysOf = ({ user, hash }: Pick<Session, 'user' | 'hash'>) => [
  tableKeys.session(hash),
  tableKeys.userSession(user, hash),
];

const deletionsOf = (session: Pick<Session, 'user' | 'hash'>) =>
  keysOf(session).map((Key) => ({ Delete: { TableName: env.tableName(), Key } }));

function toItem(session: Session, key: object): Item {
  return { ...key, ...session, expiresAt: toSeconds(session.endsAt) };
}

function toSession({ pk: _, sk: __, expiresAt: ___, ...session }: Item): Session {
  return session as unknown as Session;
}
