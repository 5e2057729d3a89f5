/** Tests `/llms.txt` and the guides as Markdown: their form, their links, their headers, and that they say what `/docs` says. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { errorCodes } from '../../shared/base/errors.ts';
import { firstApiVersion, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { guides } from '../../shared/web/docs/guides.ts';
import { htmlOf } from '../../shared/web/docs/prose.ts';
import { visibleText } from '../contract/readable-texts.ts';
import { documentOf } from '../support/document.ts';
import { request } from '../support/http.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.schedule.pause();
});
afterAll(() => stack?.close());

const get = (path: string, headers = {}) => request({ baseUrl: stack.baseUrl, path, headers });
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
const all = guides(documentOf(newestApiVersion), 'https://remit.example.com').map(
  (guide) => [guide.id, guide] as const,
);

describe('/llms.txt', () => {
  test('has the form of llmstxt.org, and each guide with a description', async () => {
    const { status, headers, text } = await get('/llms.txt');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Remit API\n\n> [^\n]+\n\n/);
    expect(text.match(/^## .+$/gm)).toEqual(['## Guides', '## Reference', '## Optional']);
    const entries = text.slice(text.indexOf('## Guides')).match(/^- .+$/gm) ?? [];
    for (const entry of entries) expect(entry).toMatch(/^- \[[^\]]+\]\(http[^)]+\): .{10,}\.$/);
    expect(linksIn(text).filter((link) => link.endsWith('.md'))).toEqual(
      [...all.map(([id]) => id), 'changes'].map((id) => `${stack.baseUrl}/docs/${id}.md`),
    );
  });

  test('leads to what each version adds', async () => {
    const { headers, text } = await get('/docs/changes.md');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(text).toContain(`\n## [${newestApiVersion}](${stack.baseUrl}/docs?version=${newestApiVersion})\n`);
    expect(text).toContain('- `createdFrom` *query parameter*');
    expect(text).toMatch(/- `status` .*Separate several values with commas\.$/m);
    const { text: index } = await get('/llms.txt');
    const [, address = ''] = /\]\((\S+\?version=\S+)\)/.exec(index) ?? [];
    const { json } = await get(address.slice(stack.baseUrl.length));
    expect(json.info['x-api-version']).toBe(firstApiVersion);
    expect(index).toContain(`X-API-Version: ${newestApiVersion}`);
  });

  test('all links of it and of the guides lead to pages that exist', async () => {
    const pages = ['/llms.txt', ...all.map(([id]) => `/docs/${id}.md`)];
    const texts = await Promise.all(pages.map(async (path) => (await get(path)).text));
    const links = new Set(texts.flatMap(linksIn).filter((link) => link.startsWith(stack.baseUrl)));
    for (const link of links) {
      const { pathname, hash } = new URL(link);
      const { status, text } = await get(pathname);
      expect([link, status]).toEqual([link, 200]);
      if (hash) expect([link, text.includes(` id="${hash.slice(1)}"`)]).toEqual([link, true]);
    }
  });

  test('has the caching and the headers of /docs, needs no key, and makes no call', async () => {
    const interception = interceptCalls();
    const { headers } = await get('/docs');
    for (const path of ['/llms.txt', '/docs/webhooks.md']) {
      const { headers: own } = await get(path);
      const differing = ['content-type', 'content-length', 'etag', 'date', 'x-request-id'];
      const common = (each: object) => Object.entries(each).filter(([name]) => !differing.includes(name));
      expect(common(own)).toEqual(common(headers));
      expect(await get(path, { 'If-None-Match': own.etag })).toMatchObject({ status: 304, text: '' });
      expect((await get(path, { 'Accept-Encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    }
    interception.remove();
    expect(interception.calls).toEqual([]);
  });
});

describe('guides as Markdown', () => {
  const wordsOf = (text: string) => new Set(text.match(/[\p{L}\p{N}_]+/gu));

  test.each(all)(
    '/docs/%s.md has the title and all words of the guide, and no markup',
    async (id, { title, text }) => {
      const { status, headers, text: markdown } = await get(`/docs/${id}.md`);
      expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(markdown.startsWith(`# ${title}\n\n`)).toBe(true);
      const words = wordsOf(markdown.replaceAll(stack.baseUrl, 'https://remit.example.com'));
      const missing = [...wordsOf(visibleText(htmlOf(text).toString()))].filter((word) => !words.has(word));
      expect(missing).toEqual([]);
      const prose = markdown.replace(/```[\s\S]*?```|`[^`]*`/g, '');
      // Within a cell of a table, Markdown has no other line break.
      expect(prose.replaceAll('<br>', ' ')).not.toMatch(/(?<!\\)<\/?\w+|&\w+;|\[object|undefined/);
      expect((markdown.match(/^```/gm) ?? []).length % 2).toBe(0);
    },
  );

  test.each(Object.keys(errorCodes))('/docs/errors/%s.md has what the page says', async (code) => {
    const { status, text } = await get(`/docs/errors/${code}.md`);
    expect(status).toBe(200);
    expect(text).toContain(`# ${code}\n`);
    for (const heading of ['What it means', 'How to fix it', 'Does a retry help?', 'Where it occurs'])
      expect(text).toContain(`\n## ${heading}\n`);
    const page = (await get(`/docs/errors/${code}`)).text.replace(/<nav[\s\S]*<\/nav>|<script[\s\S]*/g, '');
    const words = wordsOf(text);
    const missing = [...wordsOf(visibleText(page).replace('Skip to content', ''))].filter(
      (word) => !words.has(word),
    );
    expect(missing).toEqual([]);
  });

  test('samples keep their exact text, and tables and fields their rows', async () => {
    expect((await get('/docs/idempotency.md')).text).toContain(
      `\n\`\`\`sh Request with an idempotency key\ncurl "$REMIT_URL/api/invoices" \\\n  -H "Authorization: Bearer $REMIT_API_KEY" \\\n`,
    );
    const errors = (await get('/docs/errors.md')).text;
    for (const [code, { status, type }] of Object.entries(errorCodes))
      expect(errors).toContain(
        `| ${status} | [\`${code}\`](${stack.baseUrl}/docs/errors/${code}) | \`${type}\` |`,
      );
    expect((await get('/docs/pagination.md')).text).toMatch(/^- `total` \*integer\*: .+$/m);
  });

  test('unknown pages are the page that lists the error codes, as HTML', async () => {
    const { status, headers } = await get('/docs/unknown.md');
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
