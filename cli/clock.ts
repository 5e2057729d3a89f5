/** Defines `remit clock`: shows, advances and resets the clock of test mode. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Remit, TestClock, TestClockMoveParams } from '../client/src/remit.ts';
import { toTimestamp } from '../shared/base/time.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseInstant,
  usageError,
} from './command.ts';
import { idempotencyOption, readWriteOptions, resourceResult } from './resources.ts';
import { showProgress } from './terminal.ts';

const show: CliCommand = {
  about: 'Show the time of your test mode.',
  details: 'While the clock advances, this command continues that for a few seconds.',
  examples: ['npx remit clock show', 'npx remit clock show --json'],
  run: async () => {
    const remit = await connectTestMode();
    return clockResult(await remit.testClock.retrieve());
  },
};

const moveOptions: Readonly<Record<string, OptionSpec>> = {
  seconds: { value: 'N', about: 'How many seconds to advance.', integer: true },
  days: { value: 'N', about: 'How many days of 24 hours to advance.', integer: true },
  to: {
    value: 'ISO',
    about: 'The time at which to arrive. A date such as 2027-01-31 means the end of that day in UTC.',
  },
};

const advance: CliCommand = {
  about: 'Move the clock forward, and wait until all that became due is done.',
  details: `Due dates pass, and pending payments and refunds get their outcome. Give exactly one of --seconds, --days and --to.

If this command is interrupted, the clock still moves. To continue, run npx remit clock show until it is ready.`,
  options: { ...moveOptions, ...idempotencyOption },
  examples: ['npx remit clock advance --days 31', 'npx remit clock advance --to 2027-01-31T12:00:00Z --json'],
  run: async (options) => {
    const body = readMove(options);
    const remit = await connectTestMode();
    const clock = await remit.testClock.move(body, readWriteOptions(options));
    return clockResult(await waitForArrival(remit, clock));
  },
};

const reset: CliCommand = {
  about: 'Return to the real time, if nothing was made or changed since the first move.',
  options: idempotencyOption,
  examples: ['npx remit clock reset'],
  run: async (options) => {
    const remit = await connectTestMode();
    return clockResult(await remit.testClock.reset(readWriteOptions(options)));
  },
};

export const clockCommands: CommandGroup = {
  about: 'Show, advance and reset the clock of test mode.',
  details: apiHelp,
  commands: withProfileOption({ show, advance, reset }),
};

/** Returns a client. Throws a usage error for a live key. */
async function connectTestMode(): Promise<Remit> {
  const { remit, isLive } = await connectApi();
  if (isLive) throw usageError('This is a live key. Live mode always has the real time. Use a test key.');
  return remit;
}

/** Reads where to move the clock. Throws a usage error unless exactly one of the options is given. */
function readMove(options: ParsedOptions): TestClockMoveParams {
  const given = Object.keys(moveOptions).filter((name) => options.optional(name) !== undefined);
  const [name, ...others] = given;
  if (name === undefined || others.length > 0)
    throw usageError('Use exactly one of --seconds, --days and --to. For example, use --days 31.');
  const value = options.required(name);
  if (name === 'to') return { to: toTimestamp(parseInstant('to', value)) };
  if (Number(value) < 1) throw usageError(`--${name} must be at least 1. The clock only moves forward.`);
  return { advanceSeconds: Number(value) * (name === 'days' ? secondsPerDay : 1) };
}

const secondsPerDay = 86_400;
/** The pause between two requests. A request for a clock that advances does its work, and takes seconds. */
const pauseMs = 200;
const maxWaitMs = 600_000;

/** Retrieves the clock until it has arrived, because only requests advance it. */
async function waitForArrival(remit: Remit, moved: TestClock): Promise<TestClock> {
  const startedAt = performance.now();
  let clock = moved;
  while (clock.status === 'advancing') {
    if (performance.now() - startedAt > maxWaitMs)
      throw new CommandError(
        `The clock moves, but did not arrive within ${maxWaitMs / 60_000} minutes. It is at ${clock.now}. To continue, run npx remit clock show until it is ready.`,
      );
    showProgress(`Advancing the clock: ${clock.now}`);
    await wait(pauseMs);
    clock = await remit.testClock.retrieve();
  }
  return clock;
}

const clockResult = (clock: TestClock) =>
  resourceResult(
    clock,
    clock.status === 'advancing'
      ? 'The clock advances. To continue, run npx remit clock show until it is ready.'
      : undefined,
  );
