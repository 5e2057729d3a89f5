/** POST /api/mails/:id/allow-address */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { allowAddressCommand } from '../../shared/domain/mails/allow-address-store.ts';
import { readMail } from '../../shared/domain/mails/mail-store.ts';

export const handler = endpoint(routes.allowMailAddress, {
  load: async ({ owner, params }) => {
    const mail = await readMail(owner, params.id ?? '');
    return { mail, invoice: await readInvoice(owner, mail?.invoiceId ?? '') };
  },
  handle: ({ principal: { owner }, loaded: { mail, invoice } }) => allowAddressCommand(owner, mail, invoice),
});
