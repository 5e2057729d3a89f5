/** POST /api/exports: stores an export. A worker then makes its files. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import {
  createExportCommand,
  readTakenSlots,
  requireKind,
} from '../../shared/domain/exports/export-store.ts';

export const handler = endpoint(routes.createExport, {
  load: ({ owner }) => readTakenSlots(owner),
  handle: ({ principal, body, loaded, clock }) => {
    requireKind(principal, body.kind);
    return createExportCommand(principal, body, loaded, clock.account);
  },
});
