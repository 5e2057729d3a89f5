/** Defines the methods of `remit.keys`: the API keys of the account in the mode of the calling key. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type {
  ApiKey,
  ApiKeyCreateParams,
  ApiKeyListParams,
  ApiKeyPage,
  ApiKeyRevocation,
  ApiKeyRollOverParams,
  ApiKeyUpdateParams,
  ApiKeyWithValue,
} from './schemas.ts';

export type Keys = ReturnType<typeof createKeyMethods>;

/** Creates the methods of `remit.keys`. They call the API with `call`. */
export function createKeyMethods(call: ApiCall) {
  return {
    /** Creates a key. Only this response contains its `value`. */
    create: (body: ApiKeyCreateParams, options?: WriteOptions): Promise<ApiKeyWithValue> =>
      call('POST', '/api/keys', options, { body }),

    /** Returns a key, without its value. */
    retrieve: (id: string, options?: RequestOptions): Promise<ApiKey> =>
      call('GET', '/api/keys/{id}', options, { id }),

    /** Lists keys, newest first. */
    list: (query: ApiKeyListParams = {}, options?: RequestOptions): List<ApiKey, ApiKeyPage> =>
      new List(call, '/api/keys', options, { query }, readByOffset),

    /** Changes the name, the note, the allowed addresses or the API version of a key. */
    update: (id: string, body: ApiKeyUpdateParams, options?: WriteOptions): Promise<ApiKey> =>
      call('PATCH', '/api/keys/{id}', options, { id, body }),

    /** Revokes a key. The next request with it is rejected. */
    revoke: (id: string, options?: WriteOptions): Promise<ApiKeyRevocation> =>
      call('DELETE', '/api/keys/{id}', options, { id }),

    /** Replaces a key by a new one. Only this response contains its value. The old key works for `overlapHours`, 24 by default. */
    rollOver: (
      id: string,
      body: ApiKeyRollOverParams = {},
      options?: WriteOptions,
    ): Promise<ApiKeyWithValue> => call('POST', '/api/keys/{id}/roll-over', options, { id, body }),
  };
}
