/**
 * Finds the command that was named and runs it. Results go to standard output, everything else to standard error; the
 * exit code is 0, 1 (it could not be done) or 2 (usage).
 */
import { type Command, CommandError, type Group, type Result, usageError } from './command.ts';
import { messageOf } from './error-text.ts';
import { helpOf } from './help.ts';
import { didYouMean, readOptions } from './read-options.ts';
import { renderTable } from './table.ts';
import { endProgress, paper } from './terminal.ts';
import { visible } from './visible.ts';

/** Runs what `words` ask for, and sets the exit code. */
export async function runProgram(root: Group, words: readonly string[]): Promise<void> {
  process.stdout.on('error', endOfReader);
  try {
    refuseKeys(words);
    const { entry, path, rest } = find(root, words);
    if ('commands' in entry || wantsHelp(rest)) {
      print(helpOf(entry, path, paper().width));
      process.exitCode = wantsHelp(rest) ? 0 : 2;
      return;
    }
    const options = readOptions(entry, rest);
    const result = await entry.run(options);
    endProgress();
    if (!result) return;
    print(options.json ? visible(JSON.stringify(result.json, null, 2)) : textOf(result));
    if (result.failed) process.exitCode = 1;
  } catch (error) {
    endProgress();
    process.stderr.write(`${visible(messageOf(error))}\n`);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Arguments can be read by everybody on the machine, and the shell keeps them. What was given is not repeated. */
function refuseKeys(words: readonly string[]): void {
  if (!words.some((word) => /^--api-?key\b|\bsk_(test|live)_\w{8}/i.test(word))) return;
  throw usageError(
    'API keys are not taken from arguments, which others on this machine can read and the shell keeps. Set REMIT_API_KEY, or leave it out and be asked. Revoke the key if it was a real one.',
  );
}

function find(root: Group, words: readonly string[]) {
  let entry: Command | Group = root;
  const path: string[] = [];
  const rest = [...words];
  while ('commands' in entry && rest[0] !== undefined && !wantsHelp(rest.slice(0, 1))) {
    const commands: Group['commands'] = entry.commands;
    const word = rest.shift() ?? '';
    const child: Command | Group | undefined = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (!child) {
      const known = Object.keys(commands);
      const name = [...path, word].join(' ');
      throw usageError(
        `There is no command ${name}.${didYouMean(word, known)} Use one of ${known.join(', ')}.`,
      );
    }
    entry = child;
    path.push(word);
  }
  return { entry, path, rest };
}

const wantsHelp = ([first, ...others]: readonly string[]) =>
  first === 'help' || [first, ...others].some((word) => word === '--help' || word === '-h');

function textOf({ table, text }: Result): string {
  return [table && renderTable(table, paper()), text && visible(text)].filter(Boolean).join('\n');
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Such as `head`, which has seen enough. */
function endOfReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
