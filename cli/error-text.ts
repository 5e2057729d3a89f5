/** What an error says to the person at the terminal: what is wrong, where, which request it was, and what helps. */
import {
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RemitError,
  ServerError,
} from '../client/src/remit.ts';

/** The text for standard error. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof RemitError ? apiErrorText(error) : (tableErrorText(error) ?? error.message);
}

function apiErrorText(error: RemitError): string {
  const { message, field, code, status, requestId } = error;
  const facts = [
    ['field', field],
    ['code', code && `${code} (${status})`],
    ['request', requestId],
    ['remedy', remedyOf(error)],
  ];
  return [
    message,
    ...facts.flatMap(([name, value]) => (value ? [`  ${`${name}:`.padEnd(10)}${value}`] : [])),
  ].join('\n');
}

/** What helps beyond what the service has said. */
function remedyOf(error: RemitError): string | undefined {
  if (error instanceof ConnectionError)
    return 'run npm start, or set REMIT_URL to where the service is; a command that changes something may have done so';
  if (error instanceof AuthenticationError)
    return 'set REMIT_API_KEY to a key that can be used; npx remit keys create makes one';
  if (error instanceof PermissionError)
    return 'use a key with this permission; npx remit keys create --permissions makes one';
  if (error instanceof RateLimitError)
    return `wait ${error.retryAfterSeconds ?? 'some'} seconds, or have the operator raise the plan`;
  if (error instanceof NotFoundError)
    return 'compare the id; a key sees its own account and mode (test or live) only';
  if (error instanceof IdempotencyError) return 'take another --idempotency-key for another request';
  if (error instanceof ServerError) return "try again later; the service's log has this request";
  return undefined;
}

/** What the AWS SDK says, in words of these commands; undefined if it is something else. */
function tableErrorText({ name, message, code }: Error & { code?: string }): string | undefined {
  if (code === 'ECONNREFUSED')
    return 'The stack does not answer: run npm start, or check AWS_ENDPOINT_URL_DYNAMODB.';
  if (message === 'Region is missing') return 'No AWS region is set: set AWS_REGION.';
  if (name === 'ResourceNotFoundException')
    return `There is no table ${process.env.TABLE_NAME}: check TABLE_NAME and the region.`;
  return undefined;
}
