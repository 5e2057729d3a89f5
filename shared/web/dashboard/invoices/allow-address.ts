/** Carries out the buttons of mails that allow mails to their addresses again: on the page of an invoice, and in the list of mails. */
import { allowAddressChange } from '../../../domain/mails/allow-address-store.ts';
import type { Mail } from '../../../domain/mails/mail.ts';
import { readMail } from '../../../domain/mails/mail-store.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';

export const allowAddressOfInvoice: DashboardAction = {
  path: '/invoices/:id/mails/:mail/allow-address',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}`,
  handle: async (request) => {
    const { id = '', mail = '' } = request.params;
    const isOfInvoice = ({ invoiceId }: Mail) => invoiceId === id;
    return allowAddress(request, { id: mail, isWanted: isOfInvoice, page: `/invoices/${id}` });
  },
};

const allowAddressOfMail: DashboardAction = {
  path: '/mails/:id/allow-address',
  ability: 'invoices:write',
  formPage: () => '/mails',
  handle: async (request) =>
    allowAddress(request, { id: request.params.id ?? '', isWanted: () => true, page: '/mails' }),
};

export const mailActions: readonly DashboardAction[] = [allowAddressOfMail];

interface AllowedMail {
  readonly id: string;
  readonly isWanted: (mail: Mail) => boolean;
  /** The page that the user sees next. */
  readonly page: string;
}

async function allowAddress(
  request: ActionRequest,
  { id, isWanted, page }: AllowedMail,
): Promise<ActionResult | undefined> {
  const owner = requestOwnerOf(request);
  const mail = await readMail(owner, id);
  if (!mail || !isWanted(mail)) return undefined;
  const attempt = await formAttemptOf(request, 'mail.allow_address', id, {});
  const { origin, clock } = attempt;
  await commitAttempt(
    attempt,
    async () => mail,
    (_, requestKey) => allowAddressChange({ owner, mail, requestKey, origin, now: clock.real }),
  );
  return { redirectTo: request.context.url(page), notice: 'address_allowed' };
}
