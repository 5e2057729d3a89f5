/** Reads what the forms of invoices offer: products for lines, known customers, and the defaults of the account. */
import { type Currency, currencies } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { endOfDayIn } from '../../../domain/accounts/fiscal-year.ts';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import type { OwnTax } from '../../../domain/charges/own-taxes.ts';
import { isOwnTax, noTax, type TaxCodeName, taxCodeNames } from '../../../domain/charges/tax-codes.ts';
import type { ShownCustomer } from '../../../domain/customers/customer.ts';
import { findCustomers, listCustomerPage } from '../../../domain/customers/customer-list-store.ts';
import type { ShownProduct } from '../../../domain/products/product.ts';
import { listProductPage, readProductIndex } from '../../../domain/products/product-store.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import type { SellerSummary } from '../../../store/account-state.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';

/** How many of the newest products and customers a form offers. All others can be typed. */
export const maxOffered = 100;

export interface InvoiceChoices {
  /** Undefined: the account has no seller profile. */
  readonly seller: SellerSummary | undefined;
  /** The taxes that the account has beside those that all accounts have. */
  readonly taxes: readonly OwnTax[];
  /** The newest products that are not archived. */
  readonly products: readonly ShownProduct[];
  /** There are more products than the form offers. */
  readonly hasMoreProducts: boolean;
  /** The newest customers. */
  readonly customers: readonly ShownCustomer[];
}

/** Reads the choices, in two calls in sequence. A second read for the same request makes no call. */
export function readInvoiceChoices(context: DashboardContext): Promise<InvoiceChoices> {
  const read = reads.get(context) ?? readChoices(context);
  reads.set(context, read);
  return read;
}

const reads = new WeakMap<DashboardContext, Promise<InvoiceChoices>>();

async function readChoices(context: DashboardContext): Promise<InvoiceChoices> {
  const owner = requestOwnerOf({ context });
  const [{ principal }, seller, profile, productView, customerView] = await Promise.all([
    readAccountUsage(owner, context.now),
    readSellerSummary(owner),
    readSeller(owner.account),
    readProductIndex(owner),
    findCustomers(owner, {}),
  ]);
  const page = { offset: 0, limit: maxOffered, isReadOnly: true };
  const [products, customers] = await Promise.all([
    listProductPage(principal, productView, page),
    listCustomerPage(principal, customerView, page),
  ]);
  return {
    seller,
    taxes: profile?.taxes ?? [],
    products: products.data.filter(({ status }) => status === 'active'),
    hasMoreProducts: products.pagination.total > maxOffered,
    customers: customers.data,
  };
}

/** Returns the tax that a new line has first: the default of the account. */
export function firstTaxOf({ seller }: Pick<InvoiceChoices, 'seller'>): TaxCodeName {
  const { defaultTax = noTax } = seller ?? {};
  if (isOwnTax(defaultTax)) return defaultTax;
  return taxCodeNames.find((code) => code === defaultTax) ?? noTax;
}

const currencyOfCountry: Readonly<Record<string, Currency>> = { BT: 'BTN', IN: 'INR', US: 'USD' };

/** Returns the currency that a new invoice has first: that of the seller's country. */
export function firstCurrencyOf({ seller }: Pick<InvoiceChoices, 'seller'>): Currency {
  return currencyOfCountry[seller?.country ?? ''] ?? currencies[0];
}

/** When an invoice without a due date is due, if the account has set it. */
export interface DefaultDueDate {
  readonly days: number;
  /** The last millisecond of the day in the time zone of the seller. */
  readonly at: Instant;
  readonly timeZone: string;
}

/** Returns when an invoice that is created now without a due date is due. Undefined: in 30 days. */
export function defaultDueDateOf(
  { seller }: Pick<InvoiceChoices, 'seller'>,
  { moment }: Pick<DashboardContext, 'moment'>,
): DefaultDueDate | undefined {
  if (seller?.paymentDays === undefined) return undefined;
  const { paymentDays: days, timeZone } = seller;
  return { days, at: endOfDayIn(timeZone, moment.account, days), timeZone };
}
