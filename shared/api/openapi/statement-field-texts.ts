/** Describes the fields of bank statements and their rows, and shows examples. */
import { createdAt, currency, type FieldTexts, pagination, updatedAt } from './common-field-texts.ts';
import { payment, refund } from './example-records.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const statementExample: Example<'Statement'> = {
  id: 'st_6c0kz5h9m4xq8nvd3tj2w7r1be',
  status: 'ready',
  bank: 'Bank of Bhutan',
  currency: 'BTN',
  rowCount: 2,
  firstDay: '2026-11-23',
  lastDay: '2026-11-24',
  mapping: {
    day: 'Txn Date',
    amount: 'Amount',
    credit: null,
    debit: null,
    direction: null,
    currency: null,
    reference: 'Jrnl No',
    text: 'Narration',
    name: null,
    dayForm: 'dmy',
  },
  createdAt: '2026-11-25T03:20:44.180Z',
  updatedAt: '2026-11-25T03:20:45.020Z',
};

const newRow = {
  day: '2026-11-24',
  amount: invoice.amount,
  reference: 'FT26328K7Q2',
  text: 'TRANSFER R7K2-M9QX',
  name: 'Dorji Wangmo',
} satisfies Example<'StatementRowInput'>;

export const statementExamples = {
  row: {
    id: 'row_6ytm8g00002k7m9qv4xw0hzt3c',
    status: 'unmatched',
    ...newRow,
    amountMatched: 0,
    payments: [],
    suggestions: [
      {
        invoiceId: invoice.id,
        reason: 'amount_and_name',
        name: 'Dorji Wangmo',
        amountDue: invoice.amount,
      },
    ],
    recordedPayments: [],
    refunds: [],
    refund: null,
    returnedPayments: [],
  } satisfies Example<'StatementRow'>,
  newRow,
  refund: {
    refundId: refund.id,
    paymentId: payment.id,
    createdAt: refund.createdAt,
  } satisfies Example<'RowRefund'>,
  recordedPayment: {
    paymentId: payment.id,
    invoiceId: invoice.id,
    reason: 'reference',
    amount: invoice.amount,
    receivedOn: '2026-11-23',
    statementRow: null,
  } satisfies Example<'RowRecordedPayment'>,
  fileLink: {
    file: 'file_3hb0kz5m9q4x8nvd2tj6w7r1ce',
    uploadUrl:
      'https://remit-bucket.s3.ap-south-1.amazonaws.com/statements/acct_4c8r1ynd6t9x2m0g/test/file_3hb0kz5m9q4x8nvd2tj6w7r1ce?X-Amz-Signature=…',
    size: 81_920,
    expiresAt: '2026-11-25T03:35:44.180Z',
  } satisfies Example<'StatementFileLink'>,
  filePreview: {
    format: 'csv',
    encoding: 'utf-8',
    decimalSign: '.',
    columns: ['Txn Date', 'Narration', 'Jrnl No', 'Amount'],
    mapping: statementExample.mapping,
    isDayFormAssumed: false,
    rowCount: 412,
    skipped: 2,
    withReference: 371,
    amountIn: 103_250_000,
    amountOut: 48_500,
    firstDay: '2026-11-01',
    lastDay: '2026-11-24',
    rows: [newRow],
  } satisfies Example<'StatementFilePreview'>,
  payment: {
    paymentId: payment.id,
    invoiceId: invoice.id,
    amount: invoice.amount,
  } satisfies Example<'RowPayment'>,
};

const file = 'The ID of the file.';

const bank = 'The bank, or the account at the bank. Always write it in the same way.';
const mapping =
  'The names of the columns of the file, if it was CSV. The dashboard reads the next file of the same `bank` with them.';
