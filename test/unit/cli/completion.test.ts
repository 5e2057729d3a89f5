/** Tests the completion scripts in the shells that load them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { CliCommand, CommandGroup } from '../../../cli/command.ts';
import { commands } from '../../../cli/commands.ts';

const run = promisify(execFile);

async function scriptFor(shell: string): Promise<string> {
  return (await run(process.execPath, ['cli/remit.ts', 'completion', shell])).stdout;
}

/** Returns the choices of bash for each command line, whose last word is the one to complete. */
async function completeAll(lines: readonly string[][]): Promise<string[][]> {
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(remit ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=()
_remit remit; echo "\${COMPREPLY[*]}"`,
  );
  const script = `set -eu\n${await scriptFor('bash')}\n[[ $(complete -p remit) == *'-F _remit remit' ]]\n${calls.join('\n')}`;
  const { stdout } = await run('bash', ['--norc', '-c', script], { cwd: 'test/versions' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter(Boolean));
}

const nodes = (
  entry: CliCommand | CommandGroup,
  path: readonly string[] = [],
): (readonly [string[], string[]])[] =>
  'commands' in entry
    ? [
        [[...path], Object.keys(entry.commands)],
        ...Object.entries(entry.commands).flatMap(([word, child]) => nodes(child, [...path, word])),
      ]
    : [[[...path], [...Object.keys(entry.options ?? {}), 'json'].map((name) => `--${name}`)]];

test('bash offers the commands of each group and the options of each command', async () => {
  const all = nodes(commands);
  expect(all.length).toBeGreaterThan(80);
  expect(await completeAll(all.map(([path]) => [...path, '']))).toEqual(all.map(([, words]) => words));
});

test('bash completes the start of a word, after options, aliases and help, and offers files where one is needed', async () => {
  expect(
    await completeAll([
      ['inv'],
      ['help', 'webhooks', 'rot'],
      ['invoices', 'ls', '--status', 'paid', '--lim'],
      ['accounts', 'get', '--acc'],
      ['providers', 'connect', '--credentials-file', 'rel'],
      ['nonsense', ''],
    ]),
  ).toEqual([
    ['invoices'],
    ['rotate-secret'],
    ['--limit'],
    ['--account'],
    ['releases.json'],
    Object.keys(commands.commands),
  ]);
});

test('the script for zsh has the same commands and options, each with its description', async () => {
  const script = await scriptFor('zsh');
  expect(script.startsWith('#compdef remit\n')).toBe(true);
  for (const [path, words] of nodes(commands)) {
    const [, choices = ''] =
      new RegExp(`^ +'${['remit', ...path].join(' ')}'\\) choices=\\((.*)\\) ;;$`, 'm').exec(script) ?? [];
    for (const word of words) expect(choices).toContain(`'${word}:`);
  }
});
