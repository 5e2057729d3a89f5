/** POST /api/statements/:id/rows/:rowId/match: lets a row of a bank statement pay an invoice. */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';
import { readRowUse } from '../../shared/domain/payments/row-use-store.ts';
import { payRowCommand } from '../../shared/domain/statements/pay-row-store.ts';
import { requireRow } from '../../shared/domain/statements/row-store.ts';
import { readStatementWithRows } from '../../shared/domain/statements/statement-store.ts';

export const handler = endpoint(routes.matchStatementRow, {
  load: ({ owner, params, body }) =>
    Promise.all([
      readStatementWithRows(owner, params.id ?? ''),
      readRowUse(owner, params.rowId ?? ''),
      readInvoice(owner, body.invoiceId),
    ]),
  handle: async ({ principal, params, loaded: [found, use, invoice], body, query, clock, now }) => {
    const { row } = requireRow(found, params.rowId ?? '');
    const command = await payRowCommand(
      principal,
      { statement: found.statement, row, use, invoice },
      {
        amount: body.amount ?? undefined,
        settle: body.settle ?? undefined,
        allowDuplicateReference: body.allowDuplicateReference ?? undefined,
      },
      clock,
    );
    return voidCheckoutFirst(command, now, query.force !== undefined);
  },
});
