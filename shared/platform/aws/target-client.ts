/**
 * Sends an event to a queue, an event bus or a function of AWS, with the role of the running function.
 *
 * - One call, which is never repeated here: the caller decides whether the event is sent again.
 */
import { constructStack } from '@smithy/core/client';
import type { AwsTarget, TargetType } from '../../base/aws-targets.ts';
import { env } from '../../base/env.ts';
import { serviceTimeLimits } from './direct-service.ts';
import { publicEndpoint } from './endpoint.ts';
import { type AwsResponse, HttpClient } from './http-client.ts';
import {
  type AnswerJson,
  awsErrorCodeOf,
  parseAnswer,
  type SingleCall,
  signSingleCall,
} from './single-call.ts';

/** An event to send. */
export interface TargetMessage {
  /** The id of the event. */
  readonly id: string;
  readonly type: string;
  readonly mode: string;
  readonly account: string;
  /** The id of the object that the event is about. */
  readonly objectId: string;
  /** JSON text. */
  readonly body: string;
}

/** Why a target did not accept an event. */
export type TargetError =
  | 'target_not_found'
  | 'target_access_denied'
  | 'target_key_denied'
  | 'target_throttled'
  | 'target_failed'
  | 'timeout'
  | 'connection_failed';

/** What came of a call. `answer` is the body of the answer. `cause` is the error code of AWS. */
export type TargetOutcome =
  | { readonly status: number; readonly answer: string }
  | { readonly error: TargetError; readonly cause?: string | undefined; readonly answer: string };

/** What the steps of `middlewareStack` see. */
export interface TargetInput {
  readonly target: AwsTarget;
}

// biome-ignore lint/suspicious/noExplicitAny: each step of the SDK's stack has its own types
type Call = (args: any) => Promise<any>;

export class TargetClient {
  readonly middlewareStack = constructStack<object, object>();
  readonly #http = new HttpClient(serviceTimeLimits);

  /** Makes the call, once. @throws Error only if the environment does not say where it goes, or with which credentials */
  async send(target: AwsTarget, message: TargetMessage): Promise<TargetOutcome> {
    const request = signSingleCall({ ...calls[target.type](target, message), region: target.region });
    const exchange = async () => {
      const { response } = await this.#http.handle(request);
      return { output: { $metadata: { httpStatusCode: response.statusCode } }, response };
    };
    const resolved = this.middlewareStack.resolve(
      exchange as never,
      { commandName: `${target.type}Command` } as never,
    ) as Call;
    const input: TargetInput = { target };
    try {
      return outcomeOf((await resolved({ input })).response);
    } catch (error) {
      const isTimeout = (error as Error).name === 'TimeoutError';
      return { error: isTimeout ? 'timeout' : 'connection_failed', answer: '' };
    }
  }
}

/** The client of this instance. Marked as pure, so bundles that send no event do not contain it. */
export const targetClient = /* @__PURE__ */ new TargetClient();

type TargetCall = (target: AwsTarget, message: TargetMessage) => Omit<SingleCall, 'region'>;

const calls: Readonly<Record<TargetType, TargetCall>> = {
  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
  sqs: ({ region, account, name }, { id, type, mode, account: owner, objectId, body }) => ({
    service: 'sqs',
    contentType: 'application/x-amz-json-1.0',
    operation: 'AmazonSQS.SendMessage',
    body: JSON.stringify({
      QueueUrl: `${env.awsEndpoint('sqs') ?? publicEndpoint('sqs', undefined, region)}/${account}/${name}`,
      MessageBody: escapeForQueue(body),
      MessageAttributes: attributesOf({ type, mode, account: owner, id }),
      // Only FIFO queues need them. Their names end with .fifo.
      ...(name.endsWith('.fifo') && { MessageGroupId: objectId, MessageDeduplicationId: id }),
    }),
  }),
  /** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
  eventbridge: ({ arn }, { type, account, body }) => ({
    service: 'events',
    contentType: 'application/x-amz-json-1.1',
    operation: 'AWSEvents.PutEvents',
    body: JSON.stringify({
      Entries: [
        {
          Source: `remit.${env.stage()}`,
          DetailType: type,
          Detail: body,
          Resources: [account],
          EventBusName: arn,
        },
      ],
    }),
  }),
  /** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html. Lambda drops the client context of an asynchronous invocation. */
  lambda: ({ arn }, { body, id, type, mode, account }) => ({
    service: 'lambda',
    contentType: 'application/json',
    invocationType: 'Event',
    path: `/2015-03-31/functions/${encodeURIComponent(arn)}/invocations`,
    body: withAttributes({ type, mode, account, id }, body),
  }),
};

const attributesOf = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );

/** Returns JSON text: the attributes, and the body with its own bytes beside them. */
const withAttributes = (values: Readonly<Record<string, string>>, body: string): string =>
  `${JSON.stringify(values).slice(0, -1)},"body":${body}}`;

/** SQS replaces these two characters by another one. As escapes of JSON they mean the same, and stay. */
const escapeForQueue = (json: string): string =>
  json.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

function outcomeOf(response: AwsResponse): TargetOutcome {
  const { statusCode: status, body } = response;
  const answer = body.toString('utf8');
  const json = parseAnswer(body);
  if (status >= 200 && status < 300) {
    if (!json.FailedEntryCount) return { status, answer };
    // The call to EventBridge succeeded, and the only entry was refused.
    const [entry] = (json.Entries ?? []) as AnswerJson[];
    const cause = String(entry?.ErrorCode ?? 'Unknown');
    return { error: errorOf(cause), cause, answer };
  }
  const cause = awsErrorCodeOf(response, json);
  return { error: errorOf(cause), cause, answer };
}

/**
 * The codes are those of SendMessage, PutEvents and Invoke, see above, of an entry of PutEvents
 * (https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html), and of all actions.
 */
function errorOf(code: string): TargetError {
  if (/Throttl|TooManyRequests|LimitExceeded/i.test(code)) return 'target_throttled';
  if (/^kms/i.test(code)) return 'target_key_denied';
  if (/DoesNotExist|NonExistentQueue|NotFound/i.test(code)) return 'target_not_found';
  if (
    /AccessDenied|NotAuthorized|UnrecognizedClient|InvalidSignature|ExpiredToken|InvalidSecurity/i.test(code)
  )
    return 'target_access_denied';
  return 'target_failed';
}
