/** Sends requests in the newest version of the API. */
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import type { Api, CallOptions } from './api.ts';

/** Returns a client that names the newest version in each request. */
export function inNewestVersion(api: Api): Api {
  const send = (method: string, path: string, options: CallOptions = {}) =>
    api.send(method, path, {
      ...options,
      headers: { 'X-API-Version': newestApiVersion, ...options.headers },
    });
  return {
    apiKey: api.apiKey,
    send,
    get: (path, options) => send('GET', path, options),
    post: (path, body, options) => send('POST', path, { body, ...options }),
    patch: (path, body, options) => send('PATCH', path, { body, ...options }),
    delete: (path, options) => send('DELETE', path, options),
  };
}
