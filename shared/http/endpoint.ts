/**
 * An endpoint: a route of the table and what it does, as a Lambda handler in the pipeline that all endpoints share.
 * The order of judgement is the order of the middleware: 401, 429, 403, replay, 400, then the function itself.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as v from 'valibot';
import { admission } from '../admission/admission.ts';
import { ApiError } from '../errors.ts';
import { idempotency } from '../idempotency/idempotency.ts';
import { hashOfIdempotencyKey, idempotencyKeyOf } from '../idempotency/request-key.ts';
import type { Owner } from '../ids.ts';
import type { Route } from '../routes.ts';
import { countingCalls } from '../store/client.ts';
import { commit, type RequestKey, repeat } from '../store/commit.ts';
import type { Admission } from '../store/heads.ts';
import { type Reply, readIdempotency } from '../store/idempotency-records.ts';
import type { RecordBase } from '../store/records.ts';
import { type Committed, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { fromGateway, toGateway } from './api-event.ts';
import { errorEnvelope } from './error-envelope.ts';
import type { ApiResponse, Exchange } from './exchange.ts';
import { jsonBody } from './json-body.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import { validation } from './validation.ts';

type Output<Schema> = Schema extends v.GenericSchema ? v.InferOutput<Schema> : undefined;

/** The valid input of a request to route `R`. */
interface Input<R extends Route> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Output<R['query']>;
  readonly body: Output<R['body']>;
  /** Where the request came to: a host of this service, with the port if it is not the scheme's own. */
  readonly host: string | undefined;
  readonly now: Instant;
}

interface EndpointFunction<R extends Route, Ahead> {
  /** The reads that can begin beside admission, on behalf of whom the key claims to be; only for valid input. */
  readonly ahead?: (input: Input<R> & { claim: Owner }) => Promise<Ahead>;
  /** The answer, or the transition that leads to one. */
  readonly handle: (
    input: Input<R> & { admission: Admission; ahead: Ahead; requestKey: RequestKey | undefined },
  ) => Promise<object> | object;
}

/** The Lambda handler of `route`: events of API Gateway's REST API (v1) in, proxy results out. It never throws. */
export function endpoint<const R extends Route, Ahead = undefined>(
  route: R,
  { ahead, handle }: EndpointFunction<R, Ahead>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const inputOf = ({ params, input, headers: { host }, now }: Exchange) =>
    ({ params, ...input, host, now }) as Input<R>;

  const readAhead = (exchange: Exchange) => {
    const { claim, idempotencyKey, now } = exchange;
    if (!claim) return;
    if (ahead && !exchange.held) exchange.ahead = ahead({ ...inputOf(exchange), claim: claim.owner });
    if (idempotencyKey) {
      exchange.idempotencyAhead = readIdempotency(claim.owner, hashOfIdempotencyKey(idempotencyKey), now);
    }
    // Whoever awaits them learns of a failure; if nobody does, because of a refusal, nobody needs to.
    exchange.ahead?.catch(() => {});
    exchange.idempotencyAhead?.catch(() => {});
  };

  const answer = async (exchange: Exchange): Promise<ApiResponse> => {
    const { admission, repeated, requestKey: key, now } = exchange;
    if (repeated?.final && key) return toResponse(await repeat(repeated, key));
    const input = {
      ...inputOf(exchange),
      admission: admission as Admission,
      requestKey: key,
      ahead: (await exchange.ahead) as Ahead,
    };
    const result = await handle(input);
    const { status, confidential } = route;
    const toReply = (body: unknown): Reply => ({
      ...{ status, body: JSON.stringify(body) },
      ...(confidential && { confidential }),
    });
    if (!(result instanceof Transition)) return toResponse({ ...toReply(result), replayed: false });
    const transition = result as Transition<RecordBase[]>;
    if (repeated && key) return toResponse(await repeat(repeated, key, transition));
    return toResponse(await commit(transition, { now, key, toReply }));
  };

  const chain = middy<Exchange, ApiResponse>()
    .use(requestLog(route))
    .use(responseHeaders())
    .use(errorEnvelope())
    .before(({ event: exchange }) => {
      // Under the catch-all nothing was ever done that could be repeated.
      if (route.method !== 'ANY') exchange.idempotencyKey = idempotencyKeyOf(exchange);
    })
    .use(jsonBody(route))
    .use(validation(route))
    .use(admission(route, readAhead))
    .before(() => {
      if (route.method === 'ANY') throw new ApiError('route_not_found');
    })
    .use(idempotency())
    .handler(answer);

  return async (event, context) => {
    const exchange = fromGateway(event);
    return toGateway(await countingCalls(exchange.count, () => chain(exchange, context)));
  };
}

function toResponse({ status, body, replayed }: Committed): ApiResponse {
  return { status, body, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} };
}
