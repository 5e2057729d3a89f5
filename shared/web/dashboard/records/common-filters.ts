/** Defines the filters that the lists of invoices, payments and refunds have in common. */
import { currencies } from '../../../base/money.ts';
import { typedValue } from './list-query.ts';
import { filterChoices } from './record-elements.ts';
import type { Filter } from './record-list.ts';
import { fieldNames } from './record-texts.ts';

/** The names of their parameters. */
export const commonFilterNames = ['status', 'currency', 'createdFrom', 'createdTo'] as const;

/**
 * Returns the filters with what was sent, also if it is not valid.
 * @param statuses the statuses of the resource
 */
export function commonFilters(
  sent: URLSearchParams,
  statuses: readonly string[],
): Readonly<Record<(typeof commonFilterNames)[number], Filter>> {
  return {
    status: { label: fieldNames.status, value: typedValue(sent, 'status'), choices: filterChoices(statuses) },
    currency: {
      label: fieldNames.currency,
      value: typedValue(sent, 'currency'),
      choices: filterChoices(currencies),
    },
    ...rangeFilters(sent),
  };
}

/** Returns the filters by the time of creation, with what was sent. */
export function rangeFilters(sent: URLSearchParams): Readonly<Record<'createdFrom' | 'createdTo', Filter>> {
  const field = (name: 'createdFrom' | 'createdTo') =>
    ({ label: fieldNames[name], value: typedValue(sent, name), type: 'date' }) as const;
  return { createdFrom: field('createdFrom'), createdTo: field('createdTo') };
}
