/** Validates query and body against the schemas of the route. Errors are deferred until the request is authenticated. */
import type { GenericSchema } from 'valibot';
import { ApiError } from '../../base/errors.ts';
import type { Route } from '../routes.ts';
import { queryOf } from './api-handler.ts';
import { type ApiMiddleware, deferError, type RequestState } from './request-state.ts';
import { validate } from './validate.ts';

/** Sets the request's `input` to the output of the route's schemas, or defers the first error. */
export function validation(route: Route): ApiMiddleware {
  return {
    before: ({ event, internal: state }) => {
      const query = queryOf(event);
      if (!isDecodable(query)) deferError(state, new ApiError('invalid_query', { field: 'query' }));
      if (state.deferredError) return;
      state.input = {
        query: route.query && outputOf(state, route.query, query),
        body: route.body && outputOf(state, route.body, event.body),
      };
    },
  };
}

function outputOf(state: RequestState, schema: GenericSchema, input: unknown): unknown {
  const result = validate(schema, input);
  if (result.ok) return result.output;
  const { code, ...detail } = result;
  deferError(state, new ApiError(code, detail));
  return undefined;
}

/** The gateway replaces what is not percent-encoded UTF-8 with replacement characters. */
function isDecodable(query: ReturnType<typeof queryOf>): boolean {
  return !Object.entries(query)
    .flat(2)
    .some((text) => text.includes('\uFFFD'));
}
