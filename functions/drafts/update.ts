/** PATCH /api/drafts/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { readDraft, requireCurrency, updateDraftCommand } from '../../shared/domain/drafts/draft-store.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.updateDraft, {
  load: ({ owner, params, body }) =>
    Promise.all([readDraft(owner, params.id ?? ''), readProductsOf(owner, body, 'incomplete')]),
  handle: async ({ principal, loaded: [draft, products], body, clock }) => {
    const currencyOf = () => requireCurrency(body.currency ?? draft.record?.content?.currency);
    const filled = fillLines(body, 'incomplete', products, currencyOf, principal.seller?.defaultTax);
    const rated = await withOwnTaxes(principal.owner.account, filled, clock.account);
    return updateDraftCommand(principal, draft, rated, clock.account);
  },
});
