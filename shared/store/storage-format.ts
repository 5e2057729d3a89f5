/**
 * Decides in which format the table is written. This release reads both.
 *
 * - Format 1: release 0.1.0 reads everything that this release writes, so functions of both can run side by side.
 * - Format 2: costs less. Texts that can be long are compressed, events are appended one by one, and the entries of index pages
 *   are folded into volumes (`index/fold-volume.ts`). Timers and messages of new deliveries can exist before the deliveries are stored.
 *   The reconciliation sets the timers of far due dates (`timers/due-dates.ts`).
 *   Release 0.1.0 cannot read it.
 *
 * An operator sets format 2 when no function of release 0.1.0 runs any more. Functions with either setting run side by side
 * while the setting changes, and commands write format 1. So each format must be safe beside the other in one table.
 */
import { env } from '../env.ts';

export type StorageFormat = 1 | 2;

/** Returns the format in which this process writes. */
export const storageFormat = (): StorageFormat => (env.storageFormat() === '2' ? 2 : 1);
