/** What a command is, what it is given and what it results in. How one is found and run is `program.ts`. */
import { parseDueDate } from '../shared/due-date.ts';
import type { Instant } from '../shared/time.ts';
import type { Table } from './table.ts';

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

export interface Command {
  /** What it does, in a line. */
  readonly about: string;
  /** What else there is to know, in paragraphs with an empty line between them. */
  readonly details?: string;
  /** Words that stand without a name, such as the id in `invoices get ID`: all of them are required. */
  readonly operands?: readonly string[];
  /** By their names, without the dashes. All commands have `--json`, too. */
  readonly options?: Readonly<Record<string, Option>>;
  /** Whole lines, ready to be pasted but for ids. */
  readonly examples: readonly string[];
  /** Undefined: it has printed everything itself. */
  readonly run: (options: Options) => Promise<Result | undefined>;
}

export interface Option {
  /** What stands for its value in the help; absent: it has none. */
  readonly value?: string;
  readonly about: string;
  readonly required?: true;
  /** Its value is a number without a fraction. */
  readonly integer?: true;
}

/** Commands under one word. */
export interface Group {
  readonly about: string;
  readonly details?: string;
  readonly commands: Readonly<Record<string, Command | Group>>;
}

/** What a command was given: options and operands, by their names. */
export interface Options {
  readonly json: boolean;
  /** Throws if it is absent. */
  required(name: string): string;
  optional(name: string): string | undefined;
  /** Whether an option without a value was given. */
  flag(name: string): boolean;
}

/** What a command results in: `json` under `--json`, for people the table and below it the text. */
export interface Result {
  readonly json: unknown;
  readonly table?: Table;
  readonly text?: string | undefined;
  /** It was done and can be shown, but what it came to is no success: the exit code is 1. */
  readonly failed?: boolean;
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
