/** The reference page: what it is served as, that nothing of it leads nowhere, and that its samples work as pasted. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { receiver, samplesOf } from '../../shared/docs/samples.ts';
import { errorCodes } from '../../shared/errors.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { routes } from '../../shared/routes.ts';
import { installPackedClient, type PackedClient } from '../client/packed-client.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { intercept } from '../support/faults.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const run = promisify(execFile);
const { paths, tags } = openApiDocument(routes);
const unordered = Object.values(paths).flatMap((methods) => Object.values(methods));
/** In the page's order. */
const operations = tags.flatMap(({ name }) => unordered.filter((operation) => operation.tags[0] === name));

let stack: Stack;
let receiving: WebhookReceiver;
let client: PackedClient;
let browser: TestBrowser;
beforeAll(async () => {
  [stack, receiving, client, browser] = await Promise.all([
    // Only the request itself may be seen to call DynamoDB.
    startTestStack({ scheduleIntervalMs: 3_600_000 }),
    startWebhookReceiver(),
    installPackedClient(),
    startBrowser(),
  ]);
  await stack.schedule.pause();
});
afterAll(async () => {
  await browser?.close();
  await client?.close();
  await stack?.close();
  await receiving?.close();
});

const page = (headers = {}) => request({ baseUrl: stack.baseUrl, path: '/docs', headers });

