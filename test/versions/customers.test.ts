/**
 * Tests what the relay of the last release does with the changes of customers, which it does not know, during a rollout:
 * nothing. It keeps their outbox items, and relays all others. This version's sweep relays them.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { Stack } from '../../infra/local/stack.ts';
import { toLambdaRecord } from '../../infra/local/stream-record.ts';
import { triggers } from '../../infra/triggers.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { injectFault, interceptCalls } from '../support/intercept-calls.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { hasLastRelease, openLastFunctions } from './last-release.ts';

const canRun = await hasLastRelease();
const minuteMs = 60_000;
let stack: Stack;
let table: TestTable;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
});
afterAll(async () => {
  setClock();
  await stack.close();
});

function streamEventOf(items: readonly TestItem[]): DynamoDBStreamEvent {
  const records = items.map((item, index) => {
    const NewImage = marshall(item);
    const Keys = marshall({ pk: item.pk, sk: item.sk });
    const dynamodb = { Keys, NewImage, SequenceNumber: String(index + 1) };
    return toLambdaRecord({ eventID: String(index), eventName: 'INSERT', dynamodb }, 'arn', 'us-east-1');
  });
  return { Records: records };
}

(canRun ? test : test.skip)(
  'the last release keeps the outbox item of a customer, and this version relays it',
  async () => {
    const run = await openLastFunctions();
    const { test: api, accountId: account } = await newAccount(stack.baseUrl);
    const newest = inNewestVersion(api);

    // The request that creates the customer ends before its index entry exists.
    const interception = interceptCalls(
      injectFault(
        ({ operation, body }) => operation === 'UpdateItem' && body.includes('#customer'),
        async () => {
          throw new Error('The function ends here.');
        },
      ),
    );
    const created = await newest.post('/api/customers', { name: 'Pema' });
    interception.remove();
    expect(created.status).toBe(500);
    const [customer] = await table.all('OUTBOX#');
    const invoice = (await api.post('/api/invoices', invoiceBody())).json;
    const items = await table.all('OUTBOX#');
    expect(items).toHaveLength(2);

    const inOrder = [customer, ...items.filter(({ sk }) => sk !== customer?.sk)] as TestItem[];
    const failed = await run(triggers.publishOutbox.handler, streamEventOf(inOrder));
    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    // The item behind that of the customer is relayed.
    expect(await table.all('OUTBOX#')).toEqual([customer]);
    expect((await api.get('/api/events')).json.data).toMatchObject([{ data: { id: invoice.id } }]);

    const start = Date.now();
    setClock(() => start + 2 * minuteMs);
    await run(triggers.sweep.handler, {}).catch(() => {});
    expect(await table.all('OUTBOX#')).toMatchObject([{ sk: customer?.sk, elements: customer?.elements }]);

    // A sweep that fails claims the item for 15 minutes at most.
    setClock(() => start + 20 * minuteMs);
    const { relayStale } = await import('../../shared/outbox/relay.ts');
    await relayStale();
    expect(await table.all('OUTBOX#')).toEqual([]);
    const { data, pagination } = (await newest.get('/api/customers')).json;
    expect([data[0].name, pagination.total]).toEqual(['Pema', 1]);
    const actions = (await table.all(`AUDIT#${account}`)).map(({ action }) => action);
    expect(actions).toContain('customer.create');
  },
);
