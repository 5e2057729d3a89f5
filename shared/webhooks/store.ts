/** Webhook endpoints in the table: how they are read, listed, created, changed and deleted. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { type Owner, randomWebhookId } from '../ids.ts';
import { pageOf } from '../pagination.ts';
import { encrypt } from '../secrets/encryption.ts';
import { dynamodb } from '../store/client.ts';
import { keys } from '../store/keys.ts';
import { fromItem, type Item, type Reading, readRecord } from '../store/records.ts';
import { Transition } from '../store/transition.ts';
import { type Instant, toTimestamp } from '../time.ts';
import { forgetFailures } from './health-store.ts';
import { policyOf } from './policy.ts';
import { type Registry, registryId, registryType, webhookType } from './record.ts';
import { newSecret } from './signature.ts';
import { resolvedFault, targetFault } from './target.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './transitions.ts';
import { type CreateWebhook, showWebhook, type UpdateWebhook, type Webhook } from './webhook.ts';

/** Reads one endpoint. */
export function readWebhook(owner: Owner, id: string): Promise<Reading<Webhook>> {
  return readRecord(webhookType, owner, id);
}

/** The endpoint that was read. Throws `webhook_not_found`. */
export function foundWebhook({ record }: Pick<Reading<Webhook>, 'record'>): Webhook {
  if (!record) throw new ApiError('webhook_not_found');
  return record;
}

/** Reads how many endpoints there are. */
export function readRegistry(owner: Owner): Promise<Reading<Registry>> {
  return readRecord(registryType, owner, registryId);
}

/** All endpoints of an owner, newest first, strongly consistent. */
export async function readWebhooks(owner: Owner): Promise<Webhook[]> {
  const found: Webhook[] = [];
  let start: Item | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': keys.webhook(owner, '').pk, ':prefix': 'wh_' },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    found.push(...items.flatMap((item) => fromItem(webhookType, owner, item) ?? []));
    start = last;
  } while (start);
  return found.sort((a, b) => b.number - a.number);
}

/** A page of the list, with its exact total. There are so few of them that all are read. */
export function pageOfWebhooks(
  all: readonly Webhook[],
  { limit, offset }: { limit: number; offset: number },
) {
  const rows = all.slice(offset, offset + limit);
  return {
    data: rows.map(showWebhook),
    pagination: pageOf({ total: all.length, limit, offset, count: rows.length }),
  };
}

/** What a request says that names a target, and the host of this service that it came to. */
interface Asked<Body> {
  readonly body: Body;
  readonly host: string | undefined;
  readonly now: Instant;
}

/** The transition that creates an endpoint; the answer shows its secret this once. */
export async function newWebhook(
  owner: Owner,
  registry: Reading<Registry>,
  { body, host, now }: Asked<CreateWebhook>,
): Promise<Transition<[Registry, Webhook]>> {
  await requireTarget(body.url, owner, host);
  const id = randomWebhookId();
  const secret = newSecret();
  const sealed = { ciphertext: await encrypt(secret, id) };
  const reading = { type: webhookType, owner, id, record: undefined };
  return new Transition([registry, reading], (counted) => {
    const changes = createWebhook({ ...owner, id }, counted, body, sealed, now);
    return { changes, answer: { ...showWebhook(changes[1].record), secret } };
  });
}

/** The transition that sets what the body names. */
export async function changedWebhook(
  reading: Reading<Webhook>,
  { body, host, now }: Asked<UpdateWebhook>,
): Promise<Transition<[Webhook]>> {
  if (body.url !== undefined && body.url !== reading.record?.url)
    await requireTarget(body.url, reading.owner, host);
  if (body.status === 'enabled' && reading.record?.status === 'disabled') await forgetFailures(reading.id);
  return new Transition<[Webhook]>([reading], (record) => {
    const webhook = foundWebhook({ record });
    const change = updateWebhook(webhook, body, now);
    return { changes: [change], answer: showWebhook(change?.record ?? webhook) };
  });
}

/** The transition that deletes an endpoint. */
export function deletedWebhook(
  registry: Reading<Registry>,
  webhook: Reading<Webhook>,
  now: Instant,
): Transition<[Registry, Webhook]> {
  return new Transition<[Registry, Webhook]>([registry, webhook], (counted, record) => {
    const found = foundWebhook({ record });
    return { changes: deleteWebhook(counted, found), answer: { id: found.id, deletedAt: toTimestamp(now) } };
  });
}

/** The transition that replaces an endpoint's secret; the answer shows the new one this once. */
export async function rotatedSecret(
  reading: Reading<Webhook>,
  overlapMs: number,
  now: Instant,
): Promise<Transition<[Webhook]>> {
  const secret = newSecret();
  const sealed = { ciphertext: await encrypt(secret, reading.id) };
  return new Transition<[Webhook]>([reading], (record) => {
    const change = rotateSecret(foundWebhook({ record }), sealed, now + overlapMs, now);
    return { changes: [change], answer: { ...showWebhook(change.record), secret } };
  });
}

/** Throws `invalid_url` if that address may not be called. */
async function requireTarget(url: string, { mode }: Owner, host: string | undefined): Promise<void> {
  const policy = policyOf(mode, host);
  const message = targetFault(url, policy) ?? (await resolvedFault(url, policy));
  if (message !== undefined) throw new ApiError('invalid_url', { field: 'url', message });
}
