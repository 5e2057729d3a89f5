/**
 * Moves and resets the clock of test mode, with the commands of the API. Each form is one attempt, so two clicks move the
 * clock once.
 */

import { type MoveClock, moveClockBody } from '../../../base/test-clock.ts';
import { moveClockChange, resetClockChange } from '../../../operations/clock/changes.ts';
import { readPrincipalOfClock } from '../../../store/account-clock.ts';
import { type Attempt, commitAttempt } from '../attempts/commit-attempt.ts';
import { type Failure, failureOf, formAttemptOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf, validateFields } from '../input/form-fields.ts';
import { toApiTime } from '../input/zoned-times.ts';
import { clockPath } from '../links.ts';
import type { NoticeKey } from '../texts.ts';
import { showClockForms } from './clock-page.ts';
import { clockFields } from './clock-texts.ts';

const forward: DashboardAction = {
  path: `${clockPath}/forward`,
  ability: 'clock:write',
  formPage: () => clockPath,
  fields: ['advanceSeconds'],
  handle: (request) =>
    moveClockBy(request, { advanceSeconds: Number(lineOf(request.form, 'advanceSeconds')) }),
};

const moveTo: DashboardAction = {
  path: `${clockPath}/to`,
  ability: 'clock:write',
  formPage: () => clockPath,
  fields: ['to'],
  typed: { showAgain: async (request, failure) => showAgain(request, failure) },
  handle: (request) => moveClockBy(request, { to: toApiTime(request.context, lineOf(request.form, 'to')) }),
};

const reset: DashboardAction = {
  path: `${clockPath}/reset`,
  ability: 'clock:write',
  formPage: () => clockPath,
  handle: async (request) => {
    const attempt = await formAttemptOf(request, 'clock.reset', '', {});
    return changeClock(request, attempt, 'clock_reset', resetClockChange);
  },
};

export const clockActions: readonly DashboardAction[] = [forward, moveTo, reset];

/** Moves the clock as far as `input` says, if it is a valid body of the API. */
async function moveClockBy(request: ActionRequest, input: MoveClock): Promise<ActionResult | undefined> {
  const sent = validateFields(moveClockBody, input, clockFields);
  if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
  const body = sent.output;
  const attempt = await formAttemptOf(request, 'clock.move', '', body);
  return changeClock(request, attempt, 'clock_moved', (change) => moveClockChange({ ...change, body }));
}

/** Runs an attempt to change the clock. Returns to the page of the clock, or shows the error there. */
async function changeClock(
  request: ActionRequest,
  attempt: Attempt,
  notice: NoticeKey,
  toChange: typeof resetClockChange,
): Promise<ActionResult | undefined> {
  const { owner, origin, clock } = attempt;
  try {
    const { answer } = await commitAttempt(
      attempt,
      () => readPrincipalOfClock(owner),
      (principal, requestKey) => toChange({ principal, requestKey, origin, now: clock.real }),
    );
    const isMoving = answer.status === 'advancing';
    return { redirectTo: request.context.url(clockPath), notice: isMoving ? 'clock_moving' : notice };
  } catch (error) {
    const failure = failureOf(error, clockFields);
    return failure && showAgain(request, failure);
  }
}

/** Shows the forms with an error. Live mode has no clock, so it has no such page. */
function showAgain({ context, form }: ActionRequest, failure: Failure): ActionResult | undefined {
  return context.clock && { view: showClockForms(context, context.clock, { fields: form, failure }) };
}
