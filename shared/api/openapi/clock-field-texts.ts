/** Describes the fields of the clock of test mode. */
import type { FieldTexts } from './common-field-texts.ts';

export const clockFieldTexts: Pick<FieldTexts, 'TestClock' | 'MoveTestClock'> = {
  TestClock: {
    now: 'The time of your test mode.',
    offsetSeconds: 'How far it is ahead of the real time, in seconds. 0 if the clock was never moved.',
    status: 'Whether the clock has arrived: `ready`, or `advancing` while what became due is not done yet.',
  },
  MoveTestClock: {
    advanceSeconds:
      'How far to move the clock forward, in whole seconds. At most two years ahead of the real time.',
    to: 'The time to which to move the clock, in UTC, such as `2027-01-31T12:00:00Z`. It must be later than the time of the clock.',
  },
};
