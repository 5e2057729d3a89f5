/** Describes errors for the user: the message, the field, the error code, the request id and a hint. */
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

/** Returns the text that is printed on standard error. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof RemitError ? describeApiError(error) : (describeTableError(error) ?? error.message);
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
    return 'Run npm start, or check REMIT_URL. If the command makes a change, check first whether the change was made.';
  if (error instanceof AuthenticationError)
    return 'Set REMIT_API_KEY to a valid key. To create a key, run npx remit keys create.';
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

/** Describes common errors of the AWS SDK. Returns undefined for other errors. */
function describeTableError({ name, message, code }: Error & { code?: string }): string | undefined {
  if (code === 'ECONNREFUSED')
    return 'The stack does not respond. Run npm start, or check AWS_ENDPOINT_URL_DYNAMODB.';
  if (message === 'Region is missing') return 'No AWS region is set. Set AWS_REGION.';
  if (/^(CredentialsProviderError|TokenProviderError)$/.test(name))
    return 'No AWS credentials were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. If you use aws sso login, run it again.';
  if (/^(ExpiredToken(Exception)?|InvalidClientTokenId|UnrecognizedClientException)$/.test(name))
    return 'AWS does not accept the credentials, or they have expired. Sign in again, or check AWS_PROFILE.';
  if (name === 'ResourceNotFoundException')
    return `There is no table ${process.env.TABLE_NAME}. Check TABLE_NAME and the region.`;
  return undefined;
}
