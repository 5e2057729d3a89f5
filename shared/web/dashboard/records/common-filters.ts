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
  const sentValue = (name: string) => sent.get(name)?.trim() || undefined;
  const chosen = (name: string) => (isValid ? sentValue(name) : undefined);
  return {
    status: { label: fieldNames.status, value: chosen('status'), choices: filterChoices(statuses) },
    currency: { label: fieldNames.currency, value: chosen('currency'), choices: filterChoices(currencies) },
    createdFrom: { label: fieldNames.createdFrom, value: sentValue('createdFrom'), type: 'date' },
    createdTo: { label: fieldNames.createdTo, value: sentValue('createdTo'), type: 'date' },
  };
}
