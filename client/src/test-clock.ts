/** Defines the methods of `remit.testClock`: the clock of test mode. Only test keys can use it. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import type { TestClock, TestClockMoveParams } from './schemas.ts';

export type TestClockMethods = ReturnType<typeof createTestClockMethods>;

/** Creates the methods of `remit.testClock`. They call the API with `call`. */
export function createTestClockMethods(call: ApiCall) {
  return {
    /** Returns the clock. While it advances, call this until its status is `ready`. */
    retrieve: (options?: RequestOptions): Promise<TestClock> => call('GET', '/api/test/clock', options),

    /** Moves the clock forward. What is due until then happens, in the order of the due times. */
    move: (body: TestClockMoveParams, options?: WriteOptions): Promise<TestClock> =>
      call('POST', '/api/test/clock', options, { body }),

    /** Sets the account to the real time, if nothing was made or changed since the clock was moved. */
    reset: (options?: WriteOptions): Promise<TestClock> => call('DELETE', '/api/test/clock', options),
  };
}
