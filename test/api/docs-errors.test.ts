/** Tests the pages at `/docs/errors`: their content, links and headers, and their view in a browser. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Stack } from '../../infra/local/stack.ts';
import { messagesOfCode } from '../../shared/api/openapi/error-messages.ts';
import { operationTags } from '../../shared/api/openapi/tags.ts';
import { type ErrorCode, errorCodes } from '../../shared/base/errors.ts';
import { slugOf } from '../../shared/web/docs/addresses.ts';
import { visibleText } from '../contract/readable-texts.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { document } from '../support/document.ts';
import { expectError } from '../support/expectations.ts';
import { request } from '../support/http.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

let stack: Stack;
let browser: TestBrowser;
beforeAll(async () => {
  [stack, browser] = await Promise.all([startTestStack({ scheduleIntervalMs: 3_600_000 }), startBrowser()]);
  await stack.schedule.pause();
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const get = (path: string, headers = {}) => request({ baseUrl: stack.baseUrl, path, headers });

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');
const isError = ajv.getSchema('openapi#/components/schemas/Error');

/** Returns the text of an element, with its escaped characters as they are shown. */
function codeIn(text: string): string {
  const [, code = ''] = /<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(text) ?? [];
  return code
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

test.each(codes)('/docs/errors/%s explains the code, with a valid example', async (code) => {
  const { status, headers, text } = await get(`/docs/errors/${code}`);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=300',
  });
  const shown = visibleText(text).replace(/\s+/g, ' ');
  for (const heading of ['What it means', 'How to fix it', 'Does a retry help?', 'Where it occurs'])
    expect(shown).toContain(heading);
  for (const message of messagesOfCode(code)) expect(shown).toContain(message);
  expect(shown).toMatch(/Does a retry help\? (Yes|No)\b/);
  const example = JSON.parse(codeIn(text));
  expect(isError?.(example)).toBe(true);
  const { status: expected, type } = errorCodes[code];
  expect(example.error).toMatchObject({ code, type });
  expect(shown).toContain(`Example response: ${expected}`);
});

describe('all pages', () => {
  test('link only to pages and sections that exist', async () => {
    const reference = (await get('/docs')).text;
    const targets = new Set([`${stack.baseUrl}/docs`]);
    for (const path of ['/docs', ...operationTags.map(({ name }) => `/docs/${slugOf(name)}`)]) {
      for (const [, id] of (await get(path)).text.matchAll(/\sid="([^"]+)"/g))
        targets.add(`${stack.baseUrl}${path}#${id}`);
    }
    const pages = ['errors', ...codes.map((code) => `errors/${code}`)].map(
      (path) => `${stack.baseUrl}/docs/${path}`,
    );
    for (const url of pages) {
      const { text } = await get(new URL(url).pathname);
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
      const others = links.filter((link) => !/^(#main$|data:)/.test(link) && !pages.includes(link));
      expect(others.filter((link) => !targets.has(link))).toEqual([]);
    }
    for (const code of codes) expect(reference).toContain(`href="${stack.baseUrl}/docs/errors/${code}"`);
  });

  test('read no data, and have the same headers and cache rules as the reference', async () => {
    const interception = interceptCalls();
    const page = await get('/docs/errors/invalid_amount');
    interception.remove();
    expect(interception.calls).toEqual([]);
    const { etag: _, date: __, 'x-request-id': ___, ...headers } = page.headers;
    const { etag, date: ____, 'x-request-id': _____, ...expected } = (await get('/docs')).headers;
    expect(headers).toEqual({ ...expected, 'content-length': headers['content-length'] });
    expect(page.headers.etag).not.toBe(etag);
    const known = await get('/docs/errors/invalid_amount', { 'If-None-Match': page.headers.etag });
    expect([known.status, known.text]).toEqual([304, '']);
    const compressed = await get('/docs/errors/invalid_amount', { 'Accept-Encoding': 'gzip' });
    expect(gunzipSync(compressed.bytes).toString()).toBe(page.text);
    expect(compressed.bytes.length).toBeLessThan(10_000);
  });

  test('a slash at the end is ignored', async () => {
    expect((await get('/docs/errors/')).text).toBe((await get('/docs/errors')).text);
  });
});

describe('a page that does not exist', () => {
  test.each([
    '/docs/errors/invalid_colour',
    '/docs/errors/%3Cscript%3E',
    '/docs/errors/a/b',
    '/docs/other',
    '/docs/errors/constructor',
  ])('%s returns 404 with all codes', async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('Page not found');
    for (const code of codes) expect(text).toContain(`/docs/errors/${code}"`);
    expect(text).not.toMatch(/colour|%3Cscript|docs\/other/);
    const again = await get(path, { 'If-None-Match': headers.etag });
    expect(again.status).toBe(404);
  });

  test('other methods are an unknown endpoint, as for each path', async () => {
    const response = await request({ baseUrl: stack.baseUrl, path: '/docs/errors', method: 'POST' });
    expectError(response, 404, 'route_not_found');
  });
});

describe('in a browser', () => {
  browserTest.each(isExhaustive ? (['light', 'dark'] as const) : (['light'] as const))(
    'axe finds no violations in %s colors',
    async (colorScheme) => {
      for (const path of ['/docs/errors', '/docs/errors/refund_exceeds_payment', '/docs/errors/none']) {
        const shown = await browser.open({ colorScheme, bypassCSP: true });
        await shown.goto(`${stack.baseUrl}${path}`);
        expect(await violationsOf(shown)).toEqual([]);
      }
    },
  );

  browserTest('the pages fit on a phone', async () => {
    for (const path of ['/docs/errors', ...codes.slice(0, 5).map((code) => `/docs/errors/${code}`)]) {
      const shown = await browser.open({ viewport: { width: 320, height: 640 } });
      await shown.goto(`${stack.baseUrl}${path}`);
      expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(320);
    }
  });
});
