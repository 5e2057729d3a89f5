/** Defines the options that close an invoice although less than what is due was paid. */
import { writeOffReasons } from '../shared/domain/payments/write-off.ts';
import { type OptionSpec, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { amountDescription } from './resources.ts';

/** What closes an invoice although less than what is due was paid. */
export const settleOptions: Readonly<Record<string, OptionSpec>> = {
  'write-off': {
    value: 'AMOUNT',
    about: `What is written off, so that nothing is due any more. Requires --write-off-reason. ${amountDescription}`,
    integer: true,
    amount: true,
  },
  'write-off-reason': { value: 'REASON', about: `Why: ${writeOffReasons.join(', ')}.` },
};

/** @throws CommandError (usage) if only one of the options is used */
export function readSettle(options: ParsedOptions) {
  const [amount, reason] = ['write-off', 'write-off-reason'].map((name) => options.optional(name));
  const writeOff = amount === undefined ? undefined : Number(amount);
  if (writeOff === undefined && reason === undefined) return {};
  if (writeOff === undefined || reason === undefined)
    throw usageError('Use --write-off and --write-off-reason together.');
  return { settle: { writeOff, reason: parseChoice('write-off-reason', reason, writeOffReasons) } };
}
