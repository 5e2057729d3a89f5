/** Invocations that die or lose their client at one of their calls: what has been done by then, and what comes after. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import type { Fate } from '../../support/fault-layer.ts';
import { endingOf, type FaultStand, keyOf, startFaultStand } from '../../support/fault-stand.ts';
import { invocationHeader, ProcessDied, runAs } from '../../support/invocations.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stand: FaultStand;
let account: TestAccount;

beforeAll(async () => {
  stand = await startFaultStand();
  account = await newAccount(stand.stack.baseUrl);
});
beforeEach(() => stand.layer.setPlan({ seed: 1 }));
afterAll(() => stand.close());

let names = 0;
const newNames = (count: number) => Array.from({ length: count }, () => `mortal-${names++}`);
const writtenOf = (items: readonly string[]) => Promise.all(items.map((name) => stand.isWritten(name)));
const fateAt = (at: number, fate: Fate) =>
  stand.layer.setPlan({ seed: 1, script: ({ index }) => (index === at ? fate : undefined) });

test.each<[Fate, boolean]>([
  ['dies before', false],
  ['dies after', true],
])(
  'what %s a call has done all that came first, and does nothing that would come later',
  async (fate, done) => {
    const items = newNames(4);
    fateAt(1, fate);
    const puts = items.map((name) => () => stand.put(name));
    expect(await stand.invoke('dies', ...puts)).toEqual({
      endings: ['done', 'ProcessDied', 'ProcessDied', 'ProcessDied'],
      faults: [fate],
    });
    expect(await writtenOf(items)).toEqual([true, done, false, false]);
  },
);

test('a call under way when its process dies takes effect, but its answer reaches nobody', async () => {
  const [underWay = '', last = ''] = newNames(2);
  fateAt(1, 'dies before');
  const arrivedBefore = stand.arrived.length;
  const release = stand.hold();
  const endings = await endingsOf(async () => {
    const first = endingOf(stand.put(underWay));
    await waitUntil('it is under way', () => stand.arrived.length > arrivedBefore);
    const second = await endingOf(stand.put(last));
    release();
    return [await first, second];
  });
  expect(endings).toEqual(['ProcessDied', 'ProcessDied']);
  expect(await writtenOf([underWay, last])).toEqual([true, false]);
});

async function endingsOf(work: () => Promise<string[]>): Promise<string[]> {
  let endings: string[] = [];
  const run = runAs('dies', async () => {
    endings = await work();
  });
  await expect(run).rejects.toThrow(ProcessDied);
  return endings;
}

test('a background function that swallows its death has died all the same', async () => {
  fateAt(0, 'dies after');
  const [name = ''] = newNames(1);
  await expect(runAs('swallows', () => endingOf(stand.put(name)))).rejects.toThrow(ProcessDied);
});

test('the script is told which call of which invocation it is, each attempt by itself', async () => {
  const places: unknown[] = [];
  stand.layer.setPlan({ seed: 1, script: (place) => void places.push(place) });
  const read = () =>
    stand.once.send(new GetCommand({ TableName: stand.stack.tableName, Key: keyOf('absent') }));
  await stand.invoke('told', read, () => stand.put('told'));
  expect(places).toEqual([
    { label: 'told', index: 0, operation: 'GetItem' },
    { label: 'told', index: 1, operation: 'PutItem' },
  ]);
});

/** What happens, call by call, to a hundred invocations of ten calls. */
async function livesUnder(chances: { death?: number; abandoned?: number }) {
  stand.layer.setPlan({ seed: 5, ...chances });
  const read = () =>
    stand.once.send(new GetCommand({ TableName: stand.stack.tableName, Key: keyOf('absent') }));
  const labels = Array.from({ length: 100 }, (_, index) => `life-${index}`);
  return Promise.all(labels.map((label) => stand.invoke(label, ...Array(10).fill(read))));
}

test('one that is to die does so at one of its first eight calls, at any of them, before or after', async () => {
  const lives = await livesUnder({ death: 1 });
  const places = lives.map(({ endings, faults }) => {
    expect(faults).toHaveLength(1);
    return `${faults[0]} ${endings.indexOf('ProcessDied')}`;
  });
  const everywhere = Array.from({ length: 8 }, (_, at) => [`dies after ${at}`, `dies before ${at}`]);
  expect([...new Set(places)].sort()).toEqual(everywhere.flat().sort());
});

test('as many die as the chance says', async () => {
  const dead = (await livesUnder({ death: 0.4 })).filter(({ faults }) => faults.length > 0);
  expect(dead.length).toBeGreaterThan(25);
  expect(dead.length).toBeLessThan(55);
});

test('one that is abandoned does all its work', async () => {
  for (const { endings, faults } of await livesUnder({ abandoned: 1 })) {
    expect(endings).toEqual(Array(10).fill('done'));
    expect(faults).toEqual(['abandoned']);
  }
});

/** Creates an invoice, of which the transaction meets `fate`; `label` is the request's invocation. */
async function createUnder(label: string, fate: Fate | undefined) {
  const isWrite = (operation: string) => operation === 'TransactWriteItems';
  stand.layer.setPlan({ seed: 1, script: ({ operation }) => (isWrite(operation) ? fate : undefined) });
  const headers = { [invocationHeader]: label };
  const ending = await endingOf(account.test.post('/api/invoices', invoiceBody(), { headers }));
  await waitUntil('the service is done with it', () => stand.layer.running() === 0);
  stand.layer.setPlan({ seed: 1 });
  const { ended, dead, faults, operations } = stand.layer.invocation(label) ?? {};
  const { total } = (await account.test.get('/api/invoices')).json.pagination;
  return { ending, ended, dead, faults, wrote: operations?.includes('TransactWriteItems'), total };
}

test('a request is an invocation, and its client loses the connection when it dies or is abandoned', async () => {
  const request = { ended: true, wrote: true };
  expect(await createUnder('lives', undefined)).toEqual({
    ...{ ...request, ending: 'done', dead: false, faults: [], total: 1 },
  });
  expect(await createUnder('dies first', 'dies before')).toEqual({
    ...{ ...request, ending: 'ECONNRESET', dead: true, faults: ['dies before'], total: 1 },
  });
  // Its transaction is in the table; only its index pages are not, which the outbox repairs.
  expect(await createUnder('dies later', 'dies after')).toMatchObject({
    ...{ ...request, ending: 'ECONNRESET', dead: true, faults: ['dies after'] },
  });
  await waitUntil('it is listed', async () => {
    const { pagination } = (await account.test.get('/api/invoices')).json;
    return pagination.total === 2;
  });
  expect(await createUnder('is alone', 'abandoned')).toEqual({
    ...{ ...request, ending: 'ECONNRESET', dead: false, faults: ['abandoned'], total: 3 },
  });
  expect(stand.layer.invocation('never sent')).toBeUndefined();
});

test('a request that names no invocation is none', async () => {
  stand.layer.setPlan({ seed: 1, requestLost: 1, script: () => 'dies before' });
  expect((await account.test.get('/api/invoices')).status).toBe(200);
});
