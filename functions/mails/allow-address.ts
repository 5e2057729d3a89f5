/** POST /api/mails/:id/allow-address */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { allowAddressChange } from '../../shared/domain/mails/allow-address-store.ts';
import { isNotice } from '../../shared/domain/mails/mail.ts';
import { readMail } from '../../shared/domain/mails/mail-store.ts';
import { maySeeNotices } from '../../shared/domain/mails/notice-access.ts';

export const handler = endpoint(routes.allowMailAddress, {
  load: ({ owner, params }) => readMail(owner, params.id ?? ''),
  handle: ({ principal, loaded, requestKey, origin, now }) => {
    const mail = loaded && isNotice(loaded) && !maySeeNotices(principal) ? undefined : loaded;
    return allowAddressChange({ owner: principal.owner, mail, requestKey, origin, now });
  },
});
