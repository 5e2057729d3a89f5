/**
 * The baseline of the dispatcher benchmark: a straightforward dispatcher. It processes one message at a time, reads
 * each item separately, posts with `fetch`, and updates the delivery. It has no watchdog timer, no circuit breaker and no
 * limits except a timeout.
 */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook } from 'standardwebhooks';
import { deliveryReferenceOf } from '../shared/domain/webhooks/delivery-timer.ts';
import { type Key, tableKeys } from '../shared/store/keys.ts';

/** Processes the body of a message of the webhook queue. */
export async function dispatchPlainly(message: string): Promise<void> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const { decrypt } = await import('../shared/platform/secrets/encryption.ts');
  const TableName = process.env.TABLE_NAME;
  const read = async ({ pk, sk }: Key) =>
    (await dynamodb.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item;
  const reference = deliveryReferenceOf(JSON.parse(message));
  if (!reference) throw new Error('The message names no delivery.');
  const { webhookId, id, position, ...owner } = reference;
  const Key = { ...tableKeys.delivery(webhookId, id) };

  const delivery = await read(tableKeys.delivery(webhookId, id));
  if (delivery?.status !== 'pending') return;
  const webhook = await read(tableKeys.webhook(owner, webhookId));
  const event = await read(tableKeys.event(owner, position));
  if (webhook?.status !== 'enabled' || !event) return;

  const secret = await decrypt(webhook.secrets[0].ciphertext, webhookId);
  const at = new Date();
  const response = await fetch(webhook.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(event.id, at, event.body),
    },
    body: event.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  });
  const attempt = {
    at: at.getTime(),
    status: response.status,
    answer: (await response.text()).slice(0, 1024),
  };
  await dynamodb.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET #status = :status, attempts = list_append(attempts, :attempts)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': response.ok ? 'succeeded' : 'pending', ':attempts': [attempt] },
    }),
  );
}
