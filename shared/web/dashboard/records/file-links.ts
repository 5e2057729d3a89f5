/** Links lists to files with their rows. */
import type { ExportKind } from '../../../domain/exports/export-kinds.ts';
import type { DashboardContext } from '../context.ts';

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

/** The parameter of a file with the selected records of a list only. They follow as `id`, each once. */
export const ofSelected = { name: 'of', value: 'selected' } as const;
