/** The files for SAM's command line: they name what is in the template, and the functions take the events. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler, repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type Resources, resourceNamed, synthesize, typed } from './template.ts';

// biome-ignore lint/suspicious/noExplicitAny: events and answers of every shape
type Json = any;

const directory = join(repositoryRoot, 'infra', 'sam');
const textOf = (...path: string[]) => readFileSync(join(directory, ...path), 'utf8');
/** `create-invoice.json` is an event of the function CreateInvoice. */
const names = readdirSync(join(directory, 'events')).map((file) => file.replace(/\.json$/, ''));

let resources: Resources;
let stack: Stack;
let apiKey: string;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  resources = (await synthesize()).stateless.Resources;
  apiKey = (await newAccount(stack.baseUrl)).test.apiKey;
});
afterAll(() => stack.close());

test('env.json sets what the template leaves to CloudFormation, and nothing that SAM would not pass on', () => {
  const { Parameters, ...rest } = JSON.parse(textOf('env.json'));
  const variables = typed(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
    Object.entries<unknown>(Properties.Environment?.Variables ?? {}),
  );
  const open = variables.filter(([, value]) => typeof value !== 'string').map(([name]) => name);
  expect(Object.keys(Parameters).sort()).toEqual([...new Set(open)].sort());
  expect(rest).toEqual({});
});

/** Calls the function of that name, as it stands in the template, with its event and a key that works. */
async function invoke(name: string): Promise<Json> {
  const id = resourceNamed(resources, 'AWS::Lambda::Function', `${name.replaceAll('-', '')}Function`);
  const file = resources[id]?.Properties.Description;
  const event = JSON.parse(textOf('events', `${name}.json`).replaceAll(/sk_test_\w+/g, apiKey));
  return (await loadHandler<Json, Json>(file))(event, lambdaContext(file, 28_000));
}

const requests = [
  ['create-invoice', 201, '"currency":"BTN","status":"pending"'],
  ['get-invoice', 404, 'invoice_not_found'],
  ['list-invoices', 200, '"limit":5'],
  ['open-api', 200, '"openapi":"3.1.0"'],
  ['show-payment-page', 404, '<html'],
] as const;

test.each(requests)('the request %s is answered', async (name, statusCode, part) => {
  expect(await invoke(name)).toMatchObject({ statusCode, body: expect.stringContaining(part) });
});

test.each(names.filter((name) => !requests.some(([request]) => request === name)))(
  'the event %s is taken: no record of it fails',
  async (name) => {
    expect((await invoke(name))?.batchItemFailures ?? []).toEqual([]);
  },
);
