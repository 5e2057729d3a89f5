/** Defines `remit timers`: shows how far the sweep of the timers is, and repairs its marks. */
import type { TimerStatus } from '../shared/store/timers/repair-timers.ts';
import type { Marks } from '../shared/store/timers/timer-marks.ts';
import { type Instant, now, toTimestamp } from '../shared/time.ts';
import { auditOperation } from './audit-operation.ts';
import type { CliCommand, CommandGroup } from './command.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const minuteMs = 60_000;
/** A sweep that is this late has stopped or cannot keep up. The alarm SweepLag has the same threshold. */
const lateMs = 5 * minuteMs;

const status: CliCommand = {
  about: 'Show how late timers are, how far the sweep has come, and how many timers it will send.',
  details: `The sweep runs every minute and sends due timers to their queues. Its marks show how far it has come, for the 4
shards of earlier releases and for the 32 shards of this release.

The exit code is 1 if timers are five minutes late, or if a mark is too far ahead.`,
  examples: ['npx remit timers status --stage prod', 'npx remit timers status --stage prod --json'],
  run: async () => {
    const { readTimerStatus } = await loadTimers();
    const found = await readTimerStatus(now());
    const { time, lagMs, state, ahead, waiting } = found;
    const rows = [
      ['time of the table', toTimestamp(time)],
      ['late by', `${lagMs / 1000} s`],
      [
        'waiting for the sweep',
        waiting === undefined ? 'not counted, the sweep is too far behind' : `${waiting}`,
      ],
      ['4 shards', describeMarks(state.narrow)],
      ['32 shards', describeMarks(state.wide)],
      ['32 shards in use', describeStart(state.wideFrom, time)],
    ];
    const text = ahead.length > 0 ? `Marks are too far ahead. ${repairAdvice}` : undefined;
    return { json: toOutput(found), table: { rows }, text, failed: lagMs >= lateMs || ahead.length > 0 };
  },
};

const repairAdvice = 'Run npx remit timers repair. No timer is lost.';

const repair: CliCommand = {
  about: 'Lower marks that are too far ahead, so that no timer is late.',
  details: `A sweep of an earlier release whose clock is ahead moves the marks ahead. Then timers are late by as much as that
clock is ahead. This command lowers the marks to the time of the table, and moves late timers to the minutes in which they
are due. The next sweep sends them.

You can run it at any time, and more than once. If marks are not too far ahead, it changes only timers that are stored too
late.`,
  examples: ['npx remit timers repair --stage prod'],
  run: async () => {
    const { repairTimers } = await loadTimers();
    const repairNow = () => repairTimers(now());
    const { lowered, moved } = await auditOperation({ action: 'timer.repair' }, repairNow);
    const marks = lowered.length > 0 ? 'Lowered the marks.' : 'No mark is too far ahead.';
    return { json: { lowered, moved }, text: `${marks} Moved ${moved} timers.` };
  },
};

export const timerCommands: CommandGroup = {
  about: 'Check and repair the timers.',
  details: tableHelp,
  commands: withDeploymentOptions({ status, repair }),
};

/** Loads the modules of the service. They read the environment when they load, so the table must be connected first. */
async function loadTimers() {
  await connectTable();
  return import('../shared/store/timers/repair-timers.ts');
}

const endOf = (minute: number): string => toTimestamp((minute + 1) * minuteMs);

const describeMarks = ({ closed, done }: Marks): string =>
  `everything sent until ${endOf(done)}, closed until ${endOf(closed)}`;

function describeStart(from: Instant | undefined, time: Instant): string {
  if (from === undefined) return 'no, this release has not swept yet';
  return from <= time ? 'yes' : `from ${toTimestamp(from)} on`;
}

function toOutput({ time, lagMs, state, ahead, waiting }: TimerStatus) {
  const shown = ({ closed, done }: Marks) => ({ closedUntil: endOf(closed), doneUntil: endOf(done) });
  return {
    time: toTimestamp(time),
    lagSeconds: lagMs / 1000,
    waiting: waiting ?? null,
    narrow: shown(state.narrow),
    wide: shown(state.wide),
    wideFrom: state.wideFrom === undefined ? null : toTimestamp(state.wideFrom),
    ahead,
  };
}
