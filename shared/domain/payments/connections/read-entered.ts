/** Reads what a person entered to connect a payment provider. */
import { currencies as allCurrencies, type Currency, formatAmount } from '../../../base/money.ts';
import { amountLimitsOf } from '../provider/amount-limits.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import type { MaximumAmounts } from './connection.ts';
import { type CredentialField, credentialFields, providerFacts } from './provider-facts.ts';

/** What a person entered. Empty texts count as absent. */
export type EnteredCredentials = Readonly<Partial<Record<CredentialField, string>>>;

/** Maximum amounts in the smallest unit of each currency. NaN if a person entered no amount. */
export type EnteredAmounts = MaximumAmounts;

/** What a person enters to connect a provider. `maximumINR` and its like are the maximum amounts. */
export type ConnectionField = CredentialField | 'currencies' | `maximum${Currency}`;

/** A connection cannot be made or changed as requested. The message says why and what to do, and holds no secret. */
export class ConnectionError extends Error {
  /** The field that is wrong, or undefined if none is. */
  readonly field: ConnectionField | undefined;
  constructor(message: string, field?: ConnectionField) {
    super(message);
    this.field = field;
  }
}

/**
 * Returns the credentials without white space around them. Empty texts become undefined.
 * @throws ConnectionError if a part is missing or has another form
 */
export function readEntered(
  name: HostedProviderName,
  entered: EnteredCredentials,
  isComplete: boolean,
): EnteredCredentials {
  const { title, credentials } = providerFacts[name];
  const values = credentialFields.map((field) => {
    const value = entered[field]?.trim() || undefined;
    const facts = credentials[field];
    if (!facts) {
      if (value !== undefined) throw new ConnectionError(`${title} has no ${field}. Leave it out.`, field);
      return [field, undefined];
    }
    if (value === undefined && isComplete)
      throw new ConnectionError(`${facts.label} is required. ${facts.hint}`, field);
    if (value !== undefined && !facts.pattern.test(value))
      throw new ConnectionError(`${facts.label} is not valid. ${facts.hint}`, field);
    return [field, value];
  });
  return Object.fromEntries(values);
}

/**
 * Returns the chosen currencies. Undefined chooses all that the provider takes.
 * @throws ConnectionError if the provider cannot take one of them, or if there is none
 */
export function readCurrencies(
  name: HostedProviderName,
  chosen: readonly string[] | undefined,
): readonly Currency[] {
  const { currencies: possible, title } = providerFacts[name];
  if (chosen === undefined) return possible;
  const taken = possible.filter((currency) => chosen.includes(currency));
  if (taken.length > 0 && taken.length === new Set(chosen).size) return taken;
  throw new ConnectionError(
    `Currencies must be one or more of ${possible.join(', ')} for ${title}.`,
    'currencies',
  );
}

/**
 * Returns the maximum amounts, or undefined if there is none.
 * @throws ConnectionError if one is not an amount that the provider can take, or if the account does not take its currency
 */
export function readMaximumAmounts(
  name: HostedProviderName,
  taken: readonly Currency[],
  entered: EnteredAmounts,
): MaximumAmounts | undefined {
  const amounts = allCurrencies.flatMap((currency) => {
    const amount = entered[currency];
    if (amount === undefined) return [];
    const limits = taken.includes(currency) ? amountLimitsOf(name, currency) : undefined;
    const field = `maximum${currency}` as const;
    if (!limits)
      throw new ConnectionError(
        `A maximum amount in ${currency} has no effect, because the account does not take ${currency}. Leave it out.`,
        field,
      );
    const { smallest, largest } = limits;
    if (!Number.isSafeInteger(amount) || amount < smallest || amount > largest)
      throw new ConnectionError(
        `The maximum amount in ${currency} must be from ${formatAmount(smallest, currency)} to ${formatAmount(largest, currency)}. Enter the largest payment that your account at ${providerFacts[name].title} takes.`,
        field,
      );
    return [[currency, amount] as const];
  });
  return amounts.length > 0 ? Object.fromEntries(amounts) : undefined;
}
