/**
 * Tests that only the responses to creation and rotation contain a webhook's secret. No item, log line, queue message
 * or other response contains it.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { newAccount } from '../../support/api.ts';
import { interceptCalls, loseResponse } from '../../support/intercept-calls.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  readDeliveries,
  relaySampleEvents,
  underKey,
  unknownWebhookId,
  waitForDeliveries,
  webhookBody,
  webhookPath,
} from './new-webhook.ts';
import { type MailboxReceiver, startMailboxReceiver, verify } from './receiver.ts';

let stack: Stack;
let receiver: MailboxReceiver;
const written: string[] = [];
const messages: string[] = [];
const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
let stopCollecting = () => {};

beforeAll(async () => {
  // All levels are logged. The output is collected instead of printed.
  process.env.POWERTOOLS_LOG_LEVEL = 'TRACE';
  for (const { stream } of streams) {
    stream.write = ((chunk: string | Uint8Array) => written.push(String(chunk)) > 0) as typeof stream.write;
  }
  stack = await startTestStack();
  receiver = await startMailboxReceiver();
  const { queueClient } = await import('../../../shared/store/queue-client.ts');
  const { send } = queueClient;
  queueClient.send = ((command: Parameters<typeof send>[0]) => {
    messages.push(JSON.stringify(command.input));
    return (send as (command: object) => unknown).call(queueClient, command);
  }) as typeof send;
  stopCollecting = () => Object.assign(queueClient, { send });
});
afterAll(async () => {
  for (const { stream, write } of streams) stream.write = write;
  stopCollecting();
  await stack.close();
  await receiver.close();
});

/** Returns the encodings in which a secret could appear, each without its first and last characters. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const encodings = (['base64', 'base64url', 'hex', 'latin1'] as const).map((each) => bytes.toString(each));
  const again = [secret, secret.slice('whsec_'.length)].map((text) => Buffer.from(text).toString('base64'));
  return [...encodings, ...again, JSON.stringify([...bytes]).slice(1, -1)].map((text) => text.slice(2, -4));
}

const findSecrets = (secrets: readonly string[]) => {
  const parts = secrets.flatMap(encodingsOf);
  return (text: string) => parts.filter((part) => text.includes(part));
};

/** Serializes an item with bytes in base64, as DynamoDB does. */
const textOf = (item: object) =>
  JSON.stringify(item, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );

