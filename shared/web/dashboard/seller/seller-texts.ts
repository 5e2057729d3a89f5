/** The English texts of the pages of the seller profile. */
import { sellerTaxIdTypes } from '../../../domain/accounts/seller.ts';

export const sellerTexts = {
  title: 'Invoices',
  edit: 'Edit',
  editTitle: 'Edit who issues your invoices',
  save: 'Save',
  notSet: 'Not set',
  none: 'You have not set who issues your invoices. Set at least the legal name and the country.',
  address: 'Address',
  invoiceNumbers: 'Invoice numbers',
  creditNoteNumbers: 'Credit note numbers',
  receiptNumbers: 'Receipt numbers',
  removeLogo: 'Remove the logo',
  scope: 'The profile applies in test mode and live mode. Documents that were issued stay as they are.',
  back: 'Back to the profile',
  series: (prefix: string, digits: number, restart: keyof typeof restartTexts) =>
    `${prefix}${'0'.repeat(digits - 1)}1. ${restartTexts[restart]}`,
  changed:
    'Another user changed the profile after you opened this form. Nothing was saved. Check the values, then save again.',
} as const;

export const restartTexts = {
  never: 'Numbers never restart',
  yearly: 'Numbers restart each fiscal year',
} as const;

const seriesFields = (name: string) => ({
  prefix: {
    label: `Prefix of ${name} numbers`,
    hint: 'A to Z, 0 to 9, - and /. {year} stands for the year, for example INV/{year}/. The last character is no digit.',
  },
  digits: { label: `Digits of ${name} numbers`, hint: 'The smallest number of digits: 1 to 10.' },
  next: {
    label: `Next ${name} number`,
    hint: 'Optional. To go on where another system has stopped, in this mode. Possible only before the first number.',
  },
  restart: { label: `Restart of ${name} numbers`, hint: 'A yearly restart needs {year} in the prefix.' },
});
const invoice = seriesFields('invoice');
const creditNote = seriesFields('credit note');
const receipt = seriesFields('receipt');

/** The fields of the form, in its order. */
export const sellerFields = {
  legalName: { label: 'Legal name', hint: 'The name of the company or the person that issues the invoices.' },
  line1: { label: 'Address line 1' },
  line2: { label: 'Address line 2' },
  city: { label: 'City' },
  state: {
    label: 'State or district',
    hint: 'In India, the name or the code of the state. A GSTIN sets it, if it is empty.',
  },
  postalCode: { label: 'Postal code' },
  country: { label: 'Country', hint: 'Two letters, for example BT.' },
  taxIds: {
    label: 'Tax IDs',
    hint: `Optional. One type:number per line, for example bt_tpn:TAB12345. The types are ${sellerTaxIdTypes.join(', ')}.`,
  },
  timeZone: {
    label: 'Time zone',
    hint: 'The time zone of the account, for example Asia/Thimphu. It decides days and times of documents, pages, mails and sums. If you leave it empty, a new profile gets the present one of the account, or that of the country.',
  },
  fiscalYearStart: {
    label: 'First month of the fiscal year',
    hint: '1 to 12. If you leave it empty, a new profile gets 4 in India, and 1 elsewhere.',
  },
  invoicePrefix: invoice.prefix,
  invoiceDigits: invoice.digits,
  invoiceRestart: invoice.restart,
  invoiceNext: invoice.next,
  creditNotePrefix: creditNote.prefix,
  creditNoteDigits: creditNote.digits,
  creditNoteRestart: creditNote.restart,
  creditNoteNext: creditNote.next,
  receiptPrefix: receipt.prefix,
  receiptDigits: receipt.digits,
  receiptRestart: receipt.restart,
  receiptNext: receipt.next,
  paymentDays: {
    label: 'Days until payment is due',
    hint: 'Optional. For invoices without a due date: 0 to 365. If you leave it empty, 30.',
  },
  acceptPartial: {
    label: 'Payments of new invoices',
    hint: 'Each invoice can say otherwise.',
    choices: [
      ['no', 'Only as a whole'],
      ['yes', 'Also in parts'],
    ],
  },
  writeOffPercent: {
    label: 'Largest share to write off (%)',
    hint: 'What a payment of less than what is due can give up at most, for example because the buyer withholds tax. 0: nothing.',
  },
  defaultTax: {
    label: 'Tax of lines that name none',
    hint: 'Applies to invoices from the API and the command line.',
  },
  taxes: {
    label: 'Taxes of your own',
    hint: 'Optional. A line for each rate: code, percent, first day and name, for example own_hotel 3 2026-01-01 Hotel levy. Invoices keep the rate of their day.',
  },
  terms: { label: 'Terms', hint: 'Optional. The terms of payment. Several lines are allowed.' },
  footer: { label: 'Footer', hint: 'Optional. The last lines of each document.' },
  signatory: { label: 'Signatory', hint: 'Optional. The name of the person who signs.' },
  color: {
    label: 'Color',
    hint: 'Optional. Of headings and of the payment page: # and six hexadecimal digits, for example #1f5f8b. The payment page makes a color darker or lighter if its text could not be read.',
  },
  logo: {
    label: 'Logo',
    hint: 'Optional. A PNG or JPEG file of at most 200 KB, and at most 2000 pixels wide and high. If you choose none, the present logo stays.',
  },
} as const;
