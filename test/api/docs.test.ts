/** Tests the pages of the reference: their headers, content, links and sizes, their samples as pasted, and their view in a browser. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { operationTags } from '../../shared/api/openapi/tags.ts';
import { routes } from '../../shared/api/routes.ts';
import { errorCodes } from '../../shared/base/errors.ts';
import { firstApiVersion, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { slugOf } from '../../shared/web/docs/addresses.ts';
import { receiver, samplesOf } from '../../shared/web/docs/samples.ts';
import { installPackedClient, type PackedClient } from '../client/packed-client.ts';
import { newAccountWithAllPermissions } from '../contract/examples.ts';
import { prepareSample } from '../contract/sample-needs.ts';
import type { Api } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { request } from '../support/http.ts';
import { interactiveFaults } from '../support/interactive-shell.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { askedQuestions, supportQuestions } from '../support/support-questions.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const run = promisify(execFile);
const { paths, tags } = openApiDocument(routes);
const unordered = Object.values(paths).flatMap((methods) => Object.values(methods));
/** In the order of the pages. */
const operations = tags.flatMap(({ name }) => unordered.filter((operation) => operation.tags[0] === name));

let stack: Stack;
let webhookReceiver: WebhookReceiver;
let client: PackedClient;
let browser: TestBrowser;
beforeAll(async () => {
  [stack, webhookReceiver, client, browser] = await Promise.all([
    // No background work may call DynamoDB while the test counts calls.
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
  await webhookReceiver?.close();
});

const getPage = (headers = {}, path = '/docs') => request({ baseUrl: stack.baseUrl, path, headers });

/** The paths of all pages, in the order of the menu. */
const tagPages = operationTags.map(({ name }) => `/docs/${slugOf(name)}`);
const referencePaths = ['/docs', ...tagPages];
const pageOfOperation = (id: string) =>
  `/docs/${slugOf(operations.find(({ operationId }) => operationId === id)?.tags[0] ?? '')}`;

describe('the pages', () => {
  test('needs no API key, loads nothing and runs only its own script', async () => {
    const interception = interceptCalls();
    const { status, headers, text } = await getPage();
    interception.remove();
    expect(interception.calls).toEqual([]);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'none'/,
    );
    expect(headers['content-security-policy']).toMatch(/; connect-src 'self'; script-src 'sha256-[\w+/=]+'$/);
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text.replace(/<script>[\s\S]*<\/script>/, '')).not.toMatch(/\son\w+=|@import|url\(/);
  });

  test('is compressed if the client accepts that, and is 304 if the client already has it', async () => {
    const plain = await getPage();
    const compressed = await getPage({ 'Accept-Encoding': 'br, gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.bytes).toString()).toBe(plain.text);
    expect((await getPage({ 'Accept-Encoding': 'gzip;q=0' })).text).toBe(plain.text);
    const known = await getPage({ 'If-None-Match': `"other", ${plain.headers.etag}` });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  test.each(referencePaths)('%s is small enough for a phone', async (path) => {
    const { bytes, text } = await getPage({}, path);
    const compressed = await getPage({ 'Accept-Encoding': 'gzip' }, path);
    expect(bytes.length).toBeLessThan(path === '/docs' ? 200_000 : 300_000);
    expect(text.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '').match(/<[a-z]/g)?.length).toBeLessThan(6_000);
    expect(compressed.bytes.length).toBeLessThan(60_000);
  });

  test('have all endpoints, schemas and error codes, and every link has a target', async () => {
    const texts = new Map<string, string>();
    for (const path of referencePaths) texts.set(path, (await getPage({}, path)).text);
    const idsOf = (path: string) =>
      [...(texts.get(path) ?? '').matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    for (const [path, text] of texts) {
      const ids = idsOf(path);
      expect(new Set(ids).size).toBe(ids.length);
      // A heading at the beginning of a section has the fragment of the section.
      const others = text.replaceAll(/<section[^>]* id="[^"]+">\s*<h[1-3]>/g, '').match(/<h[2-6]>[^<]*/g);
      const titles = path === '/docs' ? [] : ['<h2>Operations', '<h2>Objects'];
      expect(others).toEqual(['<h2>Guides', '<h2>Reference', ...titles.slice(0, (others?.length ?? 0) - 2)]);
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
      const targets = links
        .map((link) => (link.startsWith('#') ? `${stack.baseUrl}${path}${link}` : link))
        .filter((link) => referencePaths.some((each) => link.split('#')[0] === stack.baseUrl + each));
      const missing = targets.filter((link) => {
        const { pathname, hash } = new URL(link);
        return hash !== '' && !idsOf(pathname).includes(hash.slice(1));
      });
      expect([path, missing]).toEqual([path, []]);
      // Another test checks the links to the pages of error codes.
      const outer = links.filter(
        (link) => !/^(#|data:)|\/docs\/errors\b/.test(link) && !targets.includes(link),
      );
      const ownOuter = [
        'https://pypi.org/project/openapi-python-client/',
        'https://www.standardwebhooks.com',
      ];
      expect(new Set(outer)).toEqual(
        new Set([
          `${stack.baseUrl}/docs/changes`,
          `${stack.baseUrl}${path}?version=${firstApiVersion}`,
          `${stack.baseUrl}/openapi.json?version=${newestApiVersion}`,
          ...(path === '/docs'
            ? [`${stack.baseUrl}/openapi.json`, `${stack.baseUrl}/llms.txt`, ...ownOuter]
            : []),
        ]),
      );
      expect(text).not.toMatch(/id="\w+\.header\.X-Test-Fault"/);
    }
    const names = unordered.map(({ operationId }) => operationId);
    expect(new Set(operations.map(({ operationId }) => operationId))).toEqual(new Set(names));
    expect(referencePaths.flatMap(idsOf).filter((id) => names.includes(id))).toEqual(
      operations.map(({ operationId }) => operationId),
    );
    const guideIds = idsOf('/docs');
    expect(guideIds).toEqual(expect.arrayContaining(Object.keys(errorCodes).map((code) => `error-${code}`)));
    expect(texts.get('/docs')).toContain(`REMIT_URL=${stack.baseUrl}\n`);
    // The fault belongs to one guide, and to no operation.
    expect([...texts.values()].join('').match(/X-Test-Fault/g)?.length).toBeLessThan(8);
  });

  test('lead in an older version to pages of that version', async () => {
    const { text } = await getPage({}, `/docs/invoices?version=${firstApiVersion}`);
    expect(text).toContain(`<strong>${firstApiVersion}</strong>`);
    expect(text).toContain(`href="${stack.baseUrl}/docs/refunds?version=${firstApiVersion}#createRefund"`);
    expect((await getPage({}, '/docs/invoices?version=none')).status).toBe(404);
  });
});

const environmentOf = ({ apiKey }: Api) => ({ REMIT_URL: stack.baseUrl, REMIT_API_KEY: apiKey });

/** Gives the newest endpoint a delivery, which no sample creates. */
/** Returns the samples of an operation as the page shows them, except that the test receives the webhooks. */
async function shownSamples(operationId: string): Promise<{ curl: string; typescript: string }> {
  const [curl = '', typescript = ''] = await shownCode(operationId);
  return { curl, typescript };
}

/** Returns the code blocks of a section. */
async function shownCode(id: string): Promise<string[]> {
  const isOperation = operations.some(({ operationId }) => operationId === id);
  const { text } = await getPage({}, isOperation ? pageOfOperation(id) : '/docs');
  const section = text.split(`id="${id}"`)[1]?.split('</section>')[0] ?? '';
  return [...section.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
    code
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replaceAll('https://example.com', webhookReceiver.urlOf('')),
  );
}

const hasCurl = spawnSync('bash', ['-c', 'command -v curl']).status === 0;
if (!hasCurl)
  process.stderr.write('Skipped the curl samples: curl is not installed (apt-get install curl).\n');

describe('the samples', () => {
  const names = operations.map(({ operationId }) => operationId);
  let accountId: string;
  let api: Api;
  let env: ReturnType<typeof environmentOf>;
  beforeAll(async () => {
    ({ accountId, test: api } = await newAccountWithAllPermissions(stack.baseUrl));
    env = environmentOf(api);
  });

  test.each(names)('%s works if it is run after the samples above it, in an empty account', async (name) => {
    const prepare = () => prepareSample(name, { accountId, api, stack, receiver: webhookReceiver });
    await prepare();
    // The samples above it change invoices while the clock is ahead.
    if (name === 'resetTestClock')
      env = environmentOf((await newAccountWithAllPermissions(stack.baseUrl)).test);
    const { curl, typescript } = await shownSamples(name);
    if (hasCurl) {
      const directory = await mkdtemp(join(tmpdir(), 'remit-sample-'));
      const options = { env: { ...process.env, ...env }, cwd: directory };
      const { stdout } = await run('bash', ['--norc', '-ec', curl], options);
      const [file] = await readdir(directory);
      if (file) {
        expect((await readFile(join(directory, file), 'latin1')).slice(0, 5)).toBe('%PDF-');
      } else {
        const answer = JSON.parse(stdout);
        expect(answer.error?.code).toBeUndefined();
        expect(Object.keys(answer).length).toBeGreaterThan(0);
      }
      await rm(directory, { recursive: true });
    }
    // The compiler checks the TypeScript samples below.
    if (!isExhaustive) return;
    await prepare();
    await client.write(`${name}.mts`, typescript);
    // A sample that saves a file prints nothing.
    expect(await client.run(`${name}.mts`, env)).toMatch(name === 'getDocumentPdf' ? /^$/ : /\w+: /);
  });

  test('the commands follow the rules of interactive shells', async () => {
    const [environment = ''] = await shownCode('start');
    const samples = await Promise.all(names.map(async (name) => (await shownSamples(name)).curl));
    expect([environment, ...samples].flatMap(interactiveFaults)).toEqual([]);
  });

  (hasCurl ? test : test.skip).each([
    ['start', 'data'],
    ['idempotency', 'paymentUrl'],
  ])('the curl sample of the guide %s works', async (id, field) => {
    const commands = (await shownCode(id)).filter((code) => code.startsWith('curl '));
    expect(commands).toHaveLength(1);
    const { stdout } = await run('bash', ['--norc', '-ec', commands[0] ?? ''], {
      env: { ...process.env, ...env },
    });
    expect(JSON.parse(stdout)).toHaveProperty(field);
  });

  test('the TypeScript samples have no type errors', async () => {
    const files = [
      await client.write('receiver.mts', receiver),
      ...(await Promise.all(
        names.map(async (name) => client.write(`${name}.mts`, (await shownSamples(name)).typescript)),
      )),
    ];
    const types = ['--typeRoots', `${repositoryRoot}/node_modules/@types`, '--types', 'node'];
    await client.check(files, ['--module', 'nodenext', '--moduleResolution', 'nodenext', ...types]);
  });

  test('an operation without samples is an error', () => {
    const unknown = { operationId: 'newOne', method: 'GET', path: '/', body: undefined };
    expect(() => samplesOf(unknown)).toThrow(
      'newOne has no samples. Add them to shared/web/docs/sample-calls.ts.',
    );
  });
});

describe('in a browser', () => {
  const open = async (
    options: Parameters<TestBrowser['open']>[0],
    path = '/docs/invoices',
  ): Promise<Page> => {
    const shown = await browser.open(options);
    await shown.goto(stack.baseUrl + path);
    return shown;
  };

  browserTest('only the page is requested, and the browser logs no error', async () => {
    const shown = await browser.open();
    const requested: string[] = [];
    const logged: string[] = [];
    shown.on('request', (each) => requested.push(each.url()));
    shown.on('console', (message) => logged.push(message.text()));
    await shown.goto(`${stack.baseUrl}/docs`);
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([`${stack.baseUrl}/docs`]);
    expect(logged).toEqual([]);
  });

  /** The page of the tests that only use it. */
  let used: Page;
  browserTest('the reader chooses the language of the samples, which stays after a reload', async () => {
    used = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const shown = used;
    const [curl, typescript] = ['.curl', '.typescript'].map((name) =>
      shown.locator(`#createInvoice ${name}`),
    );
    expect([await curl?.isVisible(), await typescript?.isVisible()]).toEqual([true, false]);
    await shown.getByLabel('TypeScript', { exact: true }).check();
    expect([await curl?.isVisible(), await typescript?.isVisible()]).toEqual([false, true]);
    await shown.reload();
    expect(await shown.getByLabel('TypeScript', { exact: true }).isChecked()).toBe(true);
    await shown.getByLabel('curl', { exact: true }).check();
  });

  browserTest(
    'the browser lays out a section when it comes into view, and all of them for print',
    async () => {
      const shown = await open({ viewport: { width: 390, height: 844 } }, '/docs/refunds');
      const isLaidOut = (id: string) =>
        shown.evaluate<boolean>(
          `document.querySelector('#${id} :is(h1,h3,p)').checkVisibility({ contentVisibilityAuto: true })`,
        );
      expect(await Promise.all(['refunds', 'Refund'].map(isLaidOut))).toEqual([true, false]);
      await shown.goto(`${stack.baseUrl}/docs/refunds#Refund`);
      await waitUntil('the section is laid out', () => isLaidOut('Refund'));
      await shown.goto(`${stack.baseUrl}/docs/refunds#createRefund`);
      await shown.emulateMedia({ media: 'print' });
      await waitUntil('all sections are laid out', () => isLaidOut('Refund'));
      await shown.context().close();
    },
  );

  browserTest('an address of a part leads to its page', async () => {
    const shown = await open({}, '/docs#createInvoice');
    await shown.waitForURL(`${stack.baseUrl}/docs/invoices#createInvoice`);
    const moved = [
      ['createPayment.card.card.expMonth', '/docs/payments#createPayment.card.card.expMonth'],
      ['Refund.status', '/docs/refunds#Refund.status'],
      ['Audit%20log', '/docs/audit-log'],
      ['errors', '/docs#errors'],
    ];
    for (const [id, address] of moved) {
      await shown.goto(`${stack.baseUrl}/docs#${id}`);
      await shown.waitForURL(stack.baseUrl + address);
    }
    await shown.goto(`${stack.baseUrl}/docs?version=${firstApiVersion}#createRefund`);
    await shown.waitForURL(`${stack.baseUrl}/docs/refunds?version=${firstApiVersion}#createRefund`);
    await shown.context().close();
  });

  browserTest('a button copies a sample', async () => {
    const sample = used.locator('#createInvoice .curl');
    await sample.getByRole('button', { name: /^Copy/ }).click();
    const copied = await used.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await sample.locator('pre').textContent());
  });

  const searches = [
    ['expMonth', '/payments#createPayment.card.card.expMonth'],
    ['cancel an', '/invoices#cancelInvoice'],
    ['idempotency', '#idempotency'],
  ];
  browserTest.each(isExhaustive ? searches : searches.slice(0, 1))(
    'the search for %j leads by keyboard to /docs%s',
    async (words, address) => {
      const shown = await open({});
      await shown.keyboard.press('/');
      await shown.keyboard.type(words);
      await shown.locator('#status', { hasText: /^\d+ results?$/ }).waitFor();
      await shown.keyboard.press('ArrowDown');
      await shown.locator('#results a:focus').waitFor();
      await shown.keyboard.press('Enter');
      await shown.waitForURL(`${stack.baseUrl}/docs${address}`);
      expect(await shown.locator('#searched').inputValue()).toBe('');
      await shown.context().close();
    },
  );

  browserTest('the first result answers each question of the support', async () => {
    for (const [question, id] of [...supportQuestions, ...askedQuestions]) {
      await used.locator('#searched').fill(question);
      await used.locator('#results a').first().waitFor();
      const first = await used.evaluate<string>("document.querySelector('#results a').hash");
      expect([question, first]).toEqual([question, `#${id}`]);
      await used.keyboard.press('Escape');
      await used.locator('#results a').first().waitFor({ state: 'detached' });
    }
    await used.locator('#searched').fill('refund');
    await used.keyboard.press('Escape');
  });

  browserTest('the search finds error codes, and Escape shows the menu again', async () => {
    const shown = used;
    await shown.keyboard.press('/');
    await shown.keyboard.type('refund_exceeds');
    const first = shown.locator('#results a').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toBe(`${stack.baseUrl}/docs/errors/refund_exceeds_payment`);
    expect(await shown.locator('#contents').isVisible()).toBe(false);
    await shown.keyboard.press('Escape');
    expect(await shown.locator('#contents').isVisible()).toBe(true);
    await shown.locator('#searched').fill('qqqq');
    await shown.locator('#status', { hasText: /^0 results. Use other words/ }).waitFor();
    await shown.keyboard.press('Escape');
  });

  browserTest.each(isExhaustive ? [320, 1280] : [320])(
    'no copy button covers code in a window of %d pixels',
    async (width) => {
      const shown = await open({ viewport: { width, height: 640 } });
      const covered = await shown.evaluate(`[...document.querySelectorAll('.block')].flatMap((block) => {
      const button = block.querySelector('.copy').getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(block.querySelector('pre'));
      const covers = [...range.getClientRects()].some(({ top, bottom, right }) =>
        bottom > button.top && top < button.bottom && right > button.left);
      return button.width > 0 && covers ? [block.textContent] : [];
    })`);
      expect(covered).toEqual([]);
    },
  );

  browserTest('without scripts, the page has no search field and no copy button', async () => {
    const shown = await open({ javaScriptEnabled: false });
    expect(await shown.locator('#searched').isVisible()).toBe(false);
    expect(await shown.locator('.copy').count()).toBe(0);
    expect(await shown.locator('#contents').isVisible()).toBe(true);
    await shown.getByLabel('TypeScript', { exact: true }).check();
    expect(await shown.locator('#createInvoice .typescript').isVisible()).toBe(true);
    await shown.goto(`${stack.baseUrl}/docs`);
    const shownReceivers = () =>
      Promise.all(
        ['receiver', 'python', 'go'].map((each) => shown.locator(`#webhooks .${each}`).isVisible()),
      );
    await shown.getByLabel('TypeScript', { exact: true }).check();
    expect(await shownReceivers()).toEqual([true, false, false]);
    await shown.getByLabel('Python', { exact: true }).check();
    expect(await shownReceivers()).toEqual([false, true, false]);
  });

  browserTest.each(isExhaustive ? [true, false] : [true])(
    'the page fits on a phone, and its menu lists the operations (scripts: %s)',
    async (javaScriptEnabled) => {
      const shown = await open({ viewport: { width: 320, height: 640 }, javaScriptEnabled }, '/docs');
      const link = shown.locator('#contents').getByRole('link', { name: 'Create an invoice' });
      expect(await link.isVisible()).toBe(false);
      await shown.locator('#menu').focus();
      await shown.keyboard.press('Space');
      await link.click();
      await shown.waitForURL(`${stack.baseUrl}/docs/invoices#createInvoice`);
      if (!javaScriptEnabled) return;
      expect(await shown.locator('#contents').isVisible()).toBe(false);
      expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(320);
    },
  );

  /** The whole page takes axe seconds. Its sections are alike. */
  const examined = isExhaustive ? {} : { within: '#createInvoice' };
  browserTest('axe finds no violations on a phone with an open menu', async () => {
    const shown = await open({ viewport: { width: 320, height: 640 }, bypassCSP: true });
    await shown.locator('#menu').check();
    expect(await violationsOf(shown, examined)).toEqual([]);
    await shown.locator('#searched').fill('amount');
    await shown.locator('#results a').first().waitFor();
    expect(await violationsOf(shown, { within: 'nav' })).toEqual([]);
  });

  if (isExhaustive)
    browserTest.each(referencePaths)(
      'axe finds no violations in light and in dark colors: %s',
      async (path) => {
        const shown = await open({ colorScheme: 'light', bypassCSP: true }, path);
        // The browser gives places that overlap to what it does not show yet.
        await shown.addStyleTag({ content: 'section { content-visibility: visible !important }' });
        await shown.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
        expect(await violationsOf(shown)).toEqual([]);
        await shown.emulateMedia({ colorScheme: 'dark' });
        expect(await violationsOf(shown, { onlyColors: true })).toEqual([]);
      },
    );
});
