/** Links lists to the files with their rows. */
import type { DashboardContext } from '../context.ts';

/** Returns the link to the file of a list. Undefined if the user may not download it. */
export const downloadLink = (
  { can, url }: Pick<DashboardContext, 'can' | 'url'>,
  path: `/downloads/${string}.csv`,
): string | undefined => (can('records:export') ? url(path) : undefined);
