/** Defines the methods of `remit.schedules`: invoices that are made again and again. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByCursor, readByOffset } from './list.ts';
import type {
  Schedule,
  ScheduleCreateParams,
  ScheduleListParams,
  ScheduleOccurrence,
  ScheduleOccurrenceListParams,
  ScheduleOccurrencePage,
  SchedulePage,
  SchedulePreview,
  ScheduleUpdateParams,
} from './schemas.ts';

export type Schedules = ReturnType<typeof createScheduleMethods>;

/** Creates the methods of `remit.schedules`. They call the API with `call`. */
export function createScheduleMethods(call: ApiCall) {
  return {
    /** Creates a schedule. */
    create: (body: ScheduleCreateParams, options?: WriteOptions): Promise<Schedule> =>
      call('POST', '/api/schedules', options, { body }),

    /** Returns a schedule. */
    retrieve: (id: string, options?: RequestOptions): Promise<Schedule> =>
      call('GET', '/api/schedules/{id}', options, { id }),

    /** Lists schedules, newest first. */
    list: (query: ScheduleListParams = {}, options?: RequestOptions): List<Schedule, SchedulePage> =>
      new List(call, '/api/schedules', options, { query }, readByOffset),

    /** Updates a schedule, from its next invoice on. `status` pauses, resumes or ends it. */
    update: (id: string, body: ScheduleUpdateParams, options?: WriteOptions): Promise<Schedule> =>
      call('PATCH', '/api/schedules/{id}', options, { id, body }),

    /** Skips the next time of an active schedule. */
    skip: (id: string, options?: WriteOptions): Promise<Schedule> =>
      call('POST', '/api/schedules/{id}/skip', options, { id }),

    /** Makes the next invoice of an active schedule within seconds. */
    run: (id: string, options?: WriteOptions): Promise<Schedule> =>
      call('POST', '/api/schedules/{id}/run', options, { id }),

    /** Returns the next 12 times of a schedule, with what their invoices charge. */
    preview: (id: string, options?: RequestOptions): Promise<SchedulePreview> =>
      call('GET', '/api/schedules/{id}/preview', options, { id }),

    /** Lists what came of the times of a schedule, newest first. */
    listOccurrences: (
      id: string,
      query: ScheduleOccurrenceListParams = {},
      options?: RequestOptions,
    ): List<ScheduleOccurrence, ScheduleOccurrencePage> =>
      new List(call, '/api/schedules/{id}/occurrences', options, { id, query }, readByCursor),
  };
}
