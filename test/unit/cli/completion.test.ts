/** Tests the completion scripts in the shells that load them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { apiCommands } from '../../../cli/api-commands.ts';
import type { CliCommand, CommandGroup } from '../../../cli/command.ts';
import { commands } from '../../../cli/commands.ts';
import { completionCommands } from '../../../cli/completion.ts';
import { parseOptions } from '../../../cli/read-options.ts';
import { isInstalled } from '../../support/paste.ts';
import { completeInZsh } from '../../support/zsh-completion.ts';

const run = promisify(execFile);

/** The commands of the package, which have no option for a file. */
const packageCommands: CommandGroup = { about: '', commands: apiCommands };

async function scriptFor(shell: 'bash' | 'zsh', root = commands): Promise<string> {
  const { [shell]: command } = completionCommands(() => root).commands;
  if (!command || 'commands' in command) throw new Error(`The command completion ${shell} is missing.`);
  return (await command.run(parseOptions(command, [])))?.text ?? '';
}

/** Returns the choices of bash for each command line, whose last word is the one to complete. */
async function completeInBash(lines: readonly string[][], root = commands): Promise<string[][]> {
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(remit ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=()
_remit remit; echo "\${COMPREPLY[*]}"`,
  );
  const script = `set -eu\n${await scriptFor('bash', root)}\n[[ $(complete -p remit) == *'-F _remit remit' ]]\n${calls.join('\n')}`;
  const { stdout } = await run('bash', ['--norc', '-c', script], { cwd: 'test/types' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter(Boolean));
}

for (const shell of ['bash', 'zsh'].filter((each) => !isInstalled(each)))
  process.stderr.write(
    `Skipped the completion in ${shell}: it is not installed (apt-get install ${shell}).\n`,
  );
const bashTest = isInstalled('bash') ? test : test.skip;
const zshTest = isInstalled('zsh') ? test : test.skip;

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

describe.each([
  ['all commands', commands],
  ['the commands of the package', packageCommands],
])('with %s', (_, root) => {
  const all = nodes(root);

  bashTest('bash offers the commands of each group and the options of each command', async () => {
    const lines = all.map(([path]) => [...path, '']);
    expect(await completeInBash(lines, root)).toEqual(all.map(([, words]) => words));
  });

  zshTest('zsh offers the commands of each group and the options of each command', async () => {
    const lines = all.map(([path]) => ['remit', ...path, ''].join(' '));
    const completed = await completeInZsh(await scriptFor('zsh', root), lines);
    const offered = completed.map(({ choices }) => choices.toSorted());
    expect(offered).toEqual(all.map(([, words]) => words.toSorted()));
  });
});

bashTest(
  'bash completes the start of a word, after options, aliases and help, and offers files where one is needed',
  async () => {
    expect(
      await completeInBash([
        ['inv'],
        ['help', 'webhooks', 'rot'],
        ['invoices', 'ls', '--status', 'paid', '--lim'],
        ['accounts', 'get', '--acc'],
        ['providers', 'connect', '--credentials-file', 'exh'],
        ['invoices', 'list', '--status', ''],
        ['nonsense', ''],
      ]),
    ).toEqual([
      ['invoices'],
      ['rotate-secret'],
      ['--limit'],
      ['--account'],
      ['exhaustiveness.ts'],
      [],
      Object.keys(commands.commands),
    ]);
  },
);

zshTest(
  'zsh completes the start of a word, after options, aliases and help, and offers files where one is needed',
  async () => {
    const completed = await completeInZsh(await scriptFor('zsh'), [
      'remit inv',
      'remit help webhooks rot',
      'remit invoices ls --status paid --lim',
      'remit accounts get --acc',
      'remit providers connect --credentials-file cred',
      'remit invoices list --status pai',
      'npx remit inv',
    ]);
    expect(completed.map(({ line }) => line)).toEqual([
      'remit invoices ',
      'remit help webhooks rotate-secret ',
      'remit invoices ls --status paid --limit ',
      'remit accounts get --account ',
      'remit providers connect --credentials-file credentials.json ',
      'remit invoices list --status pai',
      'npx remit inv',
    ]);
  },
);

test('the script for zsh describes each command and option', async () => {
  const script = await scriptFor('zsh');
  expect(script.startsWith('#compdef remit\n')).toBe(true);
  for (const [path, words] of nodes(commands)) {
    const [, choices = ''] =
      new RegExp(`^ +'${['remit', ...path].join(' ')}'\\) choices=\\((.*)\\) ;;$`, 'm').exec(script) ?? [];
    for (const word of words) expect(choices).toContain(`'${word}:`);
  }
});
