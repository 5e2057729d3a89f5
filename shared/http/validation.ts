/** Query and body against the route's schemas. Pure; the verdict is held back until the request is admitted. */
import type { MiddlewareObj } from '@middy/core';
import type { GenericSchema } from 'valibot';
import { ApiError, type ErrorCode } from '../errors.ts';
import type { Route } from '../routes.ts';
import { type ApiResponse, type Exchange, hold } from './exchange.ts';
import { validate } from './validate.ts';

/** Sets the exchange's `input` to what the schemas of `route` make of it, or holds back the `ApiError` of its first fault. */
export function validation(route: Route): MiddlewareObj<Exchange, ApiResponse> {
  return {
    before: ({ event: exchange }) => {
      if (!isDecodable(exchange.query)) hold(exchange, new ApiError('invalid_query', { field: 'query' }));
      if (exchange.held) return;
      exchange.input = {
        query: route.query && validated(exchange, route.query, exchange.query),
        body: route.body && validated(exchange, route.body, exchange.body),
      };
    },
  };
}

function validated(exchange: Exchange, schema: GenericSchema, input: unknown): unknown {
  const verdict = validate(schema, input);
  if (verdict.ok) return verdict.output;
  const { code, field, message } = verdict;
  hold(exchange, new ApiError(code as ErrorCode, { field, message }));
  return undefined;
}

/** What is not percent-encoded UTF-8 arrives with replacement characters in it. */
function isDecodable(query: Exchange['query']): boolean {
  return !Object.entries(query)
    .flat(2)
    .some((text) => text.includes('\uFFFD'));
}
