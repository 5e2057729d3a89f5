/** Decides which numbers the invoices of `remit import` get, and sets the next number of the account. */
import { type Remit, ValidationError } from '../client/src/remit.ts';
import { CommandError } from './command.ts';

/** The options of each request of an import: a long one waits for the rate limit. */
export const patience = { maxRetries: 10 };

/**
 * @param missing how many invoices the import creates
 * @param next the number that the caller wants to set
 * @throws CommandError if the choices do not fit the account. Its seller profile gives each invoice a number
 */
export async function requireNumbers(
  remit: Remit,
  missing: number,
  newNumbers: boolean,
  next: number | undefined,
): Promise<void> {
  if (missing === 0 && next === undefined) return;
  const { seller } = await remit.account.retrieve(patience);
  if (!seller && next !== undefined)
    throw new CommandError(
      'The account has no seller profile, so its invoices have no numbers. Leave out --set-next-number, and set the next number with the profile.',
    );
  if (seller && missing > 0 && !newNumbers)
    throw new CommandError(
      `The account has a seller profile, so each of the ${missing} open invoices would get a new number and be issued a second time. Import them before you set the profile, or add --new-numbers.`,
    );
}

/**
 * Sets the next number of the series of invoices, and returns what to tell the user.
 * @param areNumbered whether invoices of an earlier run have numbers. They have taken them from there on
 * @throws CommandError if the series has begun elsewhere. Then nothing is changed
 */
export async function setNextNumber(remit: Remit, next: number, areNumbered: boolean): Promise<string> {
  try {
    await remit.account.update({ seller: { series: { invoice: { next } } } }, patience);
    return `The next invoice number is ${next}.`;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    if (!areNumbered) throw new CommandError(error.message);
    return 'The next invoice number is not set again: imported invoices have numbers already.';
  }
}