describe('the page', () => {
  test('is open to anyone, loads nothing and runs nothing', async () => {
    const interception = intercept();
    const { status, headers, text } = await page();
    interception.remove();
    expect(interception.calls).toEqual([]);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'none'/,
    );
    expect(text).not.toMatch(/<script|\son\w+=|@import|url\(/);
  });

  test('is compressed for who takes that, and not sent again to who has it', async () => {
    const plain = await page();
    const compressed = await page({ 'Accept-Encoding': 'br, gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.bytes).toString()).toBe(plain.text);
    expect(compressed.bytes.length).toBeLessThan(30_000);
    expect((await page({ 'Accept-Encoding': 'gzip;q=0' })).text).toBe(plain.text);
    const known = await page({ 'If-None-Match': `"other", ${plain.headers.etag}` });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  test('has all endpoints, schemas and error codes, and no link that leads nowhere', async () => {
    const { text } = await page();
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const names = unordered.map(({ operationId }) => operationId);
    expect(new Set(operations.map(({ operationId }) => operationId))).toEqual(new Set(names));
    expect(ids.filter((id) => id !== undefined && names.includes(id))).toEqual(
      operations.map(({ operationId }) => operationId),
    );
    expect(ids).toEqual(expect.arrayContaining(Object.keys(errorCodes).map((code) => `error-${code}`)));
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    const inner = links.filter((link) => link.startsWith('#')).map((link) => link.slice(1));
    expect(inner.filter((id) => !ids.includes(id))).toEqual([]);
    const outer = links.filter((link) => !/^(#|data:)/.test(link));
    expect(new Set(outer)).toEqual(
      new Set([`${stack.baseUrl}/openapi.json`, 'https://www.standardwebhooks.com']),
    );
    expect(text).toContain(`REMIT_URL=${stack.baseUrl}\n`);
  });
});

const environmentOf = ({ apiKey }: Api) => ({ REMIT_URL: stack.baseUrl, REMIT_API_KEY: apiKey });

/** What no sample makes: the newest endpoint has a delivery. */
async function newDelivery(api: Api): Promise<void> {
  const { json: webhook } = await api.post('/api/webhooks', { url: receiving.urlOf('/new'), events: ['*'] });
  await api.post('/api/invoices', invoiceBody());
  await waitUntil('a delivery', async () => {
    const { json } = await api.get(`/api/webhooks/${webhook.id}/deliveries`);
    return json.data.length > 0;
  });
}

/** The samples of an operation as the page shows them, but for receivers elsewhere. */
async function shownSamples(operationId: string): Promise<{ curl: string; typescript: string }> {
  const [curl = '', typescript = ''] = await shownCode(operationId);
  return { curl, typescript };
}

/** The blocks of code in a section. */
async function shownCode(id: string): Promise<string[]> {
  const { text } = await page();
  const section = text.split(`id="${id}"`)[1]?.split('</section>')[0] ?? '';
  return [...section.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
    code
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replaceAll('https://example.com', receiving.urlOf('')),
  );
}

const hasCurl = spawnSync('bash', ['-c', 'command -v curl']).status === 0;
if (!hasCurl)
  process.stderr.write('skipped, as there is no curl (apt-get install curl): samples with curl\n');

describe('the samples', () => {
  const names = operations.map(({ operationId }) => operationId);
  let api: Api;
  let env: ReturnType<typeof environmentOf>;
  beforeAll(async () => {
    api = (await newAccount(stack.baseUrl)).test;
    env = environmentOf(api);
  });

  test.each(names)('%s works when it is pasted after those above it, into an empty account', async (name) => {
    if (name === 'redeliver') await newDelivery(api);
    const { curl, typescript } = await shownSamples(name);
    if (hasCurl) {
      const { stdout } = await run('bash', ['-ec', curl], { env: { ...process.env, ...env } });
      const answer = JSON.parse(stdout);
      expect(answer.error?.code).toBeUndefined();
      expect(Object.keys(answer).length).toBeGreaterThan(1);
    }
    await client.write(`${name}.mts`, typescript);
    expect(await client.run(`${name}.mts`, env)).toMatch(/\w+: /);
  });

  (hasCurl ? test : test.skip).each([
    ['start', 'data'],
    ['idempotency', 'paymentUrl'],
  ])('of the guide %s work when they are pasted', async (id, field) => {
    const commands = (await shownCode(id)).filter((code) => code.startsWith('curl '));
    expect(commands).toHaveLength(1);
    const { stdout } = await run('bash', ['-ec', commands[0] ?? ''], { env: { ...process.env, ...env } });
    expect(JSON.parse(stdout)).toHaveProperty(field);
  });

  test('in TypeScript have no fault in their types', async () => {
    const files = [
      await client.write('receiver.mts', receiver),
      ...(await Promise.all(
        names.map(async (name) => client.write(`${name}.mts`, (await shownSamples(name)).typescript)),
      )),
    ];
    const types = ['--typeRoots', `${repositoryRoot}/node_modules/@types`, '--types', 'node'];
    await client.check(files, ['--module', 'nodenext', '--moduleResolution', 'nodenext', ...types]);
  });

  test('are asked for, where an operation has none', () => {
    const unknown = { operationId: 'newOne', method: 'GET', path: '/', body: undefined };
    expect(() => samplesOf(unknown)).toThrow('There are no samples of newOne.');
  });
});

describe('in a browser', () => {
  const open = async (options: Parameters<TestBrowser['open']>[0]): Promise<Page> => {
    const shown = await browser.open(options);
    await shown.goto(`${stack.baseUrl}/docs`);
    return shown;
  };

  browserTest('nothing is asked for but the page, and nothing in it is refused', async () => {
    const shown = await browser.open();
    const asked: string[] = [];
    const told: string[] = [];
    shown.on('request', (each) => asked.push(each.url()));
    shown.on('console', (message) => told.push(message.text()));
    await shown.goto(`${stack.baseUrl}/docs`);
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`${stack.baseUrl}/docs`]);
    expect(told).toEqual([]);
  });

  browserTest('one language of samples is shown, as the reader chooses', async () => {
    const shown = await open({});
    const [curl, typescript] = ['.curl', '.typescript'].map((name) =>
      shown.locator(`#createInvoice ${name}`),
    );
    expect([await curl?.isVisible(), await typescript?.isVisible()]).toEqual([true, false]);
    await shown.getByLabel('TypeScript', { exact: true }).check();
    expect([await curl?.isVisible(), await typescript?.isVisible()]).toEqual([false, true]);
  });

  browserTest('it fits a phone', async () => {
    const shown = await open({ viewport: { width: 320, height: 640 } });
    expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  browserTest.each(['light', 'dark'] as const)(
    'axe finds nothing wrong in %s colours',
    async (colorScheme) => {
      const shown = await open({ colorScheme, bypassCSP: true });
      await shown.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      expect(await violationsOf(shown)).toEqual([]);
    },
  );
});
