/**
 * Decides in which version of the API a request is judged and answered: the one in its header `X-API-Version`, or else the
 * version of its API key.
 */
import { ApiError, type FieldError } from '../../base/errors.ts';
import { type LaterField, laterFields, type RequestPart } from '../../domain/versions/requests.ts';
import { apiVersions, findApiVersion, firstApiVersion } from '../../domain/versions/versions.ts';
import type { Route } from '../routes.ts';
import { headerValues, queryOf } from './api-handler.ts';
import { errorCodeOfField } from './field-error-codes.ts';
import { type ApiMiddleware, deferError, type RequestState } from './request-state.ts';
import { validate } from './validate.ts';

const headerName = 'X-API-Version';
const maxErrors = 20;

/** Reads the header. An invalid one is the first error that is reported after authentication. */
export function askedApiVersion(): ApiMiddleware {
  return {
    before: ({ event, internal: state }) => {
      const values = headerValues(event, headerName.toLowerCase());
      const version = values.length === 1 ? findApiVersion(values[0]) : undefined;
      if (version) state.askedVersion = version;
      else if (values.length > 0) deferError(state, invalidApiVersion());
    },
  };
}

/**
 * Judges a valid request by its version: a field or parameter that a later version added is unknown. An invalid header is
 * refused here, because the form of a stored answer depends on it.
 * @throws ApiError `invalid_api_version`
 */
export function earlierApiVersion(route: Route): ApiMiddleware {
  return {
    before: ({ event, internal: state }) => {
      const { deferredError } = state;
      if (deferredError?.field === headerName) throw deferredError;
      // Without input, the request was refused before its fields were validated.
      if (!route.resource || !state.input) return;
      const error =
        earlierError(route, 'query', queryOf(event), state) ?? earlierError(route, 'body', event.body, state);
      if (error) state.deferredError = error;
    },
  };
}

/** Returns the first error of a query or body that uses what later versions added. Undefined if it uses nothing of that. */
function earlierError(
  route: Route,
  part: RequestPart,
  sent: unknown,
  { apiVersion = firstApiVersion }: RequestState,
): ApiError | undefined {
  const schema = route[part];
  if (!route.resource || !schema || typeof sent !== 'object' || sent === null) return undefined;
  const known = Object.keys((schema as { entries?: object }).entries ?? {});
  const later = laterFields(apiVersion, route.resource, part, sent).filter(({ field }) =>
    known.includes(field),
  );
  if (later.length === 0) return undefined;
  const names = later.map(({ field }) => field);
  const rest = Object.fromEntries(Object.entries(sent).filter(([field]) => !names.includes(field)));
  const others = validate(schema, rest);
  const errors = [...(others.ok ? [] : others.findAll()), ...later.map(toFieldError)].slice(0, maxErrors);
  const [{ code, ...detail }] = errors as [FieldError];
  return new ApiError(code, { ...detail, findAll: () => errors });
}

function toFieldError({ field, since, isValueOnly }: LaterField): FieldError {
  const remedy = `send the header ${headerName}: ${since}`;
  if (!isValueOnly) {
    const message = `${field} exists from API version ${since} on. Remove it, or ${remedy}.`;
    return { code: 'unknown_parameter', field, message };
  }
  const message = `This value of ${field} exists from API version ${since} on. Send another value, or ${remedy}.`;
  return { code: errorCodeOfField(field), field, message };
}

function invalidApiVersion(): ApiError {
  const message = `${headerName} must be sent only once and be one of ${apiVersions.join(', ')}. Without it, the version of your API key applies.`;
  return new ApiError('invalid_api_version', { field: headerName, message });
}
