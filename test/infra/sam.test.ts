/** Checks the files for the AWS SAM CLI: their names match the template, and the functions accept the events. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler, repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type Resources, resourceNamed, resourcesOfType, synthesize } from './template.ts';

// biome-ignore lint/suspicious/noExplicitAny: events and responses have any shape
type Json = any;

const directory = join(repositoryRoot, 'infra', 'sam');
const textOf = (...path: string[]) => readFileSync(join(directory, ...path), 'utf8');
/** The events. `create-invoice.json` is an event for the function CreateInvoice. */
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

test('env.json sets exactly the variables whose values CloudFormation resolves', () => {
  const { Parameters, ...rest } = JSON.parse(textOf('env.json'));
  const variables = resourcesOfType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
    Object.entries<unknown>(Properties.Environment?.Variables ?? {}),
  );
  const open = variables.filter(([, value]) => typeof value !== 'string').map(([name]) => name);
  expect(Object.keys(Parameters).sort()).toEqual([...new Set(open)].sort());
  expect(rest).toEqual({});
});

test('each function has exactly one event', () => {
  const functions = resourcesOfType(resources, 'AWS::Lambda::Function').map(([id]) =>
    id.replace(/Function[0-9A-F]{8}$/, '').toLowerCase(),
  );
  expect(names.map((name) => name.replaceAll('-', '')).sort()).toEqual(functions.sort());
});

/** Calls the function with this name in the template. Replaces the API key in its event by a valid one. */
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

test.each(requests)('the function answers the request %s', async (name, statusCode, part) => {
  expect(await invoke(name)).toMatchObject({ statusCode, body: expect.stringContaining(part) });
});

test.each(names.filter((name) => !requests.some(([request]) => request === name)))(
  'the function processes the event %s without an internal error or a failed record',
  async (name) => {
    const { batchItemFailures = [], statusCode = 200, body = '' } = (await invoke(name)) ?? {};
    expect(batchItemFailures).toEqual([]);
    // The example may name a record that does not exist, or need a permission that new keys do not have.
    expect([200, 201, 400, 403, 404]).toContain(statusCode);
    if (statusCode === 400)
      expect(body).not.toMatch(/invalid_json|unknown_parameter|missing_api_key|invalid_content_type/);
  },
);
