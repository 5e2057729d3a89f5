/**
 * What all commands share: which deployment they work on, how their options are read, and how they end. Results go
 * to standard output, everything else to standard error; the exit code is 0, 1 (it could not be done) or 2 (usage).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setEnvironment, setLocalCredentials } from '../infra/local/environment.ts';
import { repositoryRoot } from '../infra/local/handler.ts';
import type { StackDescription } from '../infra/local/stack-file.ts';
import { parseDueDate } from '../shared/due-date.ts';
import type { Instant } from '../shared/time.ts';

/** A sentence for the person at the terminal: what is wrong and what would be right. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was called wrongly; `message` says how it is called rightly. */
export const usageError = (message: string) => new CommandError(message, 2);

/** The options given to a command, all of them texts, and whether `--json` was among them. */
export interface Options {
  readonly json: boolean;
  /** The option's value. Throws if it is absent. */
  required(name: string): string;
  optional(name: string): string | undefined;
}

/** What a command results in: `json` as it is printed under `--json`, `text` for people. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
}

export interface Command {
  /** The names of its options, without the dashes. */
  readonly options: readonly string[];
  readonly run: (options: Options) => Promise<Result>;
}

/** Runs the command that `words` name and ends the process with its exit code. */
export async function runCommand(
  usage: string,
  commands: Readonly<Record<string, Command>>,
  words: readonly string[],
): Promise<void> {
  try {
    const [name = '', ...rest] = words;
    if (name === '' || name === 'help' || words.includes('--help') || words.includes('-h')) {
      process.stdout.write(`${usage}\n`);
      process.exitCode = name === '' ? 2 : 0;
      return;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command)
      throw usageError(`There is no command ${name}: use one of ${Object.keys(commands).join(', ')}.`);
    const options = readOptions(command, rest);
    await connect();
    const { json, text } = await command.run(options);
    process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : text}\n`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}

function readOptions({ options: names }: Command, words: readonly string[]): Options {
  const entries = names.map((name) => [name, { type: 'string' }] as const);
  let values: Record<string, string | boolean | undefined>;
  let given: string[];
  try {
    const { tokens, ...parsed } = parseArgs({
      args: [...words],
      options: { ...Object.fromEntries(entries), json: { type: 'boolean' } },
      tokens: true,
    });
    values = parsed.values;
    given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  } catch (error) {
    const [what = ''] = (error as Error).message.split('. ');
    const known = [...names, 'json'].map((name) => `--${name}`).join(', ');
    throw usageError(`${what.replace(/\.$/, '')}; the options are ${known}.`);
  }
  const repeated = given.find((name, index) => given.indexOf(name) < index);
  if (repeated) throw usageError(`--${repeated} can be given once.`);
  const optional = (name: string) => {
    const value = values[name];
    if (value === '') throw usageError(`--${name} must not be empty.`);
    return value as string | undefined;
  };
  const required = (name: string) => {
    const value = optional(name);
    if (value === undefined) throw usageError(`--${name} is required.`);
    return value;
  };
  return { json: values.json === true, required, optional };
}

/** Without `TABLE_NAME` the commands work on the local stack, which says where it is in `.local/stack.json`. */
async function connect(): Promise<void> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'WARN';
  const { TABLE_NAME, DEPLOYMENT_SECRET_ARN, DEPLOYMENT_SECRET_FILE } = process.env;
  if (TABLE_NAME) {
    if (DEPLOYMENT_SECRET_ARN || DEPLOYMENT_SECRET_FILE) return;
    const { deploymentSecretOf } = await import('./deployment-secret.ts');
    setEnvironment({ DEPLOYMENT_SECRET_ARN: await deploymentSecretOf(TABLE_NAME) });
    return;
  }
  let stack: StackDescription;
  try {
    stack = JSON.parse(await readFile(join(repositoryRoot, '.local', 'stack.json'), 'utf8'));
  } catch {
    throw new CommandError('No stack was found: run npm start first, or set TABLE_NAME for a deployed one.');
  }
  const { tableName, deploymentSecretFile, dynamodbEndpoint, payUrlBase } = stack;
  setLocalCredentials([dynamodbEndpoint]);
  setEnvironment({
    TABLE_NAME: tableName,
    DEPLOYMENT_SECRET_FILE: deploymentSecretFile,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    PAY_URL_BASE: payUrlBase,
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, code } = error as Error & { code?: string };
  if (code === 'ECONNREFUSED')
    return 'The stack does not answer: run npm start, or check AWS_ENDPOINT_URL_DYNAMODB.';
  if (message === 'Region is missing') return 'No AWS region is set: set AWS_REGION.';
  if (name === 'ResourceNotFoundException')
    return `There is no table ${process.env.TABLE_NAME}: check TABLE_NAME and the region.`;
  return message;
}

/** A name for people: 1 to 100 characters, none of which could play tricks with a terminal. */
export function nameOf(options: Options, option = 'name'): string {
  const name = options.required(option);
  if (/^[^\p{C}]{1,100}$/u.test(name) && name.trim() !== '') return name;
  throw usageError(`--${option} must have 1 to 100 characters, not only blanks, without control characters.`);
}

/** One of the words that an option takes. */
export function oneOf<const W extends string>(option: string, value: string, words: readonly W[]): W {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw usageError(`--${option} must be one of ${words.join(', ')}.`);
  return word;
}

/** An instant written in ISO 8601. */
export function instantOf(option: string, value: string): Instant {
  const instant = parseDueDate(value)?.instant;
  if (instant === undefined)
    throw usageError(`--${option} must be an ISO 8601 datetime, such as 2027-01-31T12:00:00Z.`);
  return instant;
}

/** Rows as a table with aligned columns, the first row being the heads. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
