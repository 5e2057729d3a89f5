/**
 * Reports the calls of an SDK client to AWS X-Ray, as subsegments of the function's segment.
 *
 * - Lambda decides which invocations are traced, and says so in an environment variable. Other invocations send nothing.
 * - A subsegment contains the operation, the table, the times and the outcome. It contains no key and no value.
 * - The X-Ray daemon of the function receives subsegments over UDP, so a call never waits for it. If a subsegment is lost,
 *   only the trace is incomplete.
 * - The X-Ray SDK is in maintenance until February 2027, and OpenTelemetry is a multiple of the size of these functions.
 *   The format is at https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html.
 */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { env } from '../base/env.ts';
import { now } from '../base/time.ts';
import { isThrottling } from './throttling.ts';

/** The name with which X-Ray recognizes a service of AWS. */
type ServiceName = 'DynamoDB' | 'SQS' | 'S3';

/** The part of a response, or of an error of the SDK, that describes the call. */
interface CallMetadata {
  readonly $metadata?: {
    readonly requestId?: string;
    readonly httpStatusCode?: number;
    readonly attempts?: number;
  };
}

/** Returns the middleware that reports each call to `service`. Add it in the step `initialize`. */
export function traceCalls(service: ServiceName) {
  return <Call extends { readonly input: object }, Result extends { readonly output?: CallMetadata }>(
    next: (call: Call) => Promise<Result>,
    { commandName = '' }: { readonly commandName?: string },
  ) =>
    (call: Call): Promise<Result> => {
      const header = env.traceHeader();
      const trace = header && tracedInvocation(header);
      const daemon = trace && env.traceDaemon();
      if (!trace || !daemon) return next(call);
      const startedAt = now();
      const report = (outcome: CallMetadata = {}, error?: unknown) =>
        send(daemon, {
          id: newId(),
          name: service,
          type: 'subsegment',
          namespace: 'aws',
          trace_id: trace.root,
          parent_id: trace.parent,
          start_time: startedAt / 1000,
          end_time: now() / 1000,
          aws: {
            operation: commandName.replace(/Command$/, ''),
            ...describeTarget(service, call.input),
            ...describeAttempts(outcome),
          },
          http: { response: { status: outcome.$metadata?.httpStatusCode } },
          ...(error === undefined ? {} : describeError(error)),
        });
      return reporting(next(call), report);
    };
}

/** Waits for a call and reports its outcome. @throws the error of the call */
async function reporting<Result extends { readonly output?: CallMetadata }>(
  call: Promise<Result>,
  report: (outcome?: CallMetadata, error?: unknown) => void,
): Promise<Result> {
  try {
    const result = await call;
    report(result.output);
    return result;
  } catch (error) {
    report(error as CallMetadata, error);
    throw error;
  }
}

/**
 * Parses the trace header of the invocation, for example `Root=1-…;Parent=…;Sampled=1`.
 * @returns undefined if the invocation is not traced
 */
function tracedInvocation(header: string): { readonly root: string; readonly parent: string } | undefined {
  const fields = new Map(header.split(';').map((field) => field.split('=', 2) as [string, string]));
  const root = fields.get('Root');
  const parent = fields.get('Parent');
  return fields.get('Sampled') === '1' && root && parent ? { root, parent } : undefined;
}

/** Names the table, the bucket or the queue. There is one table and one bucket. */
function describeTarget(service: ServiceName, input: { readonly QueueUrl?: string }): object {
  if (service === 'S3') return { bucket_name: env.bucketName() };
  return service === 'DynamoDB' ? { table_name: env.tableName() } : { queue_url: input.QueueUrl };
}

function describeAttempts({ $metadata: { requestId, attempts = 1 } = {} }: CallMetadata): object {
  return { request_id: requestId, retries: attempts - 1 };
}

/** Describes an error by its class. Its message could contain a value of the request. */
function describeError(error: unknown): object {
  const { name, $metadata } = error as Error & CallMetadata;
  const isRefused = ($metadata?.httpStatusCode ?? 500) < 500;
  return {
    [isRefused ? 'error' : 'fault']: true,
    throttle: isThrottling(name) || undefined,
    cause: { exceptions: [{ id: newId(), type: name }] },
  };
}

const newId = () => randomBytes(8).toString('hex');

let socket: Socket | undefined;

/** @param daemon the address of the X-Ray daemon, for example `169.254.79.129:2000` */
function send(daemon: string, subsegment: object): void {
  if (!socket) {
    socket = createSocket('udp4').unref();
    socket.on('error', () => {});
  }
  const [host, port] = daemon.split(':');
  // The callback receives the error of a datagram that cannot be sent.
  socket.send(`{"format":"json","version":1}\n${JSON.stringify(subsegment)}`, Number(port), host, () => {});
}
