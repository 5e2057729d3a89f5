/** Describes the fields of the account and of its seller profile. */
import { type FieldTexts, readOnly } from './common-field-texts.ts';

const series = {
  prefix:
    'What each number begins with: the characters `A` to `Z`, `0` to `9`, `-` and `/`. `{year}` stands for the year of the document: `2026`, or `26-27` if the fiscal year does not begin in January. The last character is no digit, and the series have different prefixes.',
  digits: 'The smallest number of digits, from 1 to 10. Zeros fill the number up.',
  restart:
    'Whether the numbers begin at 1 again in each fiscal year: `never`, or `yearly`, which needs `{year}` in the prefix.',
};

const bothSeries = {
  invoice: 'The numbers of invoices. The default prefix is `INV-`.',
  creditNote: 'The numbers of credit notes. The default prefix is `CN-`.',
  receipt: 'The numbers of receipts. The default prefix is `RCP-`.',
};

const taxId = {
  type: 'The kind: `bt_tpn` (Bhutan), `in_gstin` (India), `us_ein` (United States), `eu_vat` (European Union and Northern Ireland) or `other`.',
  value:
    'The number. Remit checks its form and, where it has one, its check digit. It is stored as documents show it: in uppercase and without spaces.',
};

const seller = {
  legalName: 'The legal name.',
  address:
    'The postal address. Its `country` is required. In India, `state` is the name, the GST code or the ISO code of a state, and is stored as its name.',
  taxIds:
    'The numbers under which tax authorities know you, at most 10. The first two digits of an `in_gstin` must be the code of the state of the address. If the address has no state, the number sets it.',
  timeZone:
    'The time zone of the account, which decides days and times of documents, pages, mails and sums: an IANA name such as `Asia/Thimphu`. The default is the present one of the account, else that of Bhutan or India, else UTC.',
  fiscalYearStart: 'The first month of the fiscal year, from 1 to 12. The default is 4 in India, else 1.',
  series:
    'How documents are numbered. With an `in_gstin`, a number has at most 16 characters (rule 46 of the CGST Rules, 2017).',
  paymentDays:
    'The days until an invoice without `dueDate` is due, at the end of the day in `timeZone`: 0 to 365. Without it, 30 days after its creation.',
  acceptPartial: 'Whether invoices created without `acceptPartial` can be paid in parts.',
  writeOffPercent:
    'The largest share of an invoice that `settle` of a payment can write off, in percent. The default is 0, which is nothing.',
  defaultTax: 'The tax of lines without `tax` and `product`.',
  taxes:
    'Taxes of your own, at most 20, which lines can name like the others. An invoice keeps the name and the rate of its day.',
  terms: 'The terms of payment, at most 2000 characters. Several lines are allowed.',
  footer: 'The last lines of each document, at most 500 characters.',
  signatory: 'The name of the person who signs.',
  color:
    'The color of headings and of the payment page: `#` and six hexadecimal digits. The page changes a color whose text could not be read.',
  logo: 'The logo on documents and on the payment page.',
};

const logoSize = 'in pixels, at most 2000.';

const logo = {
  sha256: 'The SHA-256 of the stored file, in hexadecimal digits.',
  type: 'The media type: `image/png` or `image/jpeg`.',
  width: `The width ${logoSize}`,
  height: `The height ${logoSize}`,
};

const accountTax = {
  code: 'The code that lines name: `own_`, and 1 to 30 lowercase letters, digits and `_`.',
  name: 'What documents call the tax, at most 50 characters.',
  rates: 'The rates, the oldest first: 1 to 20.',
};
const taxRate = {
  from: 'The first day on which the rate holds, in `timeZone`.',
  percent: 'The rate in percent, from `0` to `100`, with at most 6 places.',
};

