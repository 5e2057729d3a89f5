/** The English texts of the pages of drafts. */
export const draftTexts = {
  title: 'Drafts',
  one: 'Draft',
  save: 'Save as draft',
  saveChanges: 'Save draft',
  create: 'Create invoice',
  empty:
    'No drafts. To prepare an invoice and send it later, open the form of a new invoice and press “Save as draft”.',
  table: 'Drafts, newest first',
  amount: 'Amount so far',
  unknownAmount: 'Not known yet',
  edit: 'Edit',
  editTitle: 'Edit draft',
  delete: 'Delete',
  deleteTitle: 'Delete this draft?',
  deleteSubmit: 'Delete draft',
  deleteHint: 'This cannot be undone. A draft has no number, so none is missing afterwards.',
  keep: 'Keep the draft',
  back: 'Back to the draft',
  finalize: 'Finalize',
  finalizeTitle: 'Make this draft an invoice?',
  finalizeSubmit: 'Create the invoice',
  finalizeHint:
    'The draft becomes an invoice with a payment link, and with a number if the account issues documents. Taxes have the rates of today.',
  missing: 'Before the draft can become an invoice:',
  isMissing: (label: string) => `${label} is missing.`,
  noAmount: 'Amount is missing. Enter it, or add lines.',
  ready: 'Nothing is missing. The draft can become an invoice.',
  finalized: 'This draft has become an invoice.',
  statuses: { open: 'Open', finalized: 'Finalized' },
  changed:
    'The draft changed after you opened this form. Nothing was saved. Compare your values with the draft, then save again.',
} as const;
