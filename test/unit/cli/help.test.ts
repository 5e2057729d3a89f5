/** Tests that `--help` is complete and that every command accepts its own examples. */
import { describe, expect, test } from '@jest/globals';
import type { CliCommand, CommandGroup } from '../../../cli/command.ts';
import { commands } from '../../../cli/commands.ts';
import { renderHelp } from '../../../cli/help.ts';
import { didYouMean, parseOptions } from '../../../cli/read-options.ts';

type Entry = readonly [path: string, entry: CliCommand | CommandGroup];

const entries = (path: string, entry: CliCommand | CommandGroup): Entry[] => [
  [path, entry],
  ...('commands' in entry
    ? Object.entries(entry.commands).flatMap(([word, child]) => entries(`${path} ${word}`, child))
    : []),
];
const all = entries('npx remit', commands);
const single = all.flatMap(([path, entry]) => ('run' in entry ? [[path, entry] as const] : []));

/** Splits a line into arguments, as a shell does. */
const splitLine = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe.each(all)('%s', (path, entry) => {
  const help = renderHelp(entry, path.split(' ').slice(2));

  test('shows its usage, its purpose, and its options or commands', () => {
    expect(help).toContain(`Usage: ${path}`);
    expect(help).toContain(entry.about);
    const names = 'run' in entry ? Object.keys(entry.options ?? {}) : Object.keys(entry.commands);
    for (const name of names) expect(help).toContain('run' in entry ? `  --${name}` : `  ${name} `);
  });

  test('fits the width of a terminal, except lines to paste', () => {
    const lines = help.split('\n').filter((line) => !line.includes('npx remit'));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });
});

test.each(single)('%s has examples and accepts each of them', (path, command) => {
  expect(command.examples.length).toBeGreaterThan(0);
  for (const example of command.examples) {
    expect(example.startsWith(path)).toBe(true);
    expect(() => parseOptions(command, splitLine(example.slice(path.length)))).not.toThrow();
  }
});

test('all commands with an effect that cannot be undone have --yes', () => {
  const asking = single.flatMap(([path, { options }]) =>
    options?.yes ? [path.replace('npx remit ', '')] : [],
  );
  expect(asking.toSorted()).toEqual([
    'accounts close',
    'customers delete',
    'drafts delete',
    'erase',
    'invoices cancel',
    'invoices confirm-claim',
    'invoices reject-claim',
    'invoices replace',
    'keys revoke',
    'keys roll-over',
    'payments resolve',
    'payments void',
    'poison drop',
    'products delete',
    'providers disconnect',
    'providers rotate',
    'reconcile skip-numbers',
    'refunds create',
    'secrets remove',
    'users remove',
    'webhooks delete',
    'webhooks rotate-secret',
  ]);
});

test('a similar word is suggested, other words are not', () => {
  expect(didYouMean('lst', ['list', 'get'])).toBe(' Did you mean list?');
  expect(didYouMean('refnd.procesed', ['refund.processed', 'refund.failed'])).toBe(
    ' Did you mean refund.processed?',
  );
  expect(didYouMean('remove', ['list', 'get'])).toBe('');
});
