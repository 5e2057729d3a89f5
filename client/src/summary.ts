/** Defines the methods of `remit.summary`. */
import type { ApiCall, RequestOptions } from './call.ts';
import type { Summary, SummaryParams } from './schemas.ts';

export type SummaryMethods = ReturnType<typeof createSummaryMethods>;

/** Creates the methods of `remit.summary`. They call the API with `call`. */
export function createSummaryMethods(call: ApiCall) {
  return {
    /** Returns what was invoiced and received by period, and what is outstanding now. */
    retrieve: (query: SummaryParams = {}, options?: RequestOptions): Promise<Summary> =>
      call('GET', '/api/summary', options, { query }),
  };
}
