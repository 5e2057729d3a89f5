/** The texts of the list of mails. */
export const mailListTexts = {
  title: 'Mails',
  explanation:
    'The mails to your customers and to you, and what came of each. Settings, Account says which mails are on.',
  preview: 'Preview of mails',
  table: 'Mails, newest first',
  kind: 'Mail',
  to: 'To',
  older: 'Older mails',
  newest: 'Newest mails',
  empty: 'No mails yet. Each mail to a customer or to you appears here.',
} as const;
