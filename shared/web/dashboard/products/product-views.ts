/** Renders the pages with the forms of products. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import type { Product } from '../../../domain/products/product.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderProductFields } from './product-form.ts';
import { productFields, productTexts } from './product-texts.ts';

/** Shows the form of a new product. */
export async function showNewProductForm(
  context: DashboardContext,
  failed?: FailedForm,
): Promise<DashboardView> {
  const action = context.url('/products/new');
  const content = renderProductFields(undefined, await ownTaxesOf(context), failed);
  return viewOf(
    productTexts.create,
    failed,
    renderForm(context, { action, submit: productTexts.create, content }),
  );
}

/** Shows the form that changes or archives a product. */
export async function showProductEditForm(
  context: DashboardContext,
  product: Product,
  failed?: FailedForm,
): Promise<DashboardView> {
  const seen = renderHiddenInput('seen', seenVersion(failed, String(product.objectVersion)));
  const form = renderForm(context, {
    action: context.url(`/products/${product.id}/edit`),
    submit: productTexts.save,
    content: html`${seen}${renderProductFields(product, await ownTaxesOf(context), failed)}`,
  });
  return viewOf(productTexts.editTitle, failed, html`${form}${renderBack(context, product)}`);
}

/** Shows the page that asks for confirmation of a deletion. */
export function showProductDeleteForm(
  context: DashboardContext,
  product: Product,
  failed?: FailedForm,
): DashboardView {
  const summary = renderDefinitions([
    [fieldNames.id, renderId(product.id)],
    [productFields.name.label, isolateDirection(product.name)],
  ]);
  const action = context.url(`/products/${product.id}/delete`);
  const form = renderForm(context, { action, submit: productTexts.deleteSubmit, style: 'danger' });
  const content = html`${summary}<p>${productTexts.deleted}</p>${form}${renderBack(context, product, productTexts.keep)}`;
  return viewOf(productTexts.deleteTitle, failed, content);
}

const ownTaxesOf = async ({ account }: DashboardContext) => (await readSeller(account))?.taxes ?? [];

const viewOf = (title: string, failed: FailedForm | undefined, content: Markup): DashboardView => ({
  title,
  section: 'products',
  status: failed?.failure.status ?? 200,
  content: html`${renderFailure(failed?.failure)}<section class="card">${content}</section>`,
});

const renderBack = (context: DashboardContext, { id }: Product, text: string = productTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/products/${id}`), text)}</p>`;
