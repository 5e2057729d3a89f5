/** Defines the methods of `remit.events`. */
import type { ApiCall, RequestOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type { EventListParams, EventPage, RemitEvent } from './schemas.ts';

export type Events = ReturnType<typeof createEventMethods>;

/** Creates the methods of `remit.events`. They call the API with `call`. */
export function createEventMethods(call: ApiCall) {
  return {
    /** Returns an event. */
    retrieve: (id: string, options?: RequestOptions): Promise<RemitEvent> =>
      call('GET', '/api/events/{id}', options, { id }),

    /** Lists events, newest first. With `after`, lists the events after that event, or after `start`, oldest first and without gaps. */
    list: (query: EventListParams = {}, options?: RequestOptions): List<RemitEvent, EventPage> =>
      new List(call, '/api/events', options, { query }, readByCursor),
  };
}
