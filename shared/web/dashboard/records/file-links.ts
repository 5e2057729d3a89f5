/** Links lists to files with their rows. */
import { isPlainDate } from '../../../base/due-date.ts';
import { isRecordId } from '../../../base/ids.ts';
import { type ExportKind, exportFilters } from '../../../domain/exports/export-kinds.ts';
import type { DashboardContext } from '../context.ts';
import { listLink } from './list-query.ts';

/** The kinds of exports that are lists of the dashboard. */
export type ListedKind = Extract<ExportKind, 'invoices' | 'payments' | 'refunds' | 'customers'>;

export interface FileLinks {
  readonly kind: ListedKind;
  /** The link to a file that is made at once. */
  readonly csv: string;
  /** The link to the form of an export. */
  readonly exports: string;
}

/** Returns the links to the files of a list. Undefined if the user may not have them. */
export const fileLinksOf = (
  { can, url }: Pick<DashboardContext, 'can' | 'url'>,
  kind: ListedKind,
): FileLinks | undefined =>
  can('records:export')
    ? { kind, csv: url(`/downloads/${kind}.csv`), exports: url('/exports/new') }
    : undefined;

/**
 * Returns the link to the form of an export with exactly the rows of a list. Undefined: exports do not have one of the filters of the list,
 * so the export would have more rows. The file that is made at once has all filters.
 * @param values the filters of the list by the name of their parameter
 */
export function exportLinkOf(
  { kind, exports }: FileLinks,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names: readonly string[] = exportFilters[kind];
  const has = (name: string, value: string) => {
    if (name === 'createdFrom' || name === 'createdTo') return isPlainDate(value);
    // A list also accepts the number of an invoice.
    return names.includes(name) && (name !== 'invoiceId' || isRecordId('invoice', value));
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.every(([name, value = '']) => has(name, value))
    ? listLink(exports, { kind, ...values })
    : undefined;
}

/** The parameter of a file with the selected records of a list only. They follow as `id`, each once. */
export const ofSelected = { name: 'of', value: 'selected' } as const;
