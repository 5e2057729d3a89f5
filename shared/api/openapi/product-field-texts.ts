/** Describes the fields of products. */
import { createdAt, type FieldTexts, pagination, readOnly, updatedAt } from './common-field-texts.ts';

const unitAmounts =
  'The price of one unit in each currency, in the smallest currency unit. The invoice says whether it contains the tax.';
const tax = 'The code of the tax, as in lines of invoices. Without it, lines have no tax.';
const description = 'What lines say. Without it, they say the name.';
const unit = 'The unit of quantities, such as `hours`.';
const productCode = 'The HSN or SAC code: 4 to 8 digits.';
const amounts = { BTN: 'In chetrum.', USD: 'In cents.', INR: 'In paisa.' };
const name = 'The name of the product.';

export const productFieldTexts: Pick<
  FieldTexts,
  | 'Product'
  | 'ProductList'
  | 'ProductDeletion'
  | 'CreateProduct'
  | 'UpdateProduct'
  | 'UnitAmounts'
  | 'UnitAmountsInput'
> = {
  Product: {
    id: 'The ID of the product. Send it as the `product` of lines.',
    name,
    description,
    unit,
    unitAmounts,
    tax,
    productCode,
    status: '`active` or `archived`. New lines cannot name an archived product.',
    createdAt,
    updatedAt,
  },
  ProductList: { data: 'The products, newest first.', pagination },
  ProductDeletion: { id: 'The ID of the product.', deletedAt: 'The time at which the product was deleted.' },
  CreateProduct: { name, description, unit, unitAmounts, tax, productCode },
  UpdateProduct: {
    id: readOnly,
    name,
    description: `${description} Null removes it.`,
    unit: `${unit} Null removes it.`,
    unitAmounts: `${unitAmounts} They replace the former prices.`,
    tax: 'The code of the tax, as in lines of invoices.',
    productCode: `${productCode} Null removes it.`,
    status: '`archived` archives the product, `active` offers it again.',
    createdAt: readOnly,
    updatedAt: readOnly,
  },
  UnitAmounts: amounts,
  UnitAmountsInput: amounts,
};
