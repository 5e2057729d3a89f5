/**
 * The log: one JSON line per entry on standard output. What is logged is listed field by field by the caller;
 * nothing that could hold a key, a body or a customer's data is ever passed in whole.
 */
import { Logger } from '@aws-lambda-powertools/logger';

export const logger = new Logger({ serviceName: 'remit' });

/** The fields of an error that may be logged: no attached items, requests or responses. */
export function loggable(error: unknown): {
  name: string;
  message: string;
  stack: string | undefined;
  cause?: string;
} {
  if (!(error instanceof Error)) return { name: 'NotAnError', message: typeof error, stack: undefined };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...(cause instanceof Error && { cause: `${cause.name}: ${cause.message}` }),
  };
}
