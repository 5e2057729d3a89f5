/** Tests endpoints whose events go to a queue, a bus or a function in AWS: what arrives there, and what is refused. About 4 s. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { attributesOfMessage, connectEventQueues, type EventQueues } from '../../support/event-queues.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { waitForDeliveries, webhookPath } from './new-webhook.ts';
import { type MailboxReceiver, startMailboxReceiver } from './receiver.ts';

let stack: Stack;
let receiver: MailboxReceiver;
let queues: EventQueues;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  receiver = await startMailboxReceiver();
  queues = connectEventQueues(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(async () => {
  queues?.close();
  await receiver?.close();
  await stack?.close();
});

const create = (fields: object, client = api) =>
  client.post('/api/webhooks', { events: ['invoice.created'], ...fields });
const toQueue = () => ({ type: 'sqs', target: stack.targets.queue.arn });

test('an event arrives once at a URL, a queue, a FIFO queue, a bus and a function: the same bytes, with its attributes', async () => {
  const { queue, fifoQueue, bus, fn, double } = stack.targets;
  const own = await newAccount(stack.baseUrl);
  const client = inNewestVersion(own.test);
  const mailbox = receiver.mailbox();
  const destinations = [
    { url: mailbox.url },
    { type: 'sqs', target: queue.arn },
    { type: 'sqs', target: fifoQueue.arn },
    { type: 'eventbridge', target: bus },
    { type: 'lambda', target: fn },
  ];
  const created = await Promise.all(destinations.map((fields) => create(fields, client)));
  expect(created.map(({ status }) => status)).toEqual(destinations.map(() => 201));
  // A filter that does not match makes no delivery to a target either.
  const filters = [{ path: 'data.currency', equals: 'INR' }];
  const { json: filtered } = await create({ ...toQueue(), filters }, client);
  const { json: invoice } = await client.post('/api/invoices', invoiceBody({ description: 'Tea 🍵 ￾' }));
  for (const { json } of created)
    await waitForDeliveries(client, json, 'a success', ([first]) => first?.status === 'succeeded');

  const [request] = mailbox.received;
  const body = request?.body.toString() ?? '';
  const event = JSON.parse(body);
  expect(event).toMatchObject({ type: 'invoice.created', data: { id: invoice.id } });
  const attributes = { type: 'invoice.created', mode: 'test', account: own.accountId, id: event.id };
  const messages = await queues.take(queue.url);
  expect(messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual([event]);
  expect(messages.map(attributesOfMessage)).toEqual([attributes]);
  const ordered = await queues.take(fifoQueue.url);
  expect(ordered.map(attributesOfMessage)).toEqual([attributes]);
  expect(ordered[0]?.Attributes).toMatchObject({
    MessageGroupId: invoice.id,
    MessageDeduplicationId: event.id,
  });
  expect(double.events.filter(({ Resources }) => Resources.includes(own.accountId))).toEqual([
    {
      Source: 'remit.local',
      DetailType: 'invoice.created',
      Detail: body,
      EventBusName: bus,
      Resources: [own.accountId],
    },
  ]);
  const payload = `${JSON.stringify(attributes).slice(0, -1)},"body":${body}}`;
  expect(double.invocations.filter(({ payload: sent }) => sent.includes(event.id))).toEqual([
    { arn: fn, payload },
  ]);
  expect(JSON.parse(payload)).toEqual({ ...attributes, body: event });
  expect((await client.get(webhookPath(filtered, '/deliveries'))).json.data).toEqual([]);
  // Without the two characters that SQS would replace, the bytes are the same.
  await client.post('/api/invoices', invoiceBody({ description: 'Tea 🍵' }));
  await waitUntil('the second event', () => mailbox.received.length === 2);
  const second = await waitUntil('its message', async () => {
    const found = await queues.take(queue.url);
    return found.length > 0 ? found : undefined;
  });
  expect(second.map(({ Body }) => Body)).toEqual([mailbox.received[1]?.body.toString()]);
});

test('an endpoint with a target shows its type and no secret, and earlier versions show the target as URL', async () => {
  const { json, status } = await create(toQueue());
  const { arn } = stack.targets.queue;
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({ type: 'sqs', target: arn, url: null, secret: null }),
  ]);
  const { secret: _, ...shown } = json;
  expect((await api.get(webhookPath(json))).json).toEqual(shown);
  const { type: __, target: ___, ...earlier } = { ...shown, url: arn };
  const first = (await account.test.get(webhookPath(json))).json;
  expect(first).toEqual(Object.fromEntries(Object.keys(first).map((name) => [name, earlier[name]])));
  expect(first).not.toHaveProperty('type');
  // A client can send back what it received.
  expect((await api.patch(webhookPath(json), shown)).json).toEqual(shown);
  expect((await account.test.patch(webhookPath(json), first)).json).toEqual(first);
  expectError(await api.post(webhookPath(json, '/rotate-secret'), {}), 400, 'webhook_without_secret');
  const moved = await api.patch(webhookPath(json), { target: stack.targets.fifoQueue.arn });
  expect(moved.json).toMatchObject({ type: 'sqs', target: stack.targets.fifoQueue.arn });
  const tested = await api.post(webhookPath(json, '/test'));
  expect(tested.json).toMatchObject({ succeeded: true, status: 200, error: null });
  const messages = await queues.take(stack.targets.fifoQueue.url);
  const arrived = messages.find((message) => attributesOfMessage(message).id === tested.json.eventId);
  expect(JSON.parse(arrived?.Body ?? '{}')).toMatchObject({ type: 'webhook.test', data: { id: json.id } });
});

const other = 'arn:aws:sqs:us-east-1:000000000000:other';
describe('a destination that is not complete, or that the service is not deployed with, is refused', () => {
  test.each<[string, () => object, string, string]>([
    ['no URL', () => ({}), 'url', 'url is required'],
    ['both', () => ({ ...toQueue(), url: 'https://example.com/x' }), 'url', 'has no url'],
    ['no target', () => ({ type: 'sqs' }), 'target', 'target is required'],
    ['a target without its type', () => ({ target: other }), 'target', 'add "type": "sqs"'],
    ['an unknown type', () => ({ type: 'sns', target: other }), 'type', 'type must be one of url, sqs'],
    [
      'another service',
      () => ({ type: 'eventbridge', target: stack.targets.queue.arn }),
      'target',
      'the ARN of an EventBridge bus',
    ],
    [
      'a target that is no ARN',
      () => ({ type: 'lambda', target: 'events' }),
      'target',
      'target must be the ARN',
    ],
    ['a number', () => ({ type: 'sqs', target: 7 }), 'target', 'target must be the ARN'],
    ['another queue', () => ({ type: 'sqs', target: other }), 'target', '--event-queue'],
  ])('%s', async (_, fields, field, text) => {
    const response = await create(fields());
    expectError(response, 400, `invalid_${field}`, field);
    expect(response.json.error.message).toContain(text);
  });

  test('the message lists the targets of the type', async () => {
    const { error } = (await create({ type: 'sqs', target: other })).json;
    const { queue, fifoQueue, bus } = stack.targets;
    expect(error.message).toContain(`Use one of: ${queue.arn}, ${fifoQueue.arn}.`);
    expect(error.message).not.toContain(bus);
  });

  test('the first version of the API has neither type nor target', async () => {
    expectError(await create(toQueue(), account.test), 400, 'unknown_parameter', 'type');
    expectError(await create({}, account.test), 400, 'invalid_url', 'url');
  });

  test('a change of the type is refused, and a change to another queue too', async () => {
    const { json: queue } = await create(toQueue());
    const { json: url } = await create({ url: receiver.mailbox().url });
    for (const [endpoint, change, code, field] of [
      [queue, { url: 'https://example.com/x' }, 'invalid_url', 'url'],
      [queue, { target: null }, 'invalid_target', 'target'],
      [queue, { target: other }, 'invalid_target', 'target'],
      [queue, { type: 'lambda', target: stack.targets.fn }, 'immutable_field', 'type'],
      [url, { target: stack.targets.queue.arn }, 'invalid_target', 'target'],
      [url, { url: null }, 'invalid_url', 'url'],
    ] as const)
      expectError(await api.patch(webhookPath(endpoint), change), 400, code, field);
  });

  test('a sandbox sends to URLs only', async () => {
    const { requireKnownTarget } = await import('../../../shared/domain/webhooks/destination.ts');
    const sandbox = { account: `acct_u${'0'.repeat(15)}`, mode: 'test' } as const;
    expect(() => requireKnownTarget('sqs', stack.targets.queue.arn, sandbox)).toThrow(/sandbox/);
  });
});

test('what AWS refuses is an attempt with its cause, and a target of an earlier deployment gets nothing', async () => {
  const { bus, fn, double } = stack.targets;
  const attempt = async (fields: object) => {
    const { json } = await create(fields);
    const { succeeded, error, cause, status } = (await api.post(webhookPath(json, '/test'))).json;
    await api.delete(webhookPath(json));
    return { succeeded, error, cause, status };
  };
  const failed = (error: string, cause: string | null) => ({ succeeded: false, error, cause, status: null });
  const toBus = { type: 'eventbridge', target: bus };
  const toFunction = { type: 'lambda', target: fn };
  for (const [arn, fields, code, error] of [
    [bus, toBus, 'ThrottlingException', 'target_throttled'],
    [bus, toBus, 'NotAuthorizedForSourceException', 'target_access_denied'],
    [bus, toBus, 'InternalFailure', 'target_failed'],
    [fn, toFunction, 'ResourceNotFoundException', 'target_not_found'],
    [fn, toFunction, 'AccessDeniedException', 'target_access_denied'],
    [fn, toFunction, 'KMSAccessDeniedException', 'target_key_denied'],
    [fn, toFunction, 'TooManyRequestsException', 'target_throttled'],
    [fn, toFunction, 'ServiceException', 'target_failed'],
  ] as const) {
    double.refusals.set(arn, code);
    expect([code, await attempt(fields)]).toEqual([code, failed(error, code)]);
    double.refusals.delete(arn);
  }
  expect(await attempt(toFunction)).toEqual({ succeeded: true, error: null, cause: null, status: 202 });
  double.faults.inject({ fault: { kind: 'lose', when: 'before' } });
  expect(await attempt(toBus)).toEqual(failed('timeout', null));
  const { json } = await create(toQueue());
  const { EVENT_TARGETS = '' } = process.env;
  process.env.EVENT_TARGETS = bus;
  const tested = await api.post(webhookPath(json, '/test'));
  process.env.EVENT_TARGETS = EVENT_TARGETS;
  expect(tested.json).toMatchObject(failed('target_not_allowed', null));
});

test('an event of more than 255 KiB is sent by reference', async () => {
  const { json } = await create(toQueue());
  const { sendEvent } = await import('../../../shared/domain/webhooks/send-event.ts');
  const { readWebhook } = await import('../../../shared/domain/webhooks/webhook-store.ts');
  const { record } = await readWebhook({ account: account.accountId, mode: 'test' }, json.id);
  if (!record) throw new Error('There is no endpoint.');
  const id = `evt_${'0'.repeat(26)}`;
  const event = { id, type: 'invoice.updated', mode: 'test', objectVersion: 2 };
  const bodyOf = (bytes: number) =>
    JSON.stringify({ ...event, data: { id: 'inv_1', description: 'x'.repeat(bytes) }, previous: {} });
  await queues.take(stack.targets.queue.url);
  for (const bytes of [200_000, 262_000])
    expect(await sendEvent(record, { id, body: bodyOf(bytes) })).toMatchObject({ status: 200 });
  const bodies = (await queues.take(stack.targets.queue.url)).map(({ Body = '' }) => JSON.parse(Body));
  expect(bodies[0]).toMatchObject({ data: { description: 'x'.repeat(200_000) } });
  expect(bodies[1]).toEqual({
    ...event,
    apiVersion: '2026-11-23',
    data: { id: 'inv_1' },
    reference: `/api/events/${id}`,
  });
});
