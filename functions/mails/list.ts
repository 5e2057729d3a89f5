/** GET /api/mails */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listMailPage } from '../../shared/domain/mails/mail-store.ts';

export const handler = endpoint(routes.listMails, {
  load: ({ owner, query }) => listMailPage(owner, query),
  handle: ({ loaded }) => loaded,
});
