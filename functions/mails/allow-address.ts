/** POST /api/mails/:id/allow-address */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { allowAddressChange } from '../../shared/domain/mails/allow-address-store.ts';
import { readMail } from '../../shared/domain/mails/mail-store.ts';

export const handler = endpoint(routes.allowMailAddress, {
  load: ({ owner, params }) => readMail(owner, params.id ?? ''),
  handle: ({ principal: { owner }, loaded: mail, requestKey, origin, now }) =>
    allowAddressChange({ owner, mail, requestKey, origin, now }),
});
