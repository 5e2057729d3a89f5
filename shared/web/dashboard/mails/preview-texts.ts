/** The texts of the preview of mails, and the invoice that it shows if the account has none. */
export const previewTexts = {
  title: 'Preview of mails',
  list: 'All mails',
  explanation:
    'What your customers and you get, with your settings and your newest invoice. Nothing is sent. Settings, Account says which mails are on.',
  kinds: 'Kinds of mails',
  customers: 'To customers',
  merchant: 'To you',
  subject: 'Subject',
  html: 'As most programs show it',
  text: 'As text',
  frame: 'The mail',
  on: 'On',
  off: 'Off',
  state: 'State',
} as const;

export const previewInvoice = {
  number: 'INV-0001',
  amount: 250_000,
  currency: 'BTN',
  description: 'Handwoven scarf',
  paymentUrl: 'https://pay.example/pay/inv_example',
} as const;
