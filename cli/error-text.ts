/** Describes errors for the user, as text and as JSON: the message, the field, the error code, the request id and a hint. */
import {
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RemitError,
  ServerError,
  TimeoutError,
} from '../client/src/remit.ts';
import { CommandError } from './command.ts';

/** Returns the text that is printed on standard error. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof RemitError ? describeApiError(error) : (describeTableError(error) ?? error.message);
}

/** An error as `--json` prints it. */
export interface ErrorJson {
  /** Identifies the error: a code of the API, or a code of the command line. */
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly hint?: string | undefined;
}

/** Returns the fields of the error that `--json` prints on standard error. */
export function errorToJson(error: unknown): ErrorJson {
  if (!(error instanceof RemitError)) return { code: codeOf(error), message: describeError(error) };
  const { message, field, status, requestId } = error;
  return { code: codeOf(error), message, field, status, requestId, hint: hintFor(error) };
}

function codeOf(error: unknown): string {
  if (error instanceof CommandError && error.exitCode === 2) return 'invalid_arguments';
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof ConnectionError) return 'connection_failed';
  if (error instanceof RemitError) return error.code ?? 'invalid_response';
  return 'command_failed';
}

function describeApiError(error: RemitError): string {
  const { message, field, code, status, requestId } = error;
  const facts = [
    ['field', field],
    ['code', code && `${code} (${status})`],
    ['request', requestId],
    ['hint', hintFor(error)],
  ];
  return [
    message,
    ...facts.flatMap(([name, value]) => (value ? [`  ${`${name}:`.padEnd(10)}${value}`] : [])),
  ].join('\n');
}

/** Returns advice that the service's message does not contain. */
function hintFor(error: RemitError): string | undefined {
  if (error instanceof ConnectionError)
    return `Run npm start, or check REMIT_URL or the profile.${proxyHint()} If the command makes a change, check first whether the change was made.`;
  if (error instanceof AuthenticationError)
    return 'Set REMIT_API_KEY to a valid key, or run npx remit login. To create a key, run npx remit keys create.';
  if (error instanceof PermissionError)
    return 'Use a key with this permission. To create a key, run npx remit keys create --permissions.';
  if (error instanceof RateLimitError)
    return `Wait ${error.retryAfterSeconds ?? 'a few'} seconds, or ask the operator for a higher plan.`;
  if (error instanceof NotFoundError)
    return 'Check the ID. A key can access only its own account and mode (test or live).';
  if (error instanceof IdempotencyError) return 'Use another --idempotency-key for a different request.';
  if (error instanceof ServerError)
    return "Try again later. To find the cause, search the service's log for the request ID.";
  return undefined;
}

/** Says which variable selects a proxy, if there is one. */
function proxyHint(): string {
  const name = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((each) => process.env[each]);
  return name === undefined
    ? ''
    : ` Requests go through the proxy of ${name}, except to the hosts of NO_PROXY.`;
}

/** Describes common errors of the AWS SDK. Returns undefined for other errors. */
function describeTableError({ name, message, code }: Error & { code?: string }): string | undefined {
  if (code === 'ECONNREFUSED')
    return `The stack does not respond. Run npm start, or check AWS_ENDPOINT_URL_DYNAMODB.${proxyHint()}`;
  if (message === 'Region is missing') return 'No AWS region is set. Set AWS_REGION.';
  if (/^(CredentialsProviderError|TokenProviderError)$/.test(name))
    return 'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. If you use aws sso login, run it again.';
  if (/^(ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException)$/.test(name))
    return 'AWS does not accept the credentials, or they have expired. Sign in again, or check AWS_PROFILE.';
  if (name === 'ResourceNotFoundException')
    return `There is no table ${process.env.TABLE_NAME}. Check TABLE_NAME and the region.`;
  return undefined;
}
