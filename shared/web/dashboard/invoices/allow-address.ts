/** Carries out the button of a mail that allows mails to its address again. */
import { allowAddressChange } from '../../../domain/mails/allow-address-store.ts';
import { readMail } from '../../../domain/mails/mail-store.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardAction } from '../definitions.ts';

export const allowAddress: DashboardAction = {
  path: '/invoices/:id/mails/:mail/allow-address',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}`,
  handle: async (request) => {
    const { id = '', mail: mailId = '' } = request.params;
    const owner = requestOwnerOf(request);
    const mail = await readMail(owner, mailId);
    if (mail?.invoiceId !== id) return undefined;
    const attempt = await formAttemptOf(request, 'mail.allow_address', mailId, {});
    const { origin, clock } = attempt;
    await commitAttempt(
      attempt,
      async () => mail,
      (_, requestKey) => allowAddressChange({ owner, mail, requestKey, origin, now: clock.real }),
    );
    return { redirectTo: request.context.url(`/invoices/${id}`), notice: 'address_allowed' };
  },
};
