/** The English texts of the pages of products. */
export const productTexts = {
  title: 'Products',
  one: 'Product',
  create: 'Create product',
  empty: 'No products yet. A line of an invoice can take its text, price and tax from a product.',
  table: 'Products, newest first',
  prices: 'Prices',
  edit: 'Edit',
  editTitle: 'Edit product',
  save: 'Save changes',
  delete: 'Delete',
  deleteTitle: 'Delete this product?',
  deleteSubmit: 'Delete product',
  deleted:
    'This cannot be undone. Invoices keep what they took from the product. To only hide it, archive it instead.',
  keep: 'Keep the product',
  back: 'Back to the product',
  noPrice: 'A product needs at least one price. Enter one.',
  statuses: { active: 'Active', archived: 'Archived' },
  changed:
    'The product changed after you opened this form. Nothing was saved. Compare your values with the product, then save again.',
} as const;

const priceMessage = (currency: string) =>
  `Price in ${currency} must be a number from 0 to 9,999,999,999.99 with at most two decimal places, such as 2500.00.`;
const price = (currency: string) => ({
  label: `Price in ${currency}`,
  hint: 'Optional. The price of one unit.',
  message: priceMessage(currency),
});

/** The fields of the forms, in their order. */
export const productFields = {
  name: { label: 'Name' },
  description: { label: 'Description', hint: 'Optional. What lines say. Without it, they say the name.' },
  unit: { label: 'Unit', hint: 'Optional. For example hours or kg.' },
  priceBTN: price('BTN'),
  priceUSD: price('USD'),
  priceINR: price('INR'),
  tax: { label: 'Tax', message: 'Tax must be one of the list.' },
  productCode: { label: 'HSN or SAC code', hint: 'Optional. 4 to 8 digits.' },
} as const;

/** An archived product is offered no more. Only the form that changes a product has this field. */
export const statusField = { label: 'Status', message: 'Status must be one of the list.' } as const;
