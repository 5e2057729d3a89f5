/**
 * Runs a double of EventBridge and of Lambda on the loopback address: the operations PutEvents and Invoke, for events. It keeps what it
 * accepts, and passes nothing on.
 *
 * - EventBridge: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html. A call succeeds although entries are
 *   refused. An event to a bus that does not exist is accepted and lost: https://github.com/aws/aws-cli/issues/9186 and
 *   https://github.com/aws/aws-sdk/issues/186.
 * - Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html, with the invocation type `Event` only.
 */
import { randomUUID } from 'node:crypto';
import type { DoubleRequest, DoubleResponse } from '../provider-doubles/common/double-messages.ts';
import { type DoubleServer, startDoubleServer } from '../provider-doubles/common/http-server.ts';
import { type EventEntry, readEntries } from './put-events.ts';
import { requireSignatureOf, TargetDoubleError } from './target-error.ts';

/** An accepted invocation. */
export interface FunctionInvocation {
  readonly arn: string;
  readonly payload: string;
}

export interface TargetDouble extends DoubleServer {
  /** The ARNs of the buses and functions that exist. */
  readonly existing: Set<string>;
  /** The error code with which each call about a bus or a function is refused, by ARN. */
  readonly refusals: Map<string, string>;
  /** The events that have reached a bus, oldest first. */
  readonly events: readonly EventEntry[];
  /** The invocations that a function has got, oldest first. */
  readonly invocations: readonly FunctionInvocation[];
}

/** The errors of Invoke with their HTTP statuses. The others have 400. */
const invokeStatuses: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  KMSAccessDeniedException: 502,
  KMSDisabledException: 502,
  KMSInvalidStateException: 502,
  KMSNotFoundException: 502,
  RequestTooLargeException: 413,
  ResourceConflictException: 409,
  ResourceNotFoundException: 404,
  ServiceException: 500,
  TooManyRequestsException: 429,
};
/** AWS accepts 1 MB. What the double accepts is what EventBridge accepts, see `put-events.ts`. */
const maxPayloadBytes = 262_144;
const maxBodyBytes = 4 * 1024 * 1024;

/** Starts the double. @param port 0 selects any free port */
export async function startTargetDouble(port = 0): Promise<TargetDouble> {
  const existing = new Set<string>();
  const refusals = new Map<string, string>();
  const events: EventEntry[] = [];
  const invocations: FunctionInvocation[] = [];

  const put = ({ headers, body }: DoubleRequest): DoubleResponse => {
    requireSignatureOf('events', headers);
    if (headers['content-type'] !== 'application/x-amz-json-1.1')
      throw new TargetDoubleError('SerializationException', 400, 'The content type is not that of the API.');
    const results = readEntries(body).map((entry) => {
      if ('ErrorCode' in entry) return entry;
      const refusal = refusals.get(entry.EventBusName);
      if (refusal !== undefined) return { ErrorCode: refusal, ErrorMessage: 'The entry was refused.' };
      if (existing.has(entry.EventBusName)) events.push(entry);
      return { EventId: randomUUID() };
    });
    const failed = results.filter((each) => 'ErrorCode' in each).length;
    return json(200, { FailedEntryCount: failed, Entries: results });
  };

  const invoke = (arn: string, { headers, body }: DoubleRequest): DoubleResponse => {
    requireSignatureOf('lambda', headers);
    const fail = (code: string, message: string) =>
      new TargetDoubleError(code, invokeStatuses[code] ?? 400, message);
    if (headers['x-amz-invocation-type'] !== 'Event')
      throw fail('InvalidParameterValueException', 'The double knows only the invocation type Event.');
    const refusal = refusals.get(arn);
    if (refusal !== undefined) throw fail(refusal, 'The call was refused.');
    if (!existing.has(arn)) throw fail('ResourceNotFoundException', `Function not found: ${arn}`);
    if (Buffer.byteLength(body) > maxPayloadBytes)
      throw fail('RequestTooLargeException', 'Request must be smaller than 262144 bytes.');
    requireJson(body, fail);
    invocations.push({ arn, payload: body });
    return { status: 202, body: '' };
  };

  const handle = (request: DoubleRequest): DoubleResponse => {
    try {
      if (request.method === 'POST' && request.headers['x-amz-target'] === 'AWSEvents.PutEvents')
        return put(request);
      const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(request.path) ?? [];
      if (request.method === 'POST' && name !== undefined) return invoke(decodeURIComponent(name), request);
      throw new TargetDoubleError('UnknownOperationException', 404, 'The double knows PutEvents and Invoke.');
    } catch (error) {
      if (!(error instanceof TargetDoubleError)) throw error;
      const { code, status, message } = error;
      return json(status, { __type: code, message }, { 'x-amzn-ErrorType': code });
    }
  };
  const options = { apiPath: '/', maxBodyBytes };
  const server = await startDoubleServer(port, handle, undefined, options);
  return { ...server, existing, refusals, events, invocations };
}

function requireJson(body: string, fail: (code: string, message: string) => Error): void {
  try {
    JSON.parse(body);
  } catch {
    throw fail('InvalidRequestContentException', 'Could not parse request body into json.');
  }
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.1', ...headers },
  body: JSON.stringify(body),
});
