/** Tests that the commands of the documents exist with their options, and that those for operators name a deployment. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { CliCommand, CommandGroup } from '../../../cli/command.ts';
import { commands } from '../../../cli/commands.ts';

/** `CONTRIBUTING.md` describes a command that a future release may have. */
const documents = ['README.md', ...globSync('docs/**/*.md')];
const synonyms: Readonly<Record<string, string>> = { ls: 'list', show: 'get', get: 'show' };

/** Returns the code of a document: its spans and its blocks, in which a backslash continues a line. */
const codeOf = (text: string) =>
  text.match(/^ *```\w*\n[\s\S]*?^ *```$|`[^`]+`/gm)?.map((code) => code.replaceAll(/\s*\\\n\s*/g, ' ')) ??
  [];

/** A command as a document shows it: the variable of the table before it, and its words without quoted texts and comments. */
interface Shown {
  readonly text: string;
  readonly table: boolean;
  readonly words: readonly string[];
}

function shownIn(code: string): Shown[] {
  const lines =
    code.startsWith('`') && !code.startsWith('```') ? [code.replaceAll(/`|\n\s*/g, ' ')] : code.split('\n');
  return lines.flatMap((line) =>
    [...line.matchAll(/(TABLE_NAME=\S+ )?npx remit( [^#|;&>()`]*)/g)].map(([text, table, rest = '']) => ({
      text,
      table: table !== undefined,
      words: rest
        .replaceAll(/"[^"]*"|'[^']*'/g, '…')
        .split(/\s+/)
        .filter(Boolean),
    })),
  );
}

/** Finds the command. Undefined if the words name a group, or a command that does not exist. */
function find(words: readonly string[]): CliCommand | CommandGroup | undefined {
  let entry: CliCommand | CommandGroup | undefined = commands;
  for (const word of words[0] === 'help' ? words.slice(1) : words) {
    if (!entry || 'run' in entry || !/^[a-z-]+$/.test(word) || word.startsWith('-')) break;
    const known: CommandGroup['commands'] = entry.commands;
    entry = known[word] ?? known[synonyms[word] ?? ''];
  }
  return entry;
}

const globalOptions = ['help', 'json'];

test.each(documents)('the commands in %s exist', (document) => {
  const faults = codeOf(readFileSync(document, 'utf8'))
    .flatMap(shownIn)
    .filter(({ words }) => words[0] !== '…')
    .flatMap(({ text, table, words }) => {
      const command = find(words);
      if (!command) return [`${text}: does not exist`];
      const options = words.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []);
      if (!('run' in command))
        return options.length > 0 && !options.includes('help') ? [`${text}: is a group`] : [];
      const specs = command.options ?? {};
      const unknown = options.filter((name) => !(name in specs) && !globalOptions.includes(name));
      const isForOperators = document.startsWith('docs/operate/') && options.length > 0;
      const isLocal =
        isForOperators &&
        'stage' in specs &&
        !table &&
        !options.some((name) => name === 'stage' || name === 'url');
      return [
        ...unknown.map((name) => `${text}: has no option --${name}`),
        ...(isLocal ? [`${text}: needs --stage, or it uses the local stack`] : []),
      ];
    });
  expect(faults).toEqual([]);
});

test('documents for operators show commands', () => {
  const text = readFileSync('docs/operate/alarms/malformed-items.md', 'utf8');
  expect(codeOf(text).flatMap(shownIn).length).toBeGreaterThan(4);
});
