/**
 * Writes the log: one line of JSON for each entry, on standard output. The caller lists each field. It never passes a
 * whole object that could contain an API key, a body or customer data.
 *
 * The lines have the fields of Powertools for AWS, whose logger is a tenth of the time to load a function. Its variable
 * `POWERTOOLS_LOG_LEVEL` says which entries are written.
 */
import { maskLongNumbers } from './card-numbers.ts';
import { env } from './env.ts';
import { now, toTimestamp } from './time.ts';

/** The levels, from the lowest to the highest. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'silent'] as const;

type WriteEntry = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

const chosen = levels.indexOf(env.logLevel().toLowerCase() as 'info');
const lowest = chosen === -1 ? levels.indexOf('info') : chosen;

/**
 * Returns the function that writes the entries of a level. Each entry has the version of the function that wrote it. A field
 * of the caller never replaces one of the entry.
 */
function entryWriter(level: (typeof levels)[number]): WriteEntry {
  if (levels.indexOf(level) < lowest) return () => {};
  return (message, fields) => {
    const entry = {
      level: level.toUpperCase(),
      message,
      timestamp: toTimestamp(now()),
      service: 'remit',
      xray_trace_id: /Root=([^;]+)/.exec(env.traceHeader() ?? '')?.[1],
      version: env.version(),
    };
    process.stdout.write(`${toLine({ ...entry, ...fields, ...entry }) ?? toLine(entry)}\n`);
  };
}

/** Returns undefined if a field has no form in JSON. The log never makes a request fail. */
function toLine(entry: object): string | undefined {
  try {
    return JSON.stringify(entry);
  } catch {
    return undefined;
  }
}

export const logger = {
  debug: entryWriter('debug'),
  info: entryWriter('info'),
  warn: entryWriter('warn'),
  error: entryWriter('error'),
  critical: entryWriter('critical'),
};

/**
 * Returns the fields of an error that may be logged, without attached items, requests and responses.
 *
 * - The message of a `SyntaxError` quotes the text that was parsed, which could be customer data or a secret, so it is left
 *   out.
 * - Long numbers are masked, because a message of another system could repeat a card number.
 */
export function serializeError(error: unknown): {
  name: string;
  message: string;
  stack: string | undefined;
  cause?: string;
} {
  if (!(error instanceof Error)) return { name: 'NotAnError', message: typeof error, stack: undefined };
  const { name, cause } = error;
  const message = messageOf(error);
  const stack = message === error.message ? error.stack : error.stack?.replace(error.message, () => message);
  return {
    name,
    message: maskLongNumbers(message),
    stack: stack && maskLongNumbers(stack),
    ...(cause instanceof Error && { cause: maskLongNumbers(`${cause.name}: ${messageOf(cause)}`) }),
  };
}

const messageOf = (error: Error) => (error instanceof SyntaxError ? 'A text is not valid.' : error.message);
