/**
 * Parses the body as a JSON object, for routes that take one. Errors are deferred until the request is authenticated, so
 * that a caller without a key learns only that.
 *
 * `@middy/http-json-body-parser` does the parsing. This middleware adds what the parser does not do: the limit of its size,
 * the refusal of invalid UTF-8 and of bodies that two readers could understand differently, and deferred errors.
 */
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { maskLongNumbers } from '../../base/card-numbers.ts';
import { ApiError } from '../../base/errors.ts';
import { exactReviver } from '../../base/exact-numbers.ts';
import { assertStrictJson, decodeUtf8, StrictJsonError, syntaxErrorMessage } from '../../base/strict-json.ts';
import type { Route } from '../routes.ts';
import { bodyBytesOf, headerValue } from './api-handler.ts';
import { type ApiMiddleware, type ApiRequest, deferError } from './request-state.ts';

const defaultMaxBytes = 64 * 1024;

/** Sets `event.body` to the parsed body, or to null if it is refused. Does nothing if `route` takes no body. */
export function jsonBody(route: Route): ApiMiddleware {
  const parser = httpJsonBodyParser();
  return {
    before: (request) => {
      if (!route.body) return;
      const { event, internal: state } = request;
      const sentType = headerValue(event, 'content-type');
      const { text, error } = readText(bodyBytesOf(event), sentType, route.maxBodyBytes);
      const contentType = sentType ?? 'application/json';
      // White space before a parameter is allowed (RFC 9110, 5.6.6), but the parser does not accept it.
      event.headers = { ...event.headers, 'content-type': withoutSpaceBeforeParameters(contentType) };
      // The parser checks the content type of a refused text too, because that error is reported first.
      event.body = text ?? '{}';
      event.isBase64Encoded = false;
      const sentText = event.body;
      try {
        parser.before?.(request as unknown as Parameters<NonNullable<typeof parser.before>>[0]);
        // The parser passes no text of a number on to a reviver.
        const reviver = exactReviver(sentText);
        if (reviver) event.body = JSON.parse(sentText, reviver);
      } catch (error) {
        deferParserError(request, error);
      }
      if (error) deferError(state, error);
      // No accepted body is null, so a refused one repeats no earlier request.
      if (state.deferredError) event.body = null;
    },
  };
}

/** Takes linear time. A regular expression for white space before a character takes quadratic time. */
function withoutSpaceBeforeParameters(contentType: string): string {
  const parts = contentType.split(';');
  const last = parts.pop();
  return [...parts.map((part) => part.trimEnd()), last].join(';');
}

/**
 * Turns the parser's errors 415 and 422 into our 400. The parser also refuses a `constructor` that has a `prototype`.
 * Bodies are never merged into objects here, so that is an unknown field like any other.
 */
function deferParserError({ event, internal: state }: ApiRequest, error: unknown): void {
  if ((error as { statusCode?: number }).statusCode === 415) {
    deferError(state, invalidContentType(event));
    return;
  }
  const text = event.body ?? '';
  try {
    event.body = JSON.parse(text, exactReviver(text));
  } catch {
    deferError(state, invalidJson(syntaxErrorMessage(text)));
  }
}

/** Says what arrived. The client chooses the header, so it is cut. */
function invalidContentType(event: APIGatewayProxyEvent): ApiError {
  const sent = maskLongNumbers(headerValue(event, 'content-type') ?? '').slice(0, 64);
  const message = `The Content-Type header is "${sent}". Send a JSON object with the header Content-Type: application/json.`;
  return new ApiError('invalid_content_type', { field: 'Content-Type', message });
}

/** The body's text, if the parser may see it. An empty body counts as an empty object. */
function readText(
  bytes: Uint8Array,
  contentType: string | undefined,
  maxBytes = defaultMaxBytes,
): { text?: string; error?: ApiError } {
  if (bytes.length > maxBytes) {
    const message = `The body must not be larger than ${maxBytes} bytes.`;
    return { error: new ApiError('body_too_large', { field: 'body', message }) };
  }
  if (bytes.length === 0) return { text: '{}' };
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return { error: invalidJson('The body is not valid UTF-8. Send one JSON object in UTF-8.') };
  }
  try {
    assertStrictJson(text);
    return { text };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const untyped = contentType === undefined ? ' Add the header Content-Type: application/json.' : '';
    return { error: invalidJson(error.reason + untyped) };
  }
}

const invalidJson = (message: string) => new ApiError('invalid_json', { field: 'body', message });
