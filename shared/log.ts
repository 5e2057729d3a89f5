/**
 * Writes the log: one line of JSON for each entry, on standard output. The caller lists each field. It never passes a
 * whole object that could contain an API key, a body or customer data.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { maskLongNumbers } from './card-numbers.ts';
import { env } from './env.ts';

/** Each entry has the version of the function that wrote it. */
export const logger = new Logger({ serviceName: 'remit', persistentKeys: { version: env.version() } });

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
