/** Defines commands, their options and their results, and parses common option values. `program.ts` runs commands. */

import { containsCardNumber } from '../shared/base/card-numbers.ts';
import { parseDueDate } from '../shared/base/due-date.ts';
import { cardNumberMessage } from '../shared/base/text.ts';
import type { Instant } from '../shared/base/time.ts';
import { isName } from '../shared/domain/accounts/account.ts';
import type { TextTable } from './table.ts';

/**
 * An error whose message is printed for the user: what is wrong, then what to do. The exit code 2 means that the command
 * did not begin, because its arguments or settings are wrong.
 */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Creates an error for incorrect arguments (exit code 2). */
export const usageError = (message: string) => new CommandError(message, 2);

export interface CliCommand {
  /** What the command does, in one line that begins with an imperative verb. */
  readonly about: string;
  /** More help. An empty line separates paragraphs. */
  readonly details?: string;
  /** The names of the positional arguments, for example the id in `invoices get ID`. All of them are required. */
  readonly operands?: readonly string[];
  /** The options by name, without the dashes. Every command also has `--json`. */
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** Complete command lines. They can be pasted after ids are filled in. */
  readonly examples: readonly string[];
  /** Returns undefined if the command printed its output itself. */
  readonly run: (options: ParsedOptions) => Promise<CommandResult | undefined>;
}

export interface OptionSpec {
  /** The placeholder of the value in the help. Absent: the option takes no value. */
  readonly value?: string;
  readonly about: string;
  readonly required?: true;
  /** The value must be an integer. */
  readonly integer?: true;
  /** The value must be an amount in the smallest currency unit. */
  readonly amount?: true;
  /** The option can be given more than once. */
  readonly repeatable?: true;
}

/** Commands with a common first word. */
export interface CommandGroup {
  readonly about: string;
  readonly details?: string;
  readonly commands: Readonly<Record<string, CliCommand | CommandGroup>>;
}

/** The options and positional arguments of a call, by name. */
export interface ParsedOptions {
  readonly json: boolean;
  /** Throws a usage error if the argument is missing. */
  required(name: string): string;
  optional(name: string): string | undefined;
  /** Returns the values of an option that can be given more than once. Empty if it is missing. */
  all(name: string): readonly string[];
  /** Whether the call has this option. For options that take no value. */
  flag(name: string): boolean;
}

/**
 * The result of a command. `--json` prints only `json`. Otherwise the table is printed, the text below it, and the remark on
 * standard error.
 */
export interface CommandResult {
  readonly json: unknown;
  readonly table?: TextTable;
  readonly text?: string | undefined;
  /** CSV without control characters. It may begin with a byte order mark. */
  readonly csv?: string | undefined;
  /** What the user should know about the result, for example that a list has more pages. */
  readonly remark?: string | undefined;
  /** The command ran, but its outcome is a failure, for example a declined payment. The exit code is 1. */
  readonly failed?: boolean;
}

/** Reads a name of 1 to 100 characters. Control characters are rejected, because they could act on a terminal. */
export function readName(options: ParsedOptions, option = 'name'): string {
  const message = 'must have 1 to 100 characters. Control characters and only spaces are not allowed.';
  return requireTypedText(option, options.required(option), isName, message);
}

/**
 * Returns a text that the user typed.
 * @param message says which form is valid
 * @throws CommandError (usage) if it has another form or contains a card number
 */
export function requireTypedText(
  option: string,
  text: string,
  isValid: (text: string) => boolean,
  message: string,
): string {
  if (!isValid(text)) throw usageError(`--${option} ${message}`);
  if (containsCardNumber(text)) throw usageError(cardNumberMessage(`--${option}`));
  return text;
}

/** Parses an option that accepts only the values of `choices`. Throws a usage error for all others. */
export function parseChoice<const C extends string>(option: string, value: string, choices: readonly C[]): C {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw usageError(`--${option} must be one of ${choices.join(', ')}.`);
  return choice;
}

/** Parses an ISO 8601 date or datetime. Throws a usage error for other texts. */
export function parseInstant(option: string, value: string): Instant {
  const instant = parseDueDate(value)?.instant;
  if (instant === undefined)
    throw usageError(`--${option} must be an ISO 8601 date or datetime, for example 2027-01-31T12:00:00Z.`);
  return instant;
}
