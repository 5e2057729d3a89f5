/** Serves the pages of products: the list, one product, and the forms. Writes nothing. */
import { html } from 'hono/html';
import type { Owner } from '../../../base/ids.ts';
import { currencies, formatAmount } from '../../../base/money.ts';
import {
  listProductsQuery,
  type Product,
  type ShownProduct,
  showProduct,
} from '../../../domain/products/product.ts';
import { listProductPage, readProduct, readProductIndex } from '../../../domain/products/product-store.ts';
import { productType } from '../../../domain/products/record.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { lineTexts } from '../invoices/invoice-texts.ts';
import { parseListQuery } from '../records/list-query.ts';
import { renderButtonLink, renderLine, renderShortIdLink, renderText } from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames, textFor } from '../records/record-texts.ts';
import { renderTime, type ZoneContext } from '../times.ts';
import { productFields, productTexts, statusField } from './product-texts.ts';
import { showNewProductForm, showProductDeleteForm, showProductEditForm } from './product-views.ts';

const list: DashboardPage = {
  path: '/products',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listProductsQuery, request, ['offset']);
    const owner = requestOwnerOf(request);
    const [{ principal }, view] = await Promise.all([
      readAccountUsage(owner, context.now),
      readProductIndex(owner),
    ]);
    const { offset, limit } = query;
    const { data, pagination } = await listProductPage(principal, view, { offset, limit, isReadOnly: true });
    return {
      title: productTexts.title,
      section: 'products',
      aside: context.can('products:write')
        ? renderButtonLink(context.url('/products/new'), productTexts.create, '')
        : undefined,
      content: renderList({
        link: context.url('/products'),
        filters: {},
        errors,
        ...offsetPartOf(data, pagination, renderProductTable(context, data)),
        empty: productTexts.empty,
        noMatch: productTexts.empty,
      }),
    };
  },
};

function renderProductTable(context: DashboardContext, products: readonly ShownProduct[]): Markup {
  const titles = [productTexts.one, productFields.name.label, productTexts.prices, statusField.label];
  const rows = products.map((product) => [
    renderShortIdLink(context, '/products', product.id),
    renderLine(product.name),
    renderLine(pricesOf(product).join(', ')),
    textFor(productTexts.statuses, product.status),
  ]);
  return renderTable(
    productTexts.table,
    titles.map((title) => ({ title })),
    rows,
  );
}

const pricesOf = ({ unitAmounts }: ShownProduct): string[] =>
  currencies.flatMap((currency) => {
    const amount = unitAmounts[currency];
    return amount === undefined ? [] : [formatAmount(amount, currency)];
  });

const detail: DashboardPage = {
  path: '/products/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const { id = '' } = params;
    const product = await findProduct(requestOwnerOf(request), id);
    if (!product) return undefined;
    const buttons = html`<div class="buttons">${renderButtonLink(context.url(`/products/${id}/edit`), productTexts.edit)}${renderButtonLink(context.url(`/products/${id}/delete`), productTexts.delete)}</div>`;
    return {
      title: productTexts.one,
      section: 'products',
      aside: context.can('products:write') ? buttons : undefined,
      content: html`<section class="card">${renderProduct(context, product)}</section>`,
    };
  },
};

function renderProduct(zone: ZoneContext, product: Product): Markup {
  const { id, name, description, unit, tax, productCode, status } = showProduct(product);
  const row = (title: string, text: string | null) =>
    text === null ? undefined : ([title, renderText(text)] as const);
  return renderDefinitions([
    [fieldNames.id, renderId(id)],
    row(productFields.name.label, name),
    row(productFields.description.label, description),
    row(productFields.unit.label, unit),
    row(productTexts.prices, pricesOf(showProduct(product)).join('\n')),
    row(productFields.tax.label, textFor(lineTexts.taxes, tax)),
    row(productFields.productCode.label, productCode),
    [statusField.label, textFor(productTexts.statuses, status)],
    [fieldNames.created, renderTime(zone, product.createdAt)],
    [fieldNames.changed, renderTime(zone, product.updatedAt)],
  ]);
}

const newProduct: DashboardPage = {
  path: '/products/new',
  ability: 'products:write',
  handle: async ({ context }) => showNewProductForm(context),
};

/** Before the page of one product, because `new` is not an id. */
export const productPages: readonly DashboardPage[] = [
  list,
  newProduct,
  formPage('/products/:id/edit', showProductEditForm),
  formPage('/products/:id/delete', showProductDeleteForm),
  detail,
];

function formPage(
  path: string,
  show: (context: DashboardContext, product: Product) => DashboardView | Promise<DashboardView>,
): DashboardPage {
  return {
    path,
    ability: 'products:write',
    handle: async (request) => {
      const product = await findProduct(requestOwnerOf(request), request.params.id ?? '');
      return product && show(request.context, product);
    },
  };
}

/** Reads a product. Returns undefined if it does not exist, or is deleted. */
async function findProduct(owner: Owner, id: string): Promise<Product | undefined> {
  if (!productType.isId(id)) return undefined;
  const { record } = await readProduct(owner, id);
  return record?.status === 'active' ? record : undefined;
}
