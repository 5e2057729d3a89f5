/**
 * Names the columns that `remit import` reads in the exports of other tools. Names are compared without case, spaces and punctuation.
 *
 * - Invoice Ninja: `buildHeader` and the keys in `app/Export/CSV/BaseExport.php`, with the English texts of `lang/en/texts.php`
 *   (github.com/invoiceninja/invoiceninja). A name has the kind before it where the export has fields of several kinds.
 * - Stripe: the dashboard exports invoices, customers and prices (docs.stripe.com/invoicing/dashboard/manage-invoices#export-invoices).
 *   Its columns have the names of the fields of the API in title case (docs.stripe.com/api/invoices/object), and `(UTC)` after times.
 *   An open invoice still needs `amount_due` less `amount_paid`.
 * - Razorpay: reports have the names of the fields of the API: razorpay.com/docs/api/payments/invoices/entity,
 *   razorpay.com/docs/api/customers/entity and razorpay.com/docs/api/payments/items/entity.
 */
import type { ImportKind, ImportTool } from './import-records.ts';

/** The columns of a file: the names of each field, of which the first one that the file has is read. */
export interface ImportColumns {
  /** The fields without which no row can be imported. */
  readonly required: readonly string[];
  readonly names: Readonly<Record<string, readonly string[]>>;
}

const stripe: Readonly<Record<ImportKind, ImportColumns>> = {
  customers: {
    required: ['id'],
    names: {
      id: ['id', 'Customer ID'],
      name: ['Name', 'Customer Name'],
      email: ['Email', 'Customer Email'],
      phone: ['Phone', 'Customer Phone'],
      line1: ['Address Line1'],
      line2: ['Address Line2'],
      city: ['Address City'],
      state: ['Address State'],
      postalCode: ['Address Postal Code', 'Address Zip'],
      country: ['Address Country'],
    },
  },
  products: {
    required: ['id', 'name', 'amount', 'currency'],
    names: {
      id: ['Product ID'],
      name: ['Product Name'],
      amount: ['Amount'],
      currency: ['Currency'],
      interval: ['Interval'],
      billingScheme: ['Billing Scheme'],
      taxBehavior: ['Tax Behavior'],
    },
  },
  invoices: {
    required: ['number', 'customerId', 'status', 'currency', 'total', 'paid'],
    names: {
      number: ['Number', 'Invoice Number'],
      customerId: ['Customer', 'Customer ID'],
      customerName: ['Customer Name'],
      customerEmail: ['Customer Email'],
      status: ['Status'],
      currency: ['Currency'],
      total: ['Amount Due'],
      paid: ['Amount Paid'],
      date: ['Finalized At (UTC)', 'Date (UTC)', 'Created (UTC)'],
      dueDate: ['Due Date (UTC)', 'Due Date'],
      text: ['Description'],
    },
  },
};

const razorpay: Readonly<Record<ImportKind, ImportColumns>> = {
  customers: {
    required: ['id'],
    names: {
      id: ['id', 'customer_id'],
      name: ['name', 'customer_name'],
      email: ['email', 'customer_email'],
      phone: ['contact', 'customer_contact'],
      taxNumber: ['gstin'],
    },
  },
  products: {
    required: ['id', 'name', 'amount', 'currency'],
    names: {
      id: ['id', 'item_id'],
      name: ['name', 'item_name'],
      text: ['description'],
      amount: ['unit_amount', 'amount'],
      currency: ['currency'],
      active: ['active'],
      taxRate1: ['tax_rate'],
      taxBehavior: ['tax_inclusive'],
      productCode: ['hsn_code'],
      serviceCode: ['sac_code'],
    },
  },
  invoices: {
    required: ['number', 'customerId', 'status', 'currency', 'total', 'paid', 'due'],
    names: {
      number: ['invoice_number', 'receipt'],
      customerId: ['customer_id'],
      customerName: ['customer_name', 'customer_details_name'],
      customerEmail: ['customer_email', 'customer_details_email'],
      customerPhone: ['customer_contact', 'customer_details_contact'],
      status: ['status'],
      currency: ['currency'],
      total: ['amount'],
      paid: ['amount_paid'],
      due: ['amount_due'],
      date: ['date', 'issued_at'],
      dueDate: ['expire_by'],
      text: ['description'],
    },
  },
};

const invoiceNinja: Readonly<Record<ImportKind, ImportColumns>> = {
  customers: {
    required: ['id', 'name'],
    names: {
      id: ['Number', 'Client Number'],
      name: ['Name', 'Client Name'],
      email: ['Email', 'Contact Email'],
      phone: ['Client Phone', 'Phone', 'Contact Phone'],
      line1: ['Street', 'Client Street'],
      line2: ['Apt/Suite', 'Client Apt/Suite'],
      city: ['City', 'Client City'],
      state: ['State/Province', 'Client State/Province'],
      postalCode: ['Postal Code', 'Client Postal Code'],
      country: ['Country', 'Client Country'],
      taxNumber: ['VAT Number', 'Client VAT Number'],
    },
  },
  products: {
    required: ['name', 'amount'],
    names: {
      name: ['Product'],
      text: ['Notes'],
      amount: ['Price'],
      taxName1: ['Tax Name 1'],
      taxRate1: ['Tax Rate 1'],
      taxRate2: ['Tax Rate 2'],
      taxRate3: ['Tax Rate 3'],
    },
  },
  invoices: {
    required: ['number', 'customerName', 'status', 'currency', 'total', 'paid', 'due'],
    names: {
      number: ['Invoice Invoice Number', 'Invoice Number', 'Number'],
      customerName: ['Client Name', 'Name'],
      status: ['Invoice Status', 'Status'],
      currency: ['Client Currency', 'Currency'],
      total: ['Invoice Amount', 'Amount'],
      paid: ['Invoice Paid to Date', 'Paid to Date'],
      due: ['Invoice Balance', 'Balance'],
      date: ['Invoice Date', 'Date'],
      dueDate: ['Invoice Due Date', 'Due Date'],
    },
  },
};

export const importColumns: Readonly<Record<ImportTool, Readonly<Record<ImportKind, ImportColumns>>>> = {
  stripe,
  razorpay,
  'invoice-ninja': invoiceNinja,
};

/**
 * The statuses of invoices that are open: docs.stripe.com/api/invoices/object#invoice_object-status,
 * razorpay.com/docs/api/payments/invoices/entity, and `stringStatus` in `app/Models/Invoice.php` of Invoice Ninja.
 */
export const openStatuses: Readonly<Record<ImportTool, readonly string[]>> = {
  stripe: ['open'],
  razorpay: ['issued', 'partially_paid'],
  'invoice-ninja': ['sent', 'partial', 'overdue', 'unpaid'],
};
