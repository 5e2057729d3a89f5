/**
 * The rival of the dispatcher: the straightforward one, which takes one message at a time, reads each thing that it needs,
 * posts with `fetch` and updates the delivery. It has no watchdog, no breaker and no bounds but a time-out.
 */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook } from 'standardwebhooks';
import { type Key, keys } from '../shared/store/keys.ts';
import { referenceOf } from '../shared/webhooks/delivery-timer.ts';

/** Handles the body of a message of the webhook queue. */
export async function dispatchPlainly(message: string): Promise<void> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const { decrypt } = await import('../shared/secrets/encryption.ts');
  const TableName = process.env.TABLE_NAME;
  const read = async ({ pk, sk }: Key) =>
    (await dynamodb.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item;
  const { webhookId, id, position, ...owner } = referenceOf(JSON.parse(message));
  const Key = { ...keys.delivery(webhookId, id) };

  const delivery = await read(keys.delivery(webhookId, id));
  if (delivery?.status !== 'pending') return;
  const webhook = await read(keys.webhook(owner, webhookId));
  const event = await read(keys.event(owner, position));
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
