/** Lists what each version adds, oldest first. The first version adds nothing. */
import { change20261123 } from './2026-11-23.ts';
import type { VersionChange } from './version-change.ts';

export const versionChanges: readonly VersionChange[] = [change20261123];
