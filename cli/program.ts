/**
 * Finds and runs the command that the arguments name.
 * - Results go to standard output. All other output goes to standard error, so that results can be piped.
 * - The exit code is 0 (success), 1 (the command failed) or 2 (the arguments or `TABLE_NAME` are wrong).
 */
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type CommandResult,
  usageError,
} from './command.ts';
import { describeError } from './error-text.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { renderHelp } from './help.ts';
import { didYouMean, parseOptions } from './read-options.ts';
import { renderTextTable } from './table.ts';
import { endProgress, terminalCapabilities } from './terminal.ts';

/** Runs the command of `args`, and sets the exit code. */
export async function runProgram(root: CommandGroup, args: readonly string[]): Promise<void> {
  process.stdout.on('error', exitOnClosedPipe);
  try {
    rejectApiKeyArguments(args);
    const { entry, path, rest } = findCommand(root, args);
    if ('commands' in entry || isHelpRequested(rest)) {
      print(renderHelp(entry, path, terminalCapabilities().width));
      process.exitCode = isHelpRequested(rest) ? 0 : 2;
      return;
    }
    const options = parseOptions(entry, rest);
    const result = await entry.run(options);
    endProgress();
    if (!result) return;
    print(
      options.json ? escapeControlCharacters(JSON.stringify(result.json, null, 2)) : renderResult(result),
    );
    if (result.failed) process.exitCode = 1;
  } catch (error) {
    endProgress();
    process.stderr.write(`${escapeControlCharacters(describeError(error))}\n`);
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
    const child: CliCommand | CommandGroup | undefined = Object.hasOwn(commands, word)
      ? commands[word]
      : undefined;
    if (!child) {
      const known = Object.keys(commands);
      const name = [...path, word].join(' ');
      throw usageError(
        `Unknown command: ${name}.${didYouMean(word, known)} Use one of: ${known.join(', ')}.`,
      );
    }
    entry = child;
    path.push(word);
  }
  return { entry, path, rest };
}

const isHelpRequested = ([first, ...others]: readonly string[]) =>
  first === 'help' || [first, ...others].some((word) => word === '--help' || word === '-h');

function renderResult({ table, text }: CommandResult): string {
  return [table && renderTextTable(table, terminalCapabilities()), text && escapeControlCharacters(text)]
    .filter(Boolean)
    .join('\n');
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Exits when the reader of a pipe, for example `head`, closes it. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
