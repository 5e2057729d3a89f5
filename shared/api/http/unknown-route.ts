/** Explains why a request matches no endpoint, and names the endpoint that the client probably meant. */
import { ApiError } from '../../base/errors.ts';
import { similarName } from './similar-name.ts';

/** The endpoints of the API, without `/api`. A list of its own: the routes would bring all schemas into this function. */
export const apiEndpoints: Readonly<Record<string, string>> = {
  '/invoices': 'GET, POST',
  '/invoices/{id}': 'GET, PATCH, DELETE',
  '/invoices/{id}/claim/confirm': 'POST',
  '/invoices/{id}/claim/reject': 'POST',
  '/invoices/{id}/documents': 'GET',
  '/invoices/{id}/mails': 'GET',
  '/invoices/{id}/replace': 'POST',
  '/invoices/{id}/send': 'POST',
  '/payments': 'GET, POST',
  '/payments/{id}': 'GET',
  '/payments/{id}/resolve': 'POST',
  '/payments/{id}/void': 'POST',
  '/refunds': 'GET, POST',
  '/refunds/{id}': 'GET',
  '/customers': 'GET, POST',
  '/customers/{id}': 'GET, PATCH, DELETE',
  '/products': 'GET, POST',
  '/products/{id}': 'GET, PATCH, DELETE',
  '/drafts': 'GET, POST',
  '/drafts/{id}': 'GET, PATCH, DELETE',
  '/drafts/{id}/finalize': 'POST',
  '/schedules': 'GET, POST',
  '/schedules/{id}': 'GET, PATCH',
  '/schedules/{id}/skip': 'POST',
  '/schedules/{id}/run': 'POST',
  '/schedules/{id}/preview': 'GET',
  '/schedules/{id}/occurrences': 'GET',
  '/exports': 'GET, POST',
  '/exports/{id}': 'GET',
  '/statements': 'GET, POST',
  '/statements/{id}': 'GET',
  '/statements/{id}/rows': 'GET',
  '/statements/{id}/rows/{rowId}/match': 'POST',
  '/statements/{id}/rows/{rowId}/ignore': 'POST',
  '/statement-files/link': 'GET',
  '/statement-files/preview': 'GET',
  '/documents': 'GET',
  '/documents/{id}': 'GET',
  '/documents/{id}/pdf': 'GET',
  '/mails': 'GET',
  '/mails/{id}/allow-address': 'POST',
  '/events': 'GET',
  '/events/{id}': 'GET',
  '/webhooks': 'GET, POST',
  '/webhooks/{id}': 'GET, PATCH, DELETE',
  '/webhooks/{id}/rotate-secret': 'POST',
  '/webhooks/{id}/test': 'POST',
  '/webhooks/{id}/deliveries': 'GET',
  '/webhooks/{id}/deliveries/{deliveryId}/redeliver': 'POST',
  '/webhooks/{id}/recover': 'POST',
  '/audit-log': 'GET',
  '/journal': 'GET',
  '/summary': 'GET',
  '/balance': 'GET',
  '/search': 'GET',
  '/keys': 'GET, POST',
  '/keys/{id}': 'GET, PATCH, DELETE',
  '/keys/{id}/roll-over': 'POST',
  '/account': 'GET, PATCH',
  '/test/clock': 'GET, POST, DELETE',
};

const maxPathLength = 200;

/**
 * Returns the 404 error for a method and path without an endpoint. Its message contains no part of the path, only names of
 * endpoints.
 * @param baseUrl the base URL of the service; the message links to the docs there
 */
export function unknownRoute(method: string, path: string, baseUrl: string): ApiError {
  if (hasInvalidEscape(path)) {
    const message =
      'The path contains a % that does not start an encoded UTF-8 character. Send %25 for a % itself.';
    return new ApiError('route_not_found', { message });
  }
  const meant = path.length <= maxPathLength ? endpointLike(segmentsOf(path)) : undefined;
  const docs = `See ${baseUrl}/docs for all endpoints.`;
  if (!meant) return new ApiError('route_not_found', { message: `This endpoint does not exist. ${docs}` });
  const methods = apiEndpoints[meant] ?? '';
  const endpoint = `/api${meant}`;
  const hint = isPathOf(path, endpoint)
    ? `${endpoint} does not have this method. Use ${methods.replace(/, (?=\w+$)/, ' or ')}.`
    : `This endpoint does not exist. Did you mean ${methods.includes(method) ? method : methods} ${endpoint}?`;
  return new ApiError('route_not_found', { message: `${hint} ${docs}` });
}

/** Whether a % of the path is not the start of an escaped UTF-8 character. */
function hasInvalidEscape(path: string): boolean {
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

/** Whether a path belongs to an endpoint, so that only the method is wrong. */
function isPathOf(path: string, endpoint: string): boolean {
  const [sent, known] = [path.replace(/\/$/, '').split('/'), endpoint.split('/')];
  return (
    sent.length === known.length &&
    known.every((segment, index) => (segment.startsWith('{') ? sent[index] !== '' : segment === sent[index]))
  );
}

/** Returns the segments of a path, without empty ones, without `api` and without a version such as `v1` at the front. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter(Boolean);
  while (/^(api|v\d+)$/i.test(segments[0] ?? '')) segments.shift();
  return segments;
}

/** Returns the endpoint that differs from the segments only by typing errors in its names, if there is one. */
function endpointLike(segments: readonly string[]): string | undefined {
  return Object.keys(apiEndpoints).find((endpoint) => {
    const known = endpoint.split('/').slice(1);
    return (
      known.length === segments.length &&
      known.every((name, index) => name.startsWith('{') || similarName(segments[index] ?? '', [name]))
    );
  });
}
