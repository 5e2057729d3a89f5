/** The option of drafts and schedules that says whether an invoice can be paid in parts. */
import { type OptionSpec, type ParsedOptions, parseChoice } from './command.ts';

export const partialChoice: Readonly<Record<string, OptionSpec>> = {
  'accept-partial': {
    value: 'CHOICE',
    about: 'Whether the invoice can be paid in parts: yes or no. Default: as your account says.',
  },
};

/** Converts the option to its field. @throws CommandError (usage) if it is neither yes nor no */
export function readPartialChoice(options: ParsedOptions): { acceptPartial?: boolean } {
  const choice = options.optional('accept-partial');
  if (choice === undefined) return {};
  return { acceptPartial: parseChoice('accept-partial', choice, ['yes', 'no']) === 'yes' };
}
