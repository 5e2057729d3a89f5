/** The English texts of the pages of customers. */
export const customerTexts = {
  title: 'Customers',
  one: 'Customer',
  create: 'Create customer',
  createInvoice: 'Create invoice',
  empty: 'No customers yet. Invoices do not need them: a customer stores a name and contact details.',
  noMatch: 'No customer matches the filters.',
  partOfName: 'Part of the name',
  table: 'Customers, newest first',
  edit: 'Edit',
  editTitle: 'Edit customer',
  save: 'Save changes',
  delete: 'Delete',
  deleteTitle: 'Delete this customer?',
  deleteSubmit: 'Delete customer',
  noName: 'A customer needs a name or an email address. Enter one of them.',
  erased:
    'Remit erases the name, the email address, the phone number, the address, the tax IDs, the reference and the metadata of this customer. This cannot be undone.',
  kept: 'All invoices, payments and refunds stay as they are, with their customer ID, descriptions and metadata. Answers that Remit keeps to repeat them can contain the data for 24 hours more.',
  eraseHint: 'To erase a customer from invoices too, an operator runs npx remit erase.',
  keep: 'Keep the customer',
  back: 'Back to the customer',
  invoices: 'Invoices',
  noInvoices: 'No invoice has the ID of this customer.',
  reminders: 'Reminders by email',
  remindersOn: 'On the days of the account or of the invoice',
  remindersOff: 'Paused',
  pauseReminders: 'Pause reminders',
  resumeReminders: 'Resume reminders',
  allInvoices: (total: number) => `All ${total} invoices`,
  changed:
    'The customer changed after you opened this form. Nothing was saved. Compare your values with the customer, then save again.',
} as const;

/** The fields of the forms. */
export const customerFields = {
  name: { label: 'Name', hint: 'A person or a company. A customer needs a name or an email address.' },
  email: { label: 'Email' },
  phone: { label: 'Phone' },
  reference: { label: 'Own reference', hint: 'The ID of the customer in your own system.' },
  line1: { label: 'Address line 1' },
  line2: { label: 'Address line 2' },
  city: { label: 'City' },
  state: { label: 'State or district' },
  postalCode: { label: 'Postal code' },
  country: {
    label: 'Country',
    hint: 'Two letters, for example BT.',
    message: 'Country must be the code of a country with two letters (ISO 3166-1), such as BT.',
  },
  taxIds: {
    label: 'Tax IDs',
    hint: 'One type:number per line, for example bt_tpn:TAB12345. The type is a country or eu, and a kind.',
    message:
      'Tax IDs must have one type:number per line, at most 10, and none twice. A type is a country or eu and a kind, such as in_gst, and a number has at most 50 characters.',
  },
} as const;
