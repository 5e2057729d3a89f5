/** Declares the forms of products. */
import {
  createProductCommand,
  deleteProductCommand,
  readProduct,
  updateProductCommand,
} from '../../../domain/products/product-store.ts';
import { recordActions } from '../attempts/record-actions.ts';
import { productFieldNames, productFormTexts, readNewProduct, readProductEdit } from './product-form.ts';
import { productTexts } from './product-texts.ts';
import { showNewProductForm, showProductDeleteForm, showProductEditForm } from './product-views.ts';

export const productActions = recordActions({
  kind: 'product',
  path: '/products',
  ability: 'products:write',
  fields: { new: productFieldNames, edit: [...productFieldNames, 'status'] },
  texts: productFormTexts,
  changed: productTexts.changed,
  readNew: readNewProduct,
  readEdit: readProductEdit,
  read: readProduct,
  create: createProductCommand,
  update: (loaded, sent, _, now, require) => updateProductCommand(loaded, sent, now, require),
  remove: deleteProductCommand,
  views: { new: showNewProductForm, edit: showProductEditForm, delete: showProductDeleteForm },
});
