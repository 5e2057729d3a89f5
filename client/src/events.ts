/** `remit.events`. */
import type { Call, RequestOptions } from './call.ts';
import { byCursor, List } from './list.ts';
import type { EventListParams, EventPage, RemitEvent } from './schemas.ts';

export type Events = ReturnType<typeof eventsOf>;

/** Its methods, which call the API by `call`. */
export function eventsOf(call: Call) {
  return {
    retrieve: (id: string, options?: RequestOptions): Promise<RemitEvent> =>
      call('GET', '/api/events/{id}', options, { id }),

    /** Newest first; with `after`, oldest first and without gaps, from that event or from the `start` of the log. */
    list: (query: EventListParams = {}, options?: RequestOptions): List<RemitEvent, EventPage> =>
      new List(call, '/api/events', options, { query }, byCursor),
  };
}
