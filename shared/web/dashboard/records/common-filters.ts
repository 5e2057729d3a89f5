/** Defines the filters that the lists of invoices, payments and refunds have in common. */
import { currencies } from '../../../base/money.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { filterChoices } from './record-elements.ts';
import type { Filter } from './record-list.ts';
import { fieldNames } from './record-texts.ts';

/** The names of their parameters. */
export const commonFilterNames = ['status', 'currency', 'createdFrom', 'createdTo'] as const;

/**
 * Returns the filters with the values of a query. A query that is not valid filters nothing, and shows only its dates.
 * @param statuses the statuses of the resource
 */
export function commonFilters(
  sent: URLSearchParams,
  errors: FieldErrors,
  statuses: readonly string[],
): Readonly<Record<(typeof commonFilterNames)[number], Filter>> {
  const isValid = Object.keys(errors).length === 0;
  const chosen = (name: string) => (isValid ? sent.get(name)?.trim() || undefined : undefined);
  return {
    status: { label: fieldNames.status, value: chosen('status'), choices: filterChoices(statuses) },
    currency: { label: fieldNames.currency, value: chosen('currency'), choices: filterChoices(currencies) },
    ...rangeFilters(sent),
  };
}

/** Returns the filters by the time of creation, with what was sent. */
export function rangeFilters(sent: URLSearchParams): Readonly<Record<'createdFrom' | 'createdTo', Filter>> {
  const field = (name: 'createdFrom' | 'createdTo') =>
    ({ label: fieldNames[name], value: sent.get(name)?.trim() || undefined, type: 'date' }) as const;
  return { createdFrom: field('createdFrom'), createdTo: field('createdTo') };
}
