/** What `--help` says is so: every example is understood by the command that it is an example of. */
import { describe, expect, test } from '@jest/globals';
import type { Command, Group } from '../../../cli/command.ts';
import { commands } from '../../../cli/commands.ts';
import { helpOf } from '../../../cli/help.ts';
import { didYouMean, readOptions } from '../../../cli/read-options.ts';

type Entry = readonly [path: string, entry: Command | Group];

const entries = (path: string, entry: Command | Group): Entry[] => [
  [path, entry],
  ...('commands' in entry
    ? Object.entries(entry.commands).flatMap(([word, child]) => entries(`${path} ${word}`, child))
    : []),
];
const all = entries('npx remit', commands);
const single = all.flatMap(([path, entry]) => ('run' in entry ? [[path, entry] as const] : []));

/** The words of a line, as a shell takes it. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe.each(all)('%s', (path, entry) => {
  const help = helpOf(entry, path.split(' ').slice(2));

  test('says how it is called, what it does, and what stands under it', () => {
    expect(help).toContain(`Usage: ${path}`);
    expect(help).toContain(entry.about);
    const below = 'run' in entry ? Object.keys(entry.options ?? {}) : Object.keys(entry.commands);
    for (const name of below) expect(help).toContain('run' in entry ? `  --${name}` : `  ${name} `);
  });

  test('stays within a terminal, but for lines to be pasted', () => {
    const lines = help.split('\n').filter((line) => !line.includes('npx remit'));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });
});

test.each(single)('%s has an example, and understands each of them', (path, command) => {
  expect(command.examples.length).toBeGreaterThan(0);
  for (const example of command.examples) {
    expect(example.startsWith(path)).toBe(true);
    expect(() => readOptions(command, wordsOf(example.slice(path.length)))).not.toThrow();
  }
});

test('what was probably meant is asked for, and nothing else', () => {
  expect(didYouMean('lst', ['list', 'get'])).toBe(' Did you mean list?');
  expect(didYouMean('refnd.procesed', ['refund.processed', 'refund.failed'])).toBe(
    ' Did you mean refund.processed?',
  );
  expect(didYouMean('remove', ['list', 'get'])).toBe('');
});
