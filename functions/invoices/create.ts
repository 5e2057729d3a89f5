/** POST /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { newInvoice } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createInvoice, {
  handle: ({ admission, body, now }) => newInvoice(admission, body, now),
});
