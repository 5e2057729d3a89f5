/** Renders the output of `--help` from the definitions of the commands. */
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import { jsonOption } from './read-options.ts';

/** The command line that starts the program. */
const program = 'npx remit';
const maxWidth = 100;

/**
 * Renders the help of a command or group.
 * @param path the words that select it
 * @param width the width of the terminal in columns
 */
export function renderHelp(
  entry: CliCommand | CommandGroup,
  path: readonly string[],
  width = maxWidth,
): string {
  const name = [program, ...path].join(' ');
  const columns = Math.min(width, maxWidth);
  const sections =
    'commands' in entry ? renderGroup(entry, name, columns) : renderCommand(entry, name, columns);
  return sections.join('\n\n');
}

function renderGroup({ about, details, commands }: CommandGroup, name: string, width: number): string[] {
  const children = Object.entries(commands);
  return [
    `Usage: ${name} COMMAND`,
    about,
    renderRows(
      children.map(([word, command]) => [word, command.about]),
      width,
    ),
    ...renderParagraphs(details, width),
    renderExamples(children.map(([, command]) => firstExample(command))),
    `For help on a command, run: ${name} COMMAND --help`,
  ];
}

function firstExample(entry: CliCommand | CommandGroup): string {
  if ('examples' in entry) return entry.examples[0] ?? '';
  return Object.values(entry.commands).map(firstExample)[0] ?? '';
}

function renderCommand(
  { about, details, operands = [], options = {}, examples }: CliCommand,
  name: string,
  width: number,
): string[] {
  const entries = Object.entries(options);
  const required = entries.flatMap(([option, spec]) => (spec.required ? [formatOption(option, spec)] : []));
  const optional = entries.length > required.length ? ['[OPTIONS]'] : [];
  return [
    `Usage: ${[name, ...operands, ...required, ...optional].join(' ')}`,
    about,
    ...renderParagraphs(details, width),
    renderRows(
      [...entries, ['json', jsonOption] as const].map(([option, spec]) => [
        formatOption(option, spec),
        spec.about,
      ]),
      width,
    ),
    renderExamples(examples),
  ];
}

const renderExamples = (examples: readonly string[]) =>
  ['Examples:', ...examples.map((example) => `  ${example}`)].join('\n');

const formatOption = (name: string, { value }: OptionSpec) =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

/** Splits a text at its empty lines, and wraps each paragraph. */
function renderParagraphs(text: string | undefined, width: number): string[] {
  return (text?.split('\n\n') ?? []).map((paragraph) => wrapText(paragraph, 0, width));
}

function renderRows(rows: readonly (readonly [left: string, right: string])[], width: number): string {
  const indent = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.map(([left, right]) => `  ${left}`.padEnd(indent) + wrapText(right, indent, width)).join('\n');
}

function wrapText(text: string, indent: number, width: number): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