const mappingTexts = {
  day: 'The name of the column with the day.',
  amount: 'The name of the column with the amount.',
  credit: 'The name of the column with the money that came in.',
  debit: 'The name of the column with the money that went out.',
  direction: 'The name of the column that says whether the amount came in or went out.',
  currency: 'The name of the column with the currency.',
  reference: 'The name of the column with the number of the transfer.',
  text: 'The name of the column with the text of the bank.',
  name: 'The name of the column with the payer.',
  dayForm:
    'How days are written: `dmy`, `mdy` or `ymd` for the order of day, month and year, or `month` for a month with its name.',
};
const day = 'The day on which the bank booked the money, in the form `2026-03-31`.';
const amount = 'In the smallest currency unit. Negative: the money went out of the account.';
const reference = 'The number that the bank has given to the transfer.';
const text = 'What the bank says of the transfer. Remit finds payment references in it.';
const name = 'The name of the payer, if the bank says it.';
const invoiceId = 'The ID of the invoice.';

export const statementFieldTexts: Pick<
  FieldTexts,
  | 'Statement'
  | 'StatementList'
  | 'CreateStatement'
  | 'StatementMapping'
  | 'StatementMappingInput'
  | 'StatementRow'
  | 'StatementRowList'
  | 'StatementRowInput'
  | 'RowPayment'
  | 'RowSuggestion'
  | 'RowRefund'
  | 'RowRecordedPayment'
  | 'MatchStatementRow'
  | 'IgnoredStatementRow'
  | 'StatementFileLink'
  | 'StatementFilePreview'
  | 'StatementFileRow'
