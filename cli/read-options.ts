/** Parses and validates the arguments after a command: options and positional arguments. */
import { parseArgs } from 'node:util';
import { parseMajorUnits } from '../shared/base/money.ts';
import { type CliCommand, type OptionSpec, type ParsedOptions, usageError } from './command.ts';

export const jsonOption: OptionSpec = { about: 'Print the result as JSON.' };

type Values = ReadonlyMap<string, readonly (string | true)[]>;

/**
 * Parses the arguments of `command`.
 * @throws CommandError (usage) that names the first wrong argument and says what to do
 */
export function parseOptions(command: CliCommand, args: readonly string[]): ParsedOptions {
  const specs = { ...command.options, json: jsonOption };
  const values = parseValues(specs, command, args);
  for (const [name, { required }] of Object.entries(specs)) {
    if (required && !values.has(name)) throw usageError(`--${name} is required.`);
  }
  const all = (name: string) => (values.get(name) ?? []) as readonly string[];
  const optional = (name: string) => all(name)[0];
  const required = (name: string) => {
    const value = optional(name);
    if (value === undefined) throw usageError(`--${name} is required.`);
    return value;
  };
  return { json: values.has('json'), required, optional, all, flag: (name) => values.has(name) };
}

/** Suggests the known word that is most similar to `word`, as a question. Returns '' if no known word is similar. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.candidate}?` : '';
}

function parseValues(
  specs: Readonly<Record<string, OptionSpec>>,
  { operands = [], examples: [example] }: CliCommand,
  args: readonly string[],
): Values {
  const values = new Map<string, readonly (string | true)[]>();
  const types = Object.entries(specs).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const options = Object.fromEntries(types);
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  let operandCount = 0;
  for (const token of tokens) {
    if (token.kind === 'option') {
      const value = parseValue(specs, token);
      const earlier = values.get(token.name) ?? [];
      if (earlier.length > 0 && !specs[token.name]?.repeatable)
        throw usageError(`--${token.name} can be given only once.`);
      values.set(token.name, [...earlier, value]);
    } else if (token.kind === 'positional') {
      const name = operands[operandCount];
      if (name === undefined)
        throw usageError(`Unexpected argument "${token.value}". ${describeOperands(operands)}`);
      if (token.value === '') throw usageError(`${name} must not be empty.`);
      values.set(name, [token.value]);
      operandCount += 1;
    }
  }
  if (operandCount < operands.length)
    throw usageError(
      `${operands[operandCount]} is missing. ${describeOperands(operands)} Example: ${example}`,
    );
  return values;
}

function parseValue(
  specs: Readonly<Record<string, OptionSpec>>,
  token: { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined },
): string | true {
  const { name, rawName, value, inlineValue } = token;
  const spec = rawName === `--${name}` && Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (!spec) {
    const known = Object.keys(specs).map((option) => `--${option}`);
    throw usageError(
      `Unknown option: ${rawName}.${didYouMean(rawName, known)} Use one of: ${known.join(', ')}.`,
    );
  }
  if (spec.value === undefined) {
    if (value !== undefined) throw usageError(`--${name} does not take a value.`);
    return true;
  }
  if (value === undefined || (!inlineValue && /^-\D/.test(value)))
    throw usageError(
      `--${name} needs a value. Use --${name} ${spec.value}, or --${name}=${spec.value} if the value begins with a dash.`,
    );
  if (value === '') throw usageError(`--${name} must not be empty.`);
  if (spec.amount) requireSmallestUnit(`--${name}`, value, `--${name} `);
  if (spec.integer && !/^-?\d{1,15}$/.test(value))
    throw usageError(`--${name} must be a whole number of at most 15 digits.`);
  return value;
}

/**
 * Rejects an amount such as `12.50` or `1,250`, and says how to write it.
 * @param name what the message calls the amount
 * @param before what the user writes before the amount
 */
export function requireSmallestUnit(name: string, value: string, before = ''): void {
  if (/^-?\d+$/.test(value)) return;
  const amount = parseMajorUnits(value);
  const advice =
    amount === undefined ? 'For example, 1250 is 12.50.' : `For ${value}, use ${before}${amount}.`;
  throw usageError(`${name} must be a whole number in the smallest currency unit. ${advice}`);
}

const describeOperands = (operands: readonly string[]) =>
  operands.length === 0
    ? 'This command accepts only options, which begin with --.'
    : `Expected: ${operands.join(' ')}.`;

/** Returns the Levenshtein distance: how many letters to insert, delete or replace to turn one word into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
