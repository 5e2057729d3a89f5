/** GET, POST and DELETE /api/test/clock: the clock of test mode. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { moveClockChange, readClock, resetClockChange } from '../../shared/operations/clock/changes.ts';

const show = endpoint(routes.getTestClock, { handle: ({ principal }) => readClock(principal) });
const move = endpoint(routes.moveTestClock, { handle: moveClockChange });
const reset = endpoint(routes.resetTestClock, { handle: resetClockChange });

/** Serves the three methods of one path. So they have one function. */
export const handler: typeof show = Object.assign(((event, context, callback) => {
  const byMethod = { POST: move, DELETE: reset } as Readonly<Record<string, typeof show>>;
  return (byMethod[event.httpMethod] ?? show)(event, context, callback);
}) as typeof show);
