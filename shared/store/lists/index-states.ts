/** Says in which attribute of an index page the numbers of each status are. `pages/index-pages.ts` says why the order counts. */
import type { Resource } from '../../base/ids.ts';
import type { statuses } from '../../base/statuses.ts';

/** For each resource, the attribute that holds the set of each status. A status without one does not compile. */
export type IndexStates<Statuses extends Readonly<Record<Resource, readonly string[]>> = typeof statuses> = {
  readonly [R in Resource]: Readonly<Record<Statuses[R][number], string>>;
};

/** The statuses of each resource, lowest precedence first, and the attribute that holds the set of each. */
export const indexStates = {
  invoice: { pending: 'c', overdue: 'o', paid: 'p', cancelled: 'x' },
  payment: { pending: 'c', failed: 'f', completed: 'p' },
  // A processed refund fails if the bank returns the money to the provider.
  refund: { pending: 'c', processed: 'p', failed: 'f' },
  customer: { active: 'c', deleted: 'x' },
  product: { active: 'c', deleted: 'x' },
  draft: { open: 'c', finalized: 'p', deleted: 'x' },
  statement: { matching: 'c', ready: 'p' },
  schedule: { open: 'c', ended: 'x' },
  export: { running: 'c', completed: 'p', failed: 'f' },
} as const satisfies IndexStates;