> = {
  Statement: {
    id: 'The ID of the statement.',
    status:
      '`matching` while Remit looks for rows that pay invoices by themselves, for some seconds. Then `ready`.',
    bank,
    currency,
    rowCount: 'How many rows it has.',
    firstDay: 'The earliest day of a row.',
    lastDay: 'The latest day of a row.',
    mapping: `${mapping} Null if it is not set.`,
    createdAt,
    updatedAt,
  },
  StatementList: { data: 'The statements, newest first.', pagination },
  CreateStatement: {
    bank,
    currency,
    rows: 'The rows, 1 to 500. They are in the order of the file. Send rows that agree in day, amount and reference in one request. Send either `rows` or `file`.',
    file: 'The ID of an uploaded file, whose rows the statement has. Send it in place of `rows`.',
    mapping: `${mapping} With \`file\`: a field that you leave out is recognized, and one that is null has no column.`,
  },
  StatementMapping: mappingTexts,
  StatementMappingInput: mappingTexts,
  StatementRowInput: {
    day: `${day} Not in the future.`,
    amount,
    reference,
    text,
    name,
  },
  StatementRow: {
    id: 'The ID of the row. It follows from bank, currency, day, amount and reference, so the same row in another statement has the same ID.',
    status:
      '`matched` if payments use all of its money, or if it is a refund, `ignored` if somebody has decided that it, or what is left of its money, pays nothing, otherwise `unmatched`.',
    day,
    amount,
    amountMatched: 'The part of the amount that payments use, or the amount of its refund.',
    reference: `${reference} Null if it is not set.`,
    text: `${text} Null if it is not set.`,
    name: `${name} Null if it is not set.`,
    payments: 'The payments that the row made, or whose money it shows, without voided ones.',
    suggestions: 'The invoices that an unmatched row could pay, the strongest reason first. At most 3.',
    recordedPayments:
      'The payments whose money an unmatched row could be, the strongest reason first: those that somebody has recorded, and then those that another row shows. Match the row with one of them, or ignore it, so that the same money is not counted twice. At most 3.',
    refunds:
      'The refunds of the same amount and currency that an unmatched row could be, if the money went out: those within a month of its day. Match the row with one of them. At most 3.',
    refund: 'The refund that the row is, if the money went out. Null if none is known.',
    returnedPayments:
      'The payments that have the reference of an unmatched row, if the money went out: the bank has taken their money back. Void them, and ignore the row. At most 3.',
  },
  StatementRowList: { data: 'The rows, in the order in which you sent them.', pagination },
  RowPayment: {
    paymentId: 'The ID of the payment.',
    invoiceId,
    amount: 'The amount of the payment, in the smallest currency unit.',
  },
  RowSuggestion: {
    invoiceId,
    reason:
      '`payment_reference`: the row has the payment reference of the invoice. `amount_and_name`: the row has the amount that is due, and the name of the buyer or the customer. `amount_and_date`: it has the amount, and its day is between the creation of the invoice and a month after its due date.',
    name: 'The name of the buyer, or else of the customer. Null if the invoice has none.',
    amountDue:
      'What is due of the invoice, in the smallest currency unit. 0 if the invoice is paid: match the row with it and `acceptOver`, and all of the money is credit of the customer.',
  },
  RowRecordedPayment: {
    paymentId: 'The ID of the payment.',
    invoiceId: 'The ID of the invoice that the payment pays.',
    reason:
      '`reference`: the row has the reference of the payment. `payment_reference`: the row has the amount of the payment, and the payment reference of its invoice. `amount_and_date`: it has the amount, and its day is within a month of the payment.',
    amount: 'The amount of the payment, in the smallest currency unit.',
    receivedOn: 'The day on which the money arrived. Null if nobody has said it.',
    statementRow:
      'The ID of another row that shows the money of the payment already, such as the same row under another name of the bank. Then ignore the row if both are the same money. Null if no row shows it.',
  },
  RowRefund: {
    refundId: 'The ID of the refund.',
    paymentId: 'The ID of the payment whose money went back.',
    createdAt: 'When the refund was created.',
  },
  MatchStatementRow: {
    invoiceId: 'The ID of the invoice that the row pays. Send it, or `paymentId`, or `refundId`.',
    paymentId:
      'The ID of a payment outside Remit that somebody has recorded already, and whose money the row shows. No money is counted again. Without `amount` and `settle`.',
    refundId: 'The ID of a refund whose money the row shows, if it went out. Without `amount` and `settle`.',
    amount:
      'The amount of the payment, in the smallest currency unit. The default is what is left of the money of the row. To pay several invoices with one row, send one request for each.',
    allowDuplicateReference:
      'True if this is other money, although another payment has the `reference` of the row at this `bank`.',
    settle: 'Closes the invoice although less than what is due was paid, as in a payment outside Remit.',
    acceptOver:
      'True if the payment is of more than what is due, or if the invoice is paid. The rest is kept as `amountOver`, as in a payment outside Remit.',
  },
  StatementFileLink: {
    file,
    uploadUrl: 'The URL to which you send the bytes of the file with `PUT`. Keep it secret until it expires.',
    size: 'How many bytes the file must have.',
    expiresAt: 'Until when the upload must begin.',
  },
  StatementFilePreview: {
    format: '`csv`, or `camt.053` for XML.',
    encoding: 'The encoding of the text.',
    decimalSign: 'The sign before the hundredths of amounts. Null for XML.',
    columns: 'The names of the columns, up to 100. Empty for XML.',
    mapping: 'The columns that were read. Null for XML.',
    isDayFormAssumed:
      'Whether no day shows if day or month comes first. Then send `dayForm` in `mapping` when you create the statement.',
    rowCount: 'How many rows the file has.',
    skipped: 'How many lines have no amount, such as totals, or how many entries of XML are not booked.',
    withReference:
      'How many rows of money that came in have one payment reference with the right check characters. They pay by themselves if it is that of an invoice and the amount fits.',
    amountIn: 'The sum of the money that came in, in the smallest currency unit.',
    amountOut: 'The sum of the money that went out, in the smallest currency unit.',
    firstDay: 'The earliest day of a row.',
    lastDay: 'The latest day of a row.',
    rows: 'The first 10 rows.',
  },
  StatementFileRow: {
    day,
    amount,
    reference: `${reference} Null if it is not set.`,
    text: `${text} Null if it is not set.`,
    name: `${name} Null if it is not set.`,
  },
  IgnoredStatementRow: {
    id: 'The ID of the row.',
    statementId: 'The ID of the statement.',
    status: '`ignored`.',
  },
};
