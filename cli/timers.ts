/** Defines `remit timers`: shows how far the sweep of the timers is. */

import { now, toTimestamp } from '../shared/base/time.ts';
import type { TimerStatus } from '../shared/store/timers/timer-status.ts';
import type { CliCommand, CommandGroup } from './command.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const minuteMs = 60_000;
/** A sweep that is this late has stopped or cannot keep up. The alarm SweepLag has the same threshold. */
const lateMs = 5 * minuteMs;

const status: CliCommand = {
  about: 'Show how late timers are, how far the sweep has come, and how many timers it will send.',
  details: `The sweep runs every minute and sends due timers to their queues. Its marks show how far it has come.

The exit code is 1 if timers are five minutes late.`,
  examples: ['npx remit timers status --stage prod', 'npx remit timers status --stage prod --json'],
  run: async () => {
    // The service reads the environment when it loads, so the table must be connected first.
    await connectTable();
    const { readTimerStatus } = await import('../shared/store/timers/timer-status.ts');
    const found = await readTimerStatus(now());
    const { time, lagMs, marks, waiting } = found;
    const rows = [
      ['time of the table', toTimestamp(time)],
      ['late by', `${lagMs / 1000} s`],
      [
        'waiting for the sweep',
        waiting === undefined ? 'not counted, the sweep is too far behind' : `${waiting}`,
      ],
      ['everything sent until', endOf(marks.done)],
      ['closed until', endOf(marks.closed)],
    ];
    return { json: toOutput(found), table: { rows }, failed: lagMs >= lateMs };
  },
};

export const timerCommands: CommandGroup = {
  about: 'Check the timers.',
  details: tableHelp,
  commands: withDeploymentOptions({ status }),
};

const endOf = (minute: number): string => toTimestamp((minute + 1) * minuteMs);

const toOutput = ({ time, lagMs, marks, waiting }: TimerStatus) => ({
  time: toTimestamp(time),
  lagSeconds: lagMs / 1000,
  waiting: waiting ?? null,
  closedUntil: endOf(marks.closed),
  doneUntil: endOf(marks.done),
});
