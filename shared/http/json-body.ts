/**
 * The body as a JSON object, for routes that take one. Faults are held back until the request is admitted, so that
 * whoever has no key learns nothing but that.
 */
import type { MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../errors.ts';
import type { Route } from '../routes.ts';
import { type ApiResponse, type Exchange, hold } from './exchange.ts';
import { assertStrictJson, decodeUtf8, StrictJsonError } from './strict-json.ts';

const maxBytes = 64 * 1024;

/** Parses the body if `route` takes one: at most 64 KiB. What is wrong with it is held back as an `ApiError`. */
export function jsonBody(route: Route): MiddlewareObj<Exchange, ApiResponse> {
  const parser = httpJsonBodyParser();
  return {
    before: ({ event: exchange, ...request }) => {
      if (!route.body) return;
      const { text, fault } = readText(exchange.bytes);
      const contentType = exchange.headers['content-type'] ?? 'application/json';
      // White space before a parameter is allowed (RFC 9110, 5.6.6), but the parser does not know it.
      exchange.headers['content-type'] = contentType.replace(/\s+;/g, ';');
      // A text that is refused is not parsed, but its content type is looked at, which is judged first.
      exchange.body = text ?? '{}';
      try {
        // biome-ignore lint/suspicious/noExplicitAny: the parser's type asks for a whole gateway event; it uses headers, body and isBase64Encoded
        parser.before?.({ event: exchange, ...request } as any);
      } catch (error) {
        recover(exchange, error);
      }
      if (fault) hold(exchange, fault);
      // No body that was ever accepted is null, so a refused one repeats no earlier request.
      if (exchange.held) exchange.body = null;
    },
  };
}

/**
 * The parser's 415 and 422 are 400 here, but for its 422 on a `constructor` with a `prototype`: nothing here merges
 * bodies into objects, so that is a field like any other, which validation does not know.
 */
function recover(exchange: Exchange, error: unknown): void {
  if ((error as { statusCode?: number }).statusCode === 415) {
    hold(exchange, new ApiError('invalid_content_type', { field: 'Content-Type' }));
    return;
  }
  try {
    exchange.body = JSON.parse(exchange.body as string);
  } catch {
    hold(exchange, invalidJson('The body is not valid JSON; send one JSON object.'));
  }
}

/** The body's text, if the parser may see it. No bytes at all count as an empty object. */
function readText(bytes: Uint8Array): { text?: string; fault?: ApiError } {
  if (bytes.length > maxBytes) return { fault: new ApiError('body_too_large', { field: 'body' }) };
  if (bytes.length === 0) return { text: '{}' };
  const text = decodeUtf8(bytes);
  if (text === undefined)
    return { fault: invalidJson('The body is not valid UTF-8; send one JSON object in UTF-8.') };
  try {
    assertStrictJson(text);
    return { text };
  } catch (error) {
    if (error instanceof StrictJsonError) return { fault: invalidJson(error.reason) };
    throw error;
  }
}

const invalidJson = (message: string) => new ApiError('invalid_json', { field: 'body', message });