test('no item, log line, message or other response contains the secret, after any operation', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const mailbox = receiver.mailbox();
  const secrets: string[] = [];
  const responses: string[] = [];
  const keep = ({ text }: { text: string }) => responses.push(text);

  const create = (options = {}) => api.post('/api/webhooks', webhookBody({ url: mailbox.url }), options);
  const created = await create(underKey('create'));
  const webhook = created.json;
  secrets.push(webhook.secret, (await create()).json.secret);
  const again = await create(underKey('create'));
  expect([again.text, again.status, isReplay(again)]).toEqual([created.text, 201, true]);
  const rotate = (key: string) => api.post(webhookPath(webhook, '/rotate-secret'), {}, underKey(key));
  const rotated = await rotate('rotate');
  secrets.push(rotated.json.secret);
  const repeated = await rotate('rotate');
  expect([repeated.text, repeated.status, isReplay(repeated)]).toEqual([rotated.text, 200, true]);
  expect(new Set(secrets).size).toBe(3);

  keep(await create({ headers: { 'Idempotency-Key': 'create', 'Content-Type': 'text/plain' } }));
  keep(await api.post('/api/webhooks', webhookBody({ description: 'x' }), underKey('create')));
  keep(await api.post(webhookPath({ id: unknownWebhookId }, '/rotate-secret'), {}, underKey('unknown')));
  keep(await api.patch(webhookPath(webhook), { secret: webhook.secret.slice(0, 8) }));
  keep(await api.patch(webhookPath(webhook), { description: 'Shop' }, underKey('update')));
  keep(await api.patch(webhookPath(webhook), { description: 'Shop' }, underKey('no change')));
  keep(await api.get(webhookPath(webhook)));
  keep(await api.get('/api/webhooks'));
  keep(await api.post(webhookPath(webhook, '/test'), undefined, underKey('test')));
  const [received] = mailbox.received;
  for (const secret of [webhook.secret, rotated.json.secret])
    expect(verify(secret, received as NonNullable<typeof received>)).toBeDefined();

  // Deliveries that fail, are redelivered, skipped and recovered.
  mailbox.respondWith(500);
  await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await waitForDeliveries(api, webhook, 'an attempt', ([one]) => one?.attempts.length > 0);
  keep(
    await api.post(
      webhookPath(webhook, `/deliveries/${delivery.id}/redeliver`),
      undefined,
      underKey('again'),
    ),
  );
  mailbox.respondWith(200);
  await api.patch(webhookPath(webhook), { status: 'disabled' });
  await relaySampleEvents(ownerOf(account), ['invoice.created']);
  keep(await api.patch(webhookPath(webhook), { status: 'enabled' }));
  keep(await api.post(webhookPath(webhook, '/recover'), { since: '2026-01-01T00:00:00Z' }));
  await waitForDeliveries(api, webhook, 'all have succeeded', (all) =>
    all.every(({ status }) => status === 'succeeded'),
  );
  keep({ text: JSON.stringify(await readDeliveries(api, webhook)) });
  keep(await api.get('/api/events'));

  // A server error: the response to every write of an endpoint is lost.
  const faults = interceptCalls((call, send) =>
    call.body.includes('"WEBHOOKS#') ? loseResponse(call, send) : send(),
  );
  const failed = await rotate('fails').finally(() => faults.remove());
  keep({ text: failed.status === 500 ? failed.text : '' });
  const settled = await rotate('fails');
  expect(settled.status).toBe(200);
  secrets.push(settled.json.secret);

  const other = await newWebhook(api);
  secrets.push(other.secret);
  keep(await api.delete(webhookPath(other), underKey('delete')));
  await waitUntil('no work is left', async () => (await tableOf(stack).all('OUTBOX#')).length === 0);

  const found = findSecrets(secrets);
  expect(found(created.text)).not.toEqual([]);
  const items = await tableOf(stack).all('');
  expect(items.filter(({ pk }) => pk.startsWith('IDEMPOTENCY#')).length).toBeGreaterThanOrEqual(7);
  expect(items.filter((item) => found(textOf(item)).length > 0)).toEqual([]);
  const stored = await tableOf(stack).get(tableKeys.webhook(ownerOf(account), webhook.id));
  expect(stored?.secrets.length).toBeGreaterThanOrEqual(3);
  expect(written.filter((line) => line.includes('POST /api/webhooks')).length).toBeGreaterThan(10);
  expect(written.filter((line) => found(line).length > 0)).toEqual([]);
  expect(messages.length).toBeGreaterThanOrEqual(3);
  expect(messages.filter((message) => found(message).length > 0)).toEqual([]);
  expect(responses.length).toBeGreaterThan(12);
  expect(responses.filter((text) => found(text).length > 0)).toEqual([]);
  expect(
    mailbox.received.filter(({ body, headers }) => found(body + JSON.stringify(headers)).length > 0),
  ).toEqual([]);
});

test('a stored response is bound to its idempotency key: copied to another key it is not returned', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const body = webhookBody();
  await api.post('/api/webhooks', body, underKey('one'));
  await api.post('/api/webhooks', body, underKey('two'));
  const table = tableOf(stack);
  const [one, two] = (await table.all(`IDEMPOTENCY#${account.accountId}`)) as [object, { body: string }];
  await table.put({ ...one, body: two.body });
  const statuses = [];
  for (const key of ['one', 'two'])
    statuses.push((await api.post('/api/webhooks', body, underKey(key))).status);
  expect(statuses.sort()).toEqual([201, 500]);
});
