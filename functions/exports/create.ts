/** POST /api/exports: stores an export. A worker then makes its files. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import {
  createExportCommand,
  readTakenSlots,
  requireKind,
} from '../../shared/domain/exports/export-store.ts';

export const handler = endpoint(routes.createExport, {
  load: ({ owner, now }) => Promise.all([readTakenSlots(owner), readPageSettings(owner.account, now)]),
  handle: ({ principal, body, loaded: [taken, { timeZone }], clock }) => {
    requireKind(principal, body.kind);
    return createExportCommand(principal, body, { taken, timeZone: timeZone ?? 'UTC', now: clock.account });
  },
});
