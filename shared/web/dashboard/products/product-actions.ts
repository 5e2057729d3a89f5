/** Carries out what the forms of products ask for, with the transitions and the commit of the API. */
import type { Product } from '../../../domain/products/product.ts';
import {
  createProductCommand,
  deleteProductCommand,
  readProduct,
  updateProductCommand,
} from '../../../domain/products/product-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf } from '../input/form-fields.ts';
import { productFieldNames, productFormTexts, readNewProduct, readProductEdit } from './product-form.ts';
import { productTexts } from './product-texts.ts';
import { showNewProductForm, showProductDeleteForm, showProductEditForm } from './product-views.ts';

const create: DashboardAction = {
  path: '/products/new',
  ability: 'products:write',
  formPage: () => '/products/new',
  fields: productFieldNames,
  typed: {
    showAgain: (request, failure) => showNewFormAgain(request, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const sent = readNewProduct(form);
    if (!sent.ok) return showNewFormAgain(request, { errors: sent.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'product.create', '', sent.output);
    try {
      const { answer } = await commitCreation(
        attempt,
        'product',
        async () => undefined,
        (principal) => createProductCommand(principal, sent.output, context.now),
      );
      return { redirectTo: context.url(`/products/${answer.id}`), notice: 'product_created' };
    } catch (error) {
      const failure = failureOf(error, productFormTexts);
      return failure && showNewFormAgain(request, failure);
    }
  },
};

const update: DashboardAction = {
  path: '/products/:id/edit',
  ability: 'products:write',
  formPage: ({ id }) => `/products/${id}/edit`,
  fields: [...productFieldNames, 'status', 'seen'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showProductEditForm, failure),
  },
  handle: async (request) => {
    const { context, form, params } = request;
    const { id = '' } = params;
    const sent = readProductEdit(form);
    if (!sent.ok) return showFormAgain(request, showProductEditForm, { errors: sent.errors, status: 400 });
    const seen = Number(lineOf(form, 'seen'));
    const requireUnchanged = ({ objectVersion }: Product) => {
      if (objectVersion !== seen) throw new RecordChangedError();
    };
    try {
      await commitAttempt(
        await formAttemptOf(request, 'product.update', id, { ...sent.output, seen }),
        () => readProduct(requestOwnerOf(request), id),
        (loaded) => updateProductCommand(loaded, sent.output, context.now, requireUnchanged),
      );
      return { redirectTo: context.url(`/products/${id}`), notice: 'product_updated' };
    } catch (error) {
      const failure = failureOf(error, productFormTexts, productTexts.changed);
      return failure && showFormAgain(request, showProductEditForm, failure);
    }
  },
};

const remove: DashboardAction = {
  path: '/products/:id/delete',
  ability: 'products:write',
  formPage: ({ id }) => `/products/${id}/delete`,
  handle: async (request) => {
    const { context, params } = request;
    const { id = '' } = params;
    try {
      await commitAttempt(
        await formAttemptOf(request, 'product.delete', id, {}),
        () => readProduct(requestOwnerOf(request), id),
        (loaded) => deleteProductCommand(loaded, context.now),
      );
      return { redirectTo: context.url('/products'), notice: 'product_deleted' };
    } catch (error) {
      const failure = failureOf(error, {});
      return failure && showFormAgain(request, showProductDeleteForm, failure);
    }
  },
};

export const productActions: readonly DashboardAction[] = [create, update, remove];

const showNewFormAgain = async (
  { context, form }: ActionRequest,
  failure: Failure,
): Promise<ActionResult> => ({ view: await showNewProductForm(context, { fields: form, failure }) });

type ShowForm = (
  context: DashboardContext,
  product: Product,
  failed: FailedForm,
) => DashboardView | Promise<DashboardView>;

/** Shows a form again, with the product as it is now and the values that the user typed. */
async function showFormAgain(
  request: ActionRequest,
  show: ShowForm,
  failure: Failure,
): Promise<ActionResult | undefined> {
  const { record } = await readProduct(requestOwnerOf(request), request.params.id ?? '');
  if (record?.status !== 'active') return undefined;
  return { view: await show(request.context, record, { fields: request.form, failure }) };
}
