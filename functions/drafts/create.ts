/** POST /api/drafts */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { createDraftCommand, requireCurrency } from '../../shared/domain/drafts/draft-store.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.createDraft, {
  load: ({ owner, body }) => readProductsOf(owner, body, 'all'),
  handle: async ({ principal, loaded: products, body, clock }) => {
    const currencyOf = () => requireCurrency(body.currency);
    const filled = fillLines(body, 'all', products, currencyOf, principal.seller?.defaultTax);
    const rated = await withOwnTaxes(principal.owner.account, filled, clock.account);
    return createDraftCommand(principal, rated, clock.account);
  },
});
