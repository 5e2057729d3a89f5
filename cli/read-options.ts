/** Reads the words after a command: its options and operands, or what is wrong with them. */
import { parseArgs } from 'node:util';
import { type Command, type Option, type Options, usageError } from './command.ts';

export const jsonOption: Option = { about: 'the result as JSON, as the API gives it' };

type Values = ReadonlyMap<string, string | true>;

/** Throws a usage error that names the first word which is wrong, and what would be right. */
export function readOptions(command: Command, words: readonly string[]): Options {
  const specs = { ...command.options, json: jsonOption };
  const values = readValues(specs, command, words);
  for (const [name, { required }] of Object.entries(specs)) {
    if (required && !values.has(name)) throw usageError(`--${name} is required.`);
  }
  const optional = (name: string) => values.get(name) as string | undefined;
  const required = (name: string) => {
    const value = optional(name);
    if (value === undefined) throw usageError(`--${name} is required.`);
    return value;
  };
  return { json: values.has('json'), required, optional, flag: (name) => values.has(name) };
}

/** What was probably meant by a word, as a question; nothing if none of the known ones is like it. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.candidate}?` : '';
}

function readValues(
  specs: Readonly<Record<string, Option>>,
  { operands = [], examples: [example] }: Command,
  words: readonly string[],
): Values {
  const values = new Map<string, string | true>();
  const types = Object.entries(specs).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const options = Object.fromEntries(types);
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  let given = 0;
  for (const token of tokens) {
    if (token.kind === 'option') {
      const value = readValue(specs, token);
      if (values.has(token.name)) throw usageError(`--${token.name} can be given once.`);
      values.set(token.name, value);
    } else if (token.kind === 'positional') {
      const name = operands[given];
      if (name === undefined) throw usageError(`"${token.value}" is a word too many: ${expected(operands)}.`);
      if (token.value === '') throw usageError(`${name} must not be empty.`);
      values.set(name, token.value);
      given += 1;
    }
  }
  if (given < operands.length)
    throw usageError(`${operands[given]} is missing: ${expected(operands)}, such as ${example}`);
  return values;
}

function readValue(
  specs: Readonly<Record<string, Option>>,
  token: { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined },
): string | true {
  const { name, rawName, value, inlineValue } = token;
  const spec = rawName === `--${name}` && Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (!spec) {
    const known = Object.keys(specs).map((option) => `--${option}`);
    throw usageError(
      `There is no option ${rawName}.${didYouMean(rawName, known)} The options are ${known.join(', ')}.`,
    );
  }
  if (spec.value === undefined) {
    if (value !== undefined) throw usageError(`--${name} takes no value.`);
    return true;
  }
  if (value === undefined || (!inlineValue && /^-\D/.test(value)))
    throw usageError(
      `--${name} needs a value: --${name} ${spec.value}, or --${name}=${spec.value} if it begins with a dash.`,
    );
  if (value === '') throw usageError(`--${name} must not be empty.`);
  if (spec.integer && !/^-?\d{1,15}$/.test(value))
    throw usageError(`--${name} must be a whole number of at most 15 digits.`);
  return value;
}

const expected = (operands: readonly string[]) =>
  operands.length === 0 ? 'there are only options, which begin with --' : `expected is ${operands.join(' ')}`;

/** How many letters must be put in, taken out or replaced to get from one word to the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [place, letter] of [...from].entries()) {
    const next = [place + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
