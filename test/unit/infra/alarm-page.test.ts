import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { alarmPage } from '../../../infra/alarm-page.ts';

test.each([
  ['ServerErrors', 'server-errors'],
  ['DashboardServerErrors', 'server-errors'],
  ['FunctionErrors2', 'function-errors'],
  ['WebhookDeadLetters', 'dead-letters'],
])('the page of %s is %s.md', (name, page) => {
  expect(alarmPage(name)).toBe(`docs/operate/alarms/${page}.md`);
  expect(alarmPage(name, 'https://git.example.com/remit/docs/operate')).toBe(
    `https://git.example.com/remit/docs/operate/alarms/${page}.md`,
  );
});

describe('the commands that show who is hurt', () => {
  const pages = globSync('docs/operate/**/*.md').map((file) => readFileSync(file, 'utf8'));
  const foundIn = (pattern: RegExp) =>
    new Set(pages.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found)));

  test('each saved query exists', () => {
    const [, queries = ''] = readFileSync('docs/operate/README.md', 'utf8').split('## Saved queries');
    const names = [...queries.matchAll(/^# (.*)$/gm)].map(([, name]) => name);
    const used = foundIn(/saved "([^"]+)"/g);
    expect(used.size).toBeGreaterThan(4);
    expect([...used].filter((name) => !names.includes(name))).toEqual([]);
  });

  test('the service writes each line that a filter looks for', () => {
    const source = globSync('shared/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const messages = foundIn(/logs '"([^"]+)"'/g);
    expect(messages.size).toBeGreaterThan(4);
    messages.delete('Task timed out');
    expect([...messages].filter((message) => !source.some((code) => code.includes(`'${message}'`)))).toEqual(
      [],
    );
  });
});
