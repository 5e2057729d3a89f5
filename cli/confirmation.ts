/**
 * Asks before a change that cannot be undone.
 * - A terminal asks, and only "y" or "yes" continues. `--yes` skips the question.
 * - Without a terminal, the command continues, because scripts run it. `accounts close` and `erase` need `--yes` there.
 */
import { CommandError, type OptionSpec, type ParsedOptions } from './command.ts';
import { escapeToOneLine } from './escape-control-characters.ts';
import { ask, isInteractive } from './terminal.ts';

/** The option of all commands that ask. */
export const yesOption: Readonly<Record<string, OptionSpec>> = {
  yes: { about: 'Skip the question that the command asks on a terminal.' },
};

/**
 * Asks whether to continue. Does nothing with `--yes` or without a terminal.
 * @param describe returns sentences that say what will happen. Called only before a question
 * @throws CommandError if the user does not confirm
 */
export async function confirmChange(
  options: ParsedOptions,
  describe: () => string | Promise<string>,
): Promise<void> {
  if (options.flag('yes') || !isInteractive()) return;
  const answer = await ask(escapeToOneLine(`${await describe()} Continue? [y/N] `));
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Canceled. Nothing was changed.');
}
