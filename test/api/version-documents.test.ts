/** Tests the documents and pages of each version, and that the client asks for the version of its types. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pinnedApiVersion } from '../../client/src/pinned-api-version.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { openApiDocument } from '../../shared/api/openapi/document.ts';
import { servedDocument } from '../../shared/api/openapi/served-document.ts';
import { routes } from '../../shared/api/routes.ts';
import { versionChanges } from '../../shared/domain/versions/changes.ts';
import { apiVersions, firstApiVersion, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { versionStories } from '../../shared/web/docs/version-stories.ts';
import { newAccount } from '../support/api.ts';
import { request } from '../support/http.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack?.close());

const get = (path: string) => request({ baseUrl: stack.baseUrl, path });

test.each(apiVersions)('/openapi.json?version=%s is the document of that version', async (version) => {
  const response = await get(`/openapi.json?version=${version}`);
  const expected = servedDocument(openApiDocument(routes, stack.baseUrl, version));
  expect(response.json).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(response.json.info['x-api-version']).toBe(version);
});

test('without a version, the document is the newest one', async () => {
  expect((await get('/openapi.json')).json.info['x-api-version']).toBe(newestApiVersion);
});

test.each(['2020-01-01', '', '__proto__', '%00', `${'2'.repeat(500)}`, '2026-11-21&version=2026-11-23'])(
  '/openapi.json?version=%s gets 400 and the list of versions',
  async (version) => {
    const { status, json } = await get(`/openapi.json?version=${version}`);
    expect([status, json.error.code, json.error.field]).toEqual([400, 'invalid_api_version', 'version']);
    expect(json.error.message).toContain(apiVersions.join(', '));
  },
);

test.each(['/docs', '/docs/invoices'])(
  '%s shows each version, with links to the others and to the page of changes',
  async (path) => {
    for (const version of apiVersions) {
      const { status, text } = await get(`${path}?version=${version}`);
      expect([status, text.includes(`<strong>${version}</strong>`)]).toEqual([200, true]);
      const [line = ''] = /<p class="version">[\s\S]*?<\/p>/.exec(text) ?? [];
      for (const other of apiVersions)
        expect(line.includes(`${path}?version=${other}"`)).toBe(other !== version);
      expect(line).toContain('/docs/changes"');
    }
    expect((await get(path)).text).toContain(`<strong>${newestApiVersion}</strong>`);
  },
);

test.each(['2020-01-01', '', '2026-11-21&version=2026-11-23'])(
  '/docs?version=%s gets 404 and links to all versions',
  async (version) => {
    const { status, text } = await get(`/docs?version=${version}`);
    expect(status).toBe(404);
    for (const each of apiVersions) expect(text).toContain(`/docs?version=${each}">${each}</a>`);
  },
);

test('the page of changes names each field and parameter that a version adds', async () => {
  const { status, text } = await get('/docs/changes');
  expect(status).toBe(200);
  for (const { version, fields, parameters } of versionChanges) {
    const names = [fields, parameters].flatMap((table) => Object.values(table).flatMap(Object.keys));
    expect(names.length).toBeGreaterThan(0);
    for (const name of [version, ...names]) expect(text).toContain(name);
  }
});

test('the page of changes says how to move to each version, with bodies that the version accepts', async () => {
  const { text } = await get('/docs/changes');
  const ids = text.match(/\sid="[^"]+"/g) ?? [];
  expect(new Set(ids).size).toBe(ids.length);
  const withoutIds = text.replaceAll(/\sid="[^"]+"/g, '');
  for (const { summary, steps, changes } of Object.values(versionStories)) {
    expect(steps.length).toBeGreaterThan(0);
    expect(text).toContain(summary);
    for (const { title } of changes) expect(withoutIds).toContain(`<h3>${title}</h3>`);
    for (const { before, after } of changes.filter((each) => each.before.includes('"customerId"'))) {
      const account = await newAccount(stack.baseUrl);
      const newest = inNewestVersion(account.test);
      expect((await account.test.post('/api/invoices', JSON.parse(before))).status).toBe(201);
      expect((await account.test.post('/api/invoices', JSON.parse(after))).status).toBe(400);
      const { status, json } = await newest.post('/api/invoices', JSON.parse(after));
      expect([status, json]).toEqual([201, expect.objectContaining(JSON.parse(after))]);
    }
  }
});

test('/docs opens at the newest version, and its samples ask for it, so they work with each key', async () => {
  const { text } = await get('/docs');
  expect(text).toEqual((await get(`/docs?version=${newestApiVersion}`)).text);
  const operations = (await get('/docs/invoices')).text;
  expect(operations).toContain(`X-API-Version: ${newestApiVersion}`);
  for (const path of ['/docs', '/docs/invoices'])
    expect((await get(`${path}?version=${firstApiVersion}`)).text).not.toContain('X-API-Version: 20');
});

test('the client asks for the version that its types describe', () => {
  expect(pinnedApiVersion).toBe(newestApiVersion);
});
