/**
 * Reads the preferences of a client in the header `Prefer` (RFC 7240). A preference that the service does not know, or whose value it
 * does not understand, is ignored, as the RFC wants.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { headerValues } from './api-handler.ts';

/** A token, an optional value, and parameters that the service ignores. A comma in a quoted value does not end a preference. */
const preference =
  /[^\s,;="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s,;"]*))?(?:\s*;(?:"(?:[^"\\]|\\.)*"|[^,"])*)?/g;

/**
 * Whether the client prefers to wait for what follows from its request. `wait` without a value means as long as the service waits at
 * most, and so does any number of seconds but 0. Only the first `wait` counts.
 */
export function prefersToWait(event: APIGatewayProxyEvent): boolean {
  const sent = headerValues(event, 'prefer').join(',').match(preference) ?? [];
  for (const each of sent) {
    const [, name = '', value = ''] = /^([^\s=;]+)\s*(?:=\s*"?([^";]*?)"?\s*)?(?:;|$)/.exec(each) ?? [];
    if (name.toLowerCase() === 'wait') return value === '' || /^0*[1-9]\d*$/.test(value);
  }
  return false;
}
