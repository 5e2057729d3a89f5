/** Makes middy handlers on events of API Gateway's REST API (v1), and reads those events. */
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { withDeadline } from '../../base/deadline.ts';
import { now } from '../../base/time.ts';
import { countingCalls } from '../../store/call-count.ts';
import { collectingLeftOut, type LeftOutItems } from '../../store/left-out-items.ts';
import type { ApiRequest, RequestState } from './request-state.ts';

/** The context of a handler: Lambda's own, and the state that the middleware left. */
export type ApiContext = Context & { state: RequestState };

/** A middy handler without middleware. Its state is in `request.internal`, and in the handler's `context.state`. */
export function apiHandler(): middy.MiddyfiedHandler<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  ApiContext,
  RequestState
> {
  return middy({ executionMode: scopedExecution as typeof executionModeStandard });
}

type Run = (request: ApiRequest, ...chain: unknown[]) => Promise<APIGatewayProxyResult>;
type ExecutionMode = (core: { readonly runRequest: Run }, ...chain: unknown[]) => unknown;

/**
 * middy's standard execution, with the DynamoDB calls of each request counted and within its deadline. A middleware
 * cannot do this: it does not enclose the handler.
 */
const scopedExecution: ExecutionMode = ({ runRequest, ...core }, ...chain) => {
  const runScoped: Run = (request, ...rest) => {
    const callCount = { calls: 0, inSequence: 0 };
    const leftOut: LeftOutItems = new Set();
    // middy makes an object without a prototype, in which each property takes longer.
    request.internal = { startedAt: now(), callCount, leftOut };
    (request.context as ApiContext).state = request.internal;
    const run = () => collectingLeftOut(leftOut, () => runRequest(request, ...rest));
    return withDeadline(request.context, () => countingCalls(callCount, run));
  };
  return (executionModeStandard as unknown as ExecutionMode)({ ...core, runRequest: runScoped }, ...chain);
};

/** All values of a header, by its lower-case name. The header normalizer has run before. */
export function headerValues({ multiValueHeaders }: APIGatewayProxyEvent, name: string): readonly string[] {
  return multiValueHeaders?.[name] ?? [];
}

/** A header's value, by its lower-case name: the last one, if it was sent several times. */
export function headerValue(event: APIGatewayProxyEvent, name: string): string | undefined {
  return headerValues(event, name).at(-1);
}

/** The request's method. HEAD counts as GET: the gateway leaves the body out. */
export function methodOf({ httpMethod }: APIGatewayProxyEvent): string {
  return httpMethod === 'HEAD' ? 'GET' : httpMethod;
}

/** The path parameters. */
export function paramsOf({ pathParameters }: APIGatewayProxyEvent): Readonly<Record<string, string>> {
  return (pathParameters ?? {}) as Readonly<Record<string, string>>;
}

/** The query parameters. One that was sent several times is an array. */
export function queryOf(event: APIGatewayProxyEvent): Readonly<Record<string, string | string[]>> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    query[name] = values?.length === 1 ? (values[0] ?? '') : (values ?? '');
  }
  return query;
}

/** The body as it was sent. */
export function bodyBytesOf({ body, isBase64Encoded }: APIGatewayProxyEvent): Buffer {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}
