/** GET /api/mails */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { isNoticeKind } from '../../shared/domain/accounts/notice-settings.ts';
import { listMailPage } from '../../shared/domain/mails/mail-store.ts';
import { maySeeNotices } from '../../shared/domain/mails/notice-access.ts';

export const handler = endpoint(routes.listMails, {
  load: ({ owner, query }) => listMailPage(owner, query),
  handle: ({ principal, query, loaded }) =>
    maySeeNotices(principal)
      ? loaded
      : listMailPage(principal.owner, query, ({ kind }) => !isNoticeKind(kind)),
});