const mail = {
  invoice: 'Whether invoices can be sent.',
  receipt: 'Whether a receipt goes out when an invoice is paid, and receipts can be sent again.',
  refund: 'Whether the customer gets a mail when a refund is made.',
  failure:
    'Whether the customer gets a mail when a payment fails an hour or more after it began, and the invoice is still open.',
  reminders:
    'The days of reminders from the due date, at most 8 from -60 to 365. For example, `[-3, 0, 14]`: three days before, on the due date and two weeks after. An empty list sends none. They hold for all open invoices.',
  reminderHour:
    'The hour of the day at which reminders go out, from 0 to 23 in the time zone of the account. The default is 9.',
  daysOff: 'The days of the week without reminders. A reminder of such a day goes out on the next other day.',
  senderName:
    'What readers see as the sender, at most 100 characters. Without it, the display name, else the legal name.',
  replyTo: 'The email address to which answers go. Without it, the contact of the account if that is one.',
  locale: 'The language of mails about invoices without `locale`.',
  notices:
    'Which mails you get yourself. `paid`: an invoice is paid. `disputed`: a payer disputes a payment. `claimed`: a payer claims to have paid by bank transfer. `endpoint`: a webhook endpoint is disabled. `schedule`: a schedule has stopped. `key`: an API key is created. `member`: a person joins the account. `payout`: a provider, a setting of payments or these notices change. `sign_in`: a member signs in with a new browser. `invitation` goes to the invited person. The default is all but `paid`. An empty list sends none.',
  noticesTo: 'The email address that gets these mails. Without it, the owners of the account.',
};

const orNull = ' Null if you did not set one.';

export const accountFieldTexts: Pick<
  FieldTexts,
  | 'Account'
  | 'UpdateAccount'
  | 'Seller'
  | 'SellerInput'
  | 'Logo'
  | 'LogoInput'
  | 'MailSettings'
  | 'MailSettingsInput'
  | 'SellerSeries'
  | 'SellerSeriesInput'
  | 'NumberSeries'
  | 'NumberSeriesInput'
  | 'SellerTaxIdInput'
  | 'AccountTax'
  | 'AccountTaxInput'
  | 'TaxRate'
  | 'TaxRateInput'
> = {
  Account: {
    id: 'The ID of the account.',
    name: 'The name of the account. Payers never see it.',
    mode: 'The mode of the API key.',
    plan: 'The plan of the account, which decides the rate limit.',
    seller: 'Who issues your invoices, in both modes. Null until you set it.',
    mail: 'The mails to your customers, in both modes. All are off until you switch them on.',
  },
  UpdateAccount: {
    id: readOnly,
    name: readOnly,
    mode: readOnly,
    plan: readOnly,
    seller:
      'The fields of the seller profile to change. The first time, send at least `legalName` and an `address` with `country`.',
    mail: 'The settings of mails to change. Null in a field restores its default.',
  },
  MailSettings: { ...mail, senderName: mail.senderName + orNull, replyTo: mail.replyTo + orNull },
  MailSettingsInput: mail,
  Seller: {
    ...seller,
    paymentDays: seller.paymentDays + orNull,
    defaultTax: seller.defaultTax + orNull,
    terms: seller.terms + orNull,
    footer: seller.footer + orNull,
    signatory: seller.signatory + orNull,
    color: seller.color + orNull,
    logo: seller.logo + orNull,
  },
  SellerInput: {
    ...seller,
    address: `${seller.address} It replaces the former address as a whole.`,
    taxIds: `${seller.taxIds} The list replaces the former one as a whole. Null removes all.`,
    series: `${seller.series} Only the fields that you send change.`,
    paymentDays: `${seller.paymentDays} Null removes it.`,
    defaultTax: `${seller.defaultTax} Null removes it.`,
    taxes: `${seller.taxes} The list replaces the former one as a whole. Null removes all.`,
    terms: `${seller.terms} Null removes them.`,
    footer: `${seller.footer} Null removes them.`,
    signatory: `${seller.signatory} Null removes it.`,
    color: `${seller.color} Null removes it.`,
    logo: `${seller.logo} Issued documents keep theirs. Null removes it.`,
  },
  Logo: logo,
  LogoInput: {
    ...logo,
    data: 'The file in base64: PNG or JPEG, at most 200 KB and 2000 pixels wide and high. Send only this field.',
  },
  SellerSeries: bothSeries,
  SellerSeriesInput: bothSeries,
  NumberSeries: series,
  NumberSeriesInput: {
    ...series,
    next: 'The next number, from 1 to 999999999, to go on where another system has stopped. It applies to the mode of the API key, to the present fiscal year, and only before the first number. It is not shown.',
  },
  SellerTaxIdInput: taxId,
  AccountTax: accountTax,
  AccountTaxInput: { ...accountTax, rates: 'The rates, in any order: 1 to 20.' },
  TaxRate: taxRate,
  TaxRateInput: taxRate,
};
