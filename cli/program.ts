/**
 * Finds and runs the command that the arguments name.
 * - Results go to standard output. All other output goes to standard error, so that results can be piped.
 * - With `--json`, an error is one line of JSON, the last one on standard error.
 * - The exit code is 0 (success), 1 (the command failed) or 2 (the arguments or `TABLE_NAME` are wrong).
 */
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type CommandResult,
  usageError,
} from './command.ts';
import { describeError, errorToJson } from './error-text.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { renderHelp } from './help.ts';
import { useProxyOfEnvironment } from './proxy.ts';
import { didYouMean, parseOptions } from './read-options.ts';
import { renderTextTable } from './table.ts';
import { endProgress, terminalCapabilities } from './terminal.ts';

/** Other names of commands. An alias applies in groups that have a command of the second name and none of the first. */
const aliases: readonly (readonly [alias: string, name: string])[] = [
  ['ls', 'list'],
  ['show', 'get'],
  ['get', 'show'],
];

/** Returns the aliases of a command of the group. */
export function aliasesOf(name: string, { commands }: CommandGroup): readonly string[] {
  return aliases.flatMap(([alias, each]) =>
    each === name && !Object.hasOwn(commands, alias) ? [alias] : [],
  );
}

export interface ProgramFacts {
  /** What `--version` prints. */
  readonly version: string;
  /** Returns where a command runs that this program does not have, but another one. */
  readonly explainMissing?: (name: string) => string | undefined;
}

/** Runs the command of `args`, and sets the exit code. */
export async function runProgram(
  root: CommandGroup,
  args: readonly string[],
  { version, explainMissing }: ProgramFacts,
): Promise<void> {
  process.stdout.on('error', exitOnClosedPipe);
  try {
    if (/^(-v|--version)$/.test(args.join(' '))) return void print(version);
    rejectApiKeyArguments(args);
    const missing = explainMissing?.(args.find((word) => word !== 'help') ?? '');
    if (missing !== undefined) throw usageError(missing);
    const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
    const { entry, path, rest } = findCommand(root, words);
    if ('commands' in entry || isHelpRequested(rest)) {
      print(renderHelp(entry, path, terminalCapabilities().width));
      process.exitCode = isHelpRequested(rest) ? 0 : 2;
      return;
    }
    const options = parseOptions(entry, rest);
    await useProxyOfEnvironment();
    const result = await entry.run(options);
    endProgress();
    if (!result) return;
    if (options.json) print(escapeControlCharacters(JSON.stringify(result.json, null, 2)));
    else printResult(result);
    if (result.failed) process.exitCode = 1;
  } catch (error) {
    endProgress();
    printRemark(args.includes('--json') ? JSON.stringify(errorToJson(error)) : describeError(error));
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Throws a usage error if an argument contains an API key. The message does not repeat the key. */
function rejectApiKeyArguments(args: readonly string[]): void {
  if (!args.some((argument) => /^--api-?key\b|\bsk_(test|live)_\w{8}/i.test(argument))) return;
  throw usageError(
    'Do not pass API keys as arguments. Other users of this machine can read them, and the shell stores them. Set REMIT_API_KEY, or enter the key when the prompt asks for it. If the key is real, revoke it.',
  );
}

function findCommand(root: CommandGroup, args: readonly string[]) {
  let entry: CliCommand | CommandGroup = root;
  const path: string[] = [];
  const rest = [...args];
  while ('commands' in entry && rest[0] !== undefined && !isHelpRequested(rest.slice(0, 1))) {
    const commands: CommandGroup['commands'] = entry.commands;
    const word = rest.shift() ?? '';
    const known = Object.keys(commands);
    const group: CommandGroup = entry;
    const found = known.find((each) => each === word || aliasesOf(each, group).includes(word));
    const child: CliCommand | CommandGroup | undefined = found === undefined ? undefined : commands[found];
    if (word.startsWith('-'))
      throw usageError(`${word} is in the place of a command. Put options after the command.`);
    if (found === undefined || !child) {
      const name = [...path, word].join(' ');
      throw usageError(
        `Unknown command: ${name}.${didYouMean(word, known)} Use one of: ${known.join(', ')}.`,
      );
    }
    entry = child;
    path.push(found);
  }
  return { entry, path, rest };
}

const isHelpRequested = ([first, ...others]: readonly string[]) =>
  first === 'help' || [first, ...others].some((word) => word === '--help' || word === '-h');

function printResult({ table, text, csv, remark }: CommandResult): void {
  if (table) print(renderTextTable(table, terminalCapabilities()));
  if (text) print(escapeControlCharacters(text));
  if (csv) process.stdout.write(csv);
  if (remark) printRemark(remark);
}

const print = (text: string) => process.stdout.write(`${text}\n`);
const printRemark = (text: string) => process.stderr.write(`${escapeControlCharacters(text)}\n`);

/** Exits when the reader of a pipe, for example `head`, closes it. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
