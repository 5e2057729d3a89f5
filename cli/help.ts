/** What `--help` prints, from the commands themselves. */
import type { Command, Group, Option } from './command.ts';
import { jsonOption } from './read-options.ts';

/** The name of the program, as it is called. */
const program = 'npx remit';
const readableWidth = 100;

/** How a command or group is used; `path` are the words that lead to it, `width` the terminal's. */
export function helpOf(entry: Command | Group, path: readonly string[], width = readableWidth): string {
  const name = [program, ...path].join(' ');
  const columns = Math.min(width, readableWidth);
  const sections =
    'commands' in entry ? groupSections(entry, name, columns) : commandSections(entry, name, columns);
  return sections.join('\n\n');
}

function groupSections({ about, details, commands }: Group, name: string, width: number): string[] {
  const children = Object.entries(commands);
  return [
    `Usage: ${name} COMMAND`,
    about,
    list(
      children.map(([word, command]) => [word, command.about]),
      width,
    ),
    ...paragraphs(details, width),
    examplesSection(children.map(([, command]) => firstExample(command))),
    `More: ${name} COMMAND --help`,
  ];
}

function firstExample(entry: Command | Group): string {
  if ('examples' in entry) return entry.examples[0] ?? '';
  return Object.values(entry.commands).map(firstExample)[0] ?? '';
}

function commandSections(
  { about, details, operands = [], options = {}, examples }: Command,
  name: string,
  width: number,
): string[] {
  const entries = Object.entries(options);
  const required = entries.flatMap(([option, spec]) => (spec.required ? [spell(option, spec)] : []));
  const optional = entries.length > required.length ? ['[OPTIONS]'] : [];
  return [
    `Usage: ${[name, ...operands, ...required, ...optional].join(' ')}`,
    about,
    ...paragraphs(details, width),
    list(
      [...entries, ['json', jsonOption] as const].map(([option, spec]) => [spell(option, spec), spec.about]),
      width,
    ),
    examplesSection(examples),
  ];
}

const examplesSection = (examples: readonly string[]) =>
  ['Examples:', ...examples.map((example) => `  ${example}`)].join('\n');

const spell = (name: string, { value }: Option) => (value === undefined ? `--${name}` : `--${name} ${value}`);

/** With an empty line between them. */
function paragraphs(text: string | undefined, width: number): string[] {
  return (text?.split('\n\n') ?? []).map((paragraph) => wrapped(paragraph, 0, width));
}

function list(rows: readonly (readonly [left: string, right: string])[], width: number): string {
  const indent = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.map(([left, right]) => `  ${left}`.padEnd(indent) + wrapped(right, indent, width)).join('\n');
}

function wrapped(text: string, indent: number, width: number): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
