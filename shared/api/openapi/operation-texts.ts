/** Holds the summary and description of each operation. */
import { updateInvoiceBody } from '../../domain/invoices/invoice.ts';
import { changeableFields, listed } from '../../domain/versions/read-only-fields.ts';
import type { OperationName } from './operation-errors.ts';
import { type OperationTexts, webhookOperationTexts } from './webhook-operation-texts.ts';

const invoices: OperationTexts<
  | 'listInvoices'
  | 'createInvoice'
  | 'getInvoice'
  | 'updateInvoice'
  | 'cancelInvoice'
  | 'replaceInvoice'
  | 'confirmClaim'
  | 'rejectClaim'
> = {
  listInvoices: {
    summary: 'List invoices',
    description:
      'Returns your invoices, newest first. If you set several filters, the list contains the invoices that match all of them.\n\n' +
      'The list includes every change whose response was sent before your request, and `total` is exact.',
  },
  createInvoice: {
    summary: 'Create an invoice',
    description:
      'Creates a `pending` invoice. Send its `paymentUrl` to your customer, who can view and pay the invoice there.\n\n' +
      'If you do not set a `dueDate`, the invoice is due in 30 days, or when `seller.paymentDays` of the account says. A due date in the past is accepted, because you may want to import old invoices. Such an invoice becomes `overdue` one day after you create it.\n\n' +
      'With `send: true`, it also goes to the customer by email.\n\n' +
      'Triggers the `invoice.created` event.',
  },
  getInvoice: {
    summary: 'Retrieve an invoice',
    description: 'Returns the current state of an invoice. You can also retrieve cancelled invoices.',
  },
  updateInvoice: {
    summary: 'Update an invoice',
    description:
      `Changes the ${listed(
        changeableFields(updateInvoiceBody).map((field) => `\`${field}\``),
        'or',
      )} of a \`pending\` invoice. Fields that you do not send keep their values. The response is the complete invoice.\n\n` +
      'You can send back a complete invoice object. All other fields are accepted with their current value, and rejected with `immutable_field` otherwise. If all values are the same as before, nothing changes, not even `updatedAt`.\n\n' +
      'You cannot update an invoice that is not `pending`, or that has a payment in progress. To change an overdue invoice, replace it. If the payer pays on the page of a payment provider at the same moment, the payment wins, and you get `invoice_already_paid`.\n\n' +
      'The amount cannot be below `amountPaid`. If it is the same, the invoice is `paid`.\n\n' +
      'Triggers the `invoice.updated` event, and `invoice.paid` if nothing is due any more.',
  },
  cancelInvoice: {
    summary: 'Cancel an invoice',
    description:
      'Cancels a `pending` or `overdue` invoice. You cannot undo this. You can still retrieve and list the invoice.\n\n' +
      'You can cancel an invoice while a payment is in progress. If the payment completes after that, Remit refunds it automatically. If the payer is on the page of a payment provider that does not answer, you get `payment_in_progress`. Then send `force=payment_in_progress` to cancel nevertheless.\n\n' +
      'If the invoice has received payments of parts, you get `invoice_partly_paid`. To cancel it and refund them, send `payments=refund`. To keep them as credit of the customer, send `payments=credit`: then each payment has all of its amount in `amountOver`, and pays later invoices of the customer. What credit has paid goes back to the payments that gave it.\n\n' +
      'Triggers the `invoice.cancelled` event, `payment.updated` of the payments that are kept or give credit, and `payment.voided` of those that used it.',
  },
  replaceInvoice: {
    summary: 'Replace an invoice',
    description:
      'Cancels a `pending` or `overdue` invoice and creates a new one with your changes, both or neither. Use it to correct an invoice for good, also its customer or its currency. Fields that you do not send are those of the old invoice, but an overdue invoice gets a new `dueDate` in 30 days. Taxes have the rates of today. The response is the new invoice.\n\n' +
      'The `reference` moves to the new invoice, and the old payment link leads to its page. Both invoices name each other in `replaces` and `replacedBy`. If a payment is in progress, you get `payment_in_progress`, as for an update.\n\n' +
      'Triggers the `invoice.cancelled` event of the old invoice and the `invoice.created` event of the new one.',
  },
  confirmClaim: {
    summary: 'Confirm a claim with a recorded payment',
    description:
      'Says which payment is the money that a payer claims to have paid by bank transfer, if you have recorded it already. The claim is `confirmed`, the payment has it in `claim`, and nothing is paid again. The payment must have the amount of the claim or its reference. If you have not recorded the money, create a payment with the ID of the claim in `claim` instead.\n\n' +
      'Needs `payments:write`. Triggers the `invoice.updated` and `payment.updated` events.',
  },
  rejectClaim: {
    summary: 'Reject a claim',
    description:
      'Rejects what a payer claims to have paid by bank transfer. The payment page shows your reason, and the payer can claim again. To confirm a claim instead, create a payment with its ID in `claim`, or name the payment that you have recorded.\n\n' +
      'Needs `payments:write`. Triggers the `invoice.updated` event.',
  },
};

const payments: OperationTexts<
  | 'listPayments'
  | 'createPayment'
  | 'getPayment'
  | 'resolvePayment'
  | 'voidPayment'
  | 'listRefunds'
  | 'createRefund'
  | 'getRefund'
> = {
  listPayments: {
    summary: 'List payments',
    description:
      'Returns your payments, newest first, including failed payments. If you set several filters, the list contains the payments that match all of them.',
  },
  createPayment: {
    summary: 'Create a payment',
    description:
      'Pays what is due of a `pending` or `overdue` invoice, with one of three methods:\n\n' +
      '- `offline` records money that you received outside Remit, in cash or by bank transfer. Use it to mark an invoice as paid manually. The payment is `completed` immediately. Available in test mode and live mode.\n' +
      '- `card` charges a test card. Available in test mode only. In live mode, customers enter their cards on the page at `paymentUrl`, and a request with card data is rejected with `card_data_not_accepted`.\n' +
      '- `credit` uses what an earlier payment of the same customer has left in `amountOver`. The payment is `completed` immediately, and no money moves. Without credit, you get `no_credit`. The payment that received the money says in `amountCredited` what is used, and `payment.updated` announces it. Available in test mode and live mode.\n\n' +
      'If a card is declined, the request still succeeds: the response is 201 with the `status` `failed`, and `failureCode` gives the reason. The customer can try to pay the invoice again.\n\n' +
      'An invoice with `acceptPartial` also takes less: send the `amount`. A part by card is at least 100 in the smallest unit, and so is what it leaves. The invoice takes 50 payments at most, and is `paid` when nothing is due any more.\n\n' +
      'If you received more than what is due, send the `amount` with `acceptOver`. The invoice is `paid`, and the rest is the `amountOver` of the payment: refund it, or let it pay the next invoice of the customer. If money comes although the invoice is `paid`, do the same: the invoice stays as it is, and all of the payment is `amountOver`.\n\n' +
      'If the buyer withholds tax or a bank keeps a fee, send `settle`: the payment pays the invoice, and the rest is written off.\n\n' +
      'A payment can also stay `pending` until its outcome is known. During that time, other payments for the invoice are rejected with `payment_in_progress`. Retrieve the payment later, or wait for its event.\n\n' +
      'Triggers the `payment.completed` and `invoice.paid` events, in this order, or the `payment.failed` event. If something is still due, it triggers `invoice.updated` in place of `invoice.paid`.',
  },
  getPayment: {
    summary: 'Retrieve a payment',
    description: 'Returns the current state of a payment.',
  },
  resolvePayment: {
    summary: 'Resolve a payment of another amount',
    description:
      'Decides about a `pending` payment whose `pendingReason` is `amount_differs`. The payment provider took another amount than that of the invoice, for example because of an offer or a fee.\n\n' +
      'If you accept the payment, it is `completed` and the invoice is `paid`. If it is less than due, the rest is written off with the reason `other`. An invoice with `acceptPartial` waits for the rest instead. If you refund the payment, it is `failed`, all of its money goes back, and the invoice can be paid again.\n\n' +
      'Triggers the `payment.completed` and `invoice.paid` events, or the `payment.failed` event and later `refund.processed`.',
  },
  voidPayment: {
    summary: 'Void a payment',
    description:
      'Takes back an `offline` payment that you recorded by mistake, because its money never arrived. The invoice no longer counts it. The `status` stays `completed`, and `voidedAt` says that the payment does not count. Its `reference` can be used again. You cannot undo this.\n\n' +
      'A payment with `credit` can be voided, too: the credit goes back to the payment that received the money. If other payments use the credit of a payment, void them first.\n\n' +
      'A `paid` invoice keeps its status, because statuses only move forward. It is credited in full, with a credit note if it has a number. Another invoice with the same content replaces it, with a number of its own. It is `pending`, and has the other payments, whose `invoiceId` changes. The `reference` moves to it, and the old payment link leads to its page. Both invoices name each other in `replaces` and `replacedBy`.\n\n' +
      'A payment that has refunds gets `payment_not_voidable`. So does one whose paid invoice has another payment with refunds, or more than 37 payments. To return money that did arrive, create a refund.\n\n' +
      'Needs `refunds:write`. Triggers the `payment.voided` and `invoice.updated` events, and `invoice.created` if the invoice is replaced.',
  },
  listRefunds: {
    summary: 'List refunds',
    description:
      'Returns your refunds, newest first. If you set several filters, the list contains the refunds that match all of them.',
  },
  createRefund: {
    summary: 'Create a refund',
    description:
      'Refunds a `completed` payment, in full or in part. If you do not set `amount`, the refund covers everything that has not been refunded yet. You can refund a payment several times. The total never exceeds the payment, even if requests run in parallel.\n\n' +
      'Refunds come first from `amountOver`, and that part has no credit note. What pays other invoices is not refunded, and neither is a payment with `credit`: void it, and refund the payment that received the money.\n\n' +
      'For an `offline` payment, record that you have returned the money: Remit moves no money, and the refund has the `method` `offline`.\n\n' +
      'After you initiate a refund, its `status` remains `pending` until the outcome is known, usually for some seconds. If it fails, you can refund its amount again. The invoice stays `paid`.\n\n' +
      'Triggers the `refund.processed` or `refund.failed` event when the outcome is known.',
  },
  getRefund: {
    summary: 'Retrieve a refund',
    description: 'Returns the current state of a refund.',
  },
};

const customers: OperationTexts<
  'listCustomers' | 'createCustomer' | 'getCustomer' | 'updateCustomer' | 'deleteCustomer'
> = {
  listCustomers: {
    summary: 'List customers',
    description:
      'Returns your customers, newest first, without deleted customers. The list includes every change whose response was sent before your request, and `total` is exact.',
  },
  createCustomer: {
    summary: 'Create a customer',
    description:
      'Creates a customer. A customer needs a `name` or an `email`. Several customers can have the same email address or `reference`.\n\n' +
      'Triggers no event.',
  },
  getCustomer: {
    summary: 'Retrieve a customer',
    description: 'Returns the current state of a customer. A deleted customer returns 404.',
  },
  updateCustomer: {
    summary: 'Update a customer',
    description:
      'Changes the fields that you send. Fields that you do not send keep their values, and null removes a field. An `address` or a list of `taxIds` replaces the former one as a whole, and `metadata` is merged. A customer always keeps a `name` or an `email`.\n\n' +
      'You can send back a complete customer object. All other fields are accepted with their current value, and rejected with `immutable_field` otherwise.\n\n' +
      'Invoices do not change. Triggers no event.',
  },
  deleteCustomer: {
    summary: 'Delete a customer',
    description:
      'Deletes a customer with its personal data. You cannot undo this. Its invoices, payments and refunds stay as they are, and you can still list its invoices by `customerId`.\n\n' +
      'The stored responses to requests with an `Idempotency-Key` can contain the data for up to 24 hours more. Triggers no event.',
  },
};

const drafts: OperationTexts<
  'listDrafts' | 'createDraft' | 'getDraft' | 'updateDraft' | 'deleteDraft' | 'finalizeDraft'
> = {
  listDrafts: {
    summary: 'List drafts',
    description: 'Returns your open drafts, newest first. `total` is exact.',
  },
  createDraft: {
    summary: 'Create a draft',
    description:
      'Creates a draft of an invoice. The fields are those of a new invoice. You can leave out any of them: each field that you send must have the right form, and the rest is checked when you finalize the draft.\n\n' +
      'Triggers no event.',
  },
  getDraft: {
    summary: 'Retrieve a draft',
    description:
      'Returns the current state of a draft. A finalized draft has only its `invoiceId`. A deleted draft returns 404.',
  },
  updateDraft: {
    summary: 'Update a draft',
    description:
      'Changes the fields that you send. Fields that you do not send keep their values, and null removes a field. A `buyer` and `lines` replace the former ones as a whole, and `metadata` is merged. You can send back a complete draft object.\n\n' +
      'Triggers no event.',
  },
  deleteDraft: {
    summary: 'Delete a draft',
    description: 'Deletes an open draft. You cannot undo this. Triggers no event.',
  },
  finalizeDraft: {
    summary: 'Finalize a draft',
    description:
      'Creates the invoice of a draft, once. What the draft lacks is reported as when you create an invoice. Then nothing changes. The response is the invoice. From then on, the draft has only its `invoiceId`. A second request gets `draft_finalized`, which names the invoice.\n\n' +
      'Triggers the `invoice.created` event.',
  },
};

const schedules: OperationTexts<
  | 'listSchedules'
  | 'createSchedule'
  | 'getSchedule'
  | 'updateSchedule'
  | 'skipSchedule'
  | 'runSchedule'
  | 'previewSchedule'
  | 'listScheduleOccurrences'
> = {
  listSchedules: {
    summary: 'List schedules',
    description: 'Returns your schedules, newest first. `total` is exact.',
  },
  createSchedule: {
    summary: 'Create a schedule',
    description:
      'Creates a schedule, which makes its first invoice on `startOn`. Each later day follows from `startOn`: a schedule that begins on 31 January goes on with 28 February and 31 March. Lines take what they lack from their products now. The invoice is checked as when you create it.\n\n' +
      'Triggers no event. Each invoice triggers `invoice.created`.',
  },
  getSchedule: {
    summary: 'Retrieve a schedule',
    description: 'Returns the current state of a schedule.',
  },
  updateSchedule: {
    summary: 'Update a schedule',
    description:
      'Changes the fields that you send, from the next invoice on. `status` pauses, resumes or ends the schedule. Within `invoice`, fields that you do not send keep their values, and `metadata` is merged. You can send back a complete schedule object.\n\n' +
      'Triggers the `schedule.ended` event if the schedule ends.',
  },
  skipSchedule: {
    summary: 'Skip the next time',
    description:
      'Skips the next time of an active schedule. The times after it stay.\n\nTriggers the `schedule.ended` event if that was the last time.',
  },
  runSchedule: {
    summary: 'Make the next invoice now',
    description:
      'Makes the next invoice of an active schedule within seconds, in place of its own time. The times after it stay. If it is due already, nothing changes.\n\nTriggers no event. The invoice triggers `invoice.created`.',
  },
  previewSchedule: {
    summary: 'Preview the next invoices',
    description:
      'Returns the next 12 times of a schedule, with what their invoices charge. A schedule that has ended has none. A paused one has those that it would have if you resumed it now.',
  },
  listScheduleOccurrences: {
    summary: 'List what a schedule has made',
    description: 'Returns what came of the times of a schedule that have passed, newest first.',
  },
};

const statements: OperationTexts<
  | 'listStatements'
  | 'createStatement'
  | 'getStatement'
  | 'listStatementRows'
  | 'matchStatementRow'
  | 'ignoreStatementRow'
  | 'linkStatementFile'
  | 'previewStatementFile'
> = {
  listStatements: {
    summary: 'List statements',
    description: 'Returns your bank statements, newest first. `total` is exact.',
  },
  createStatement: {
    summary: 'Create a statement',
    description:
      'Stores the rows of a bank statement: those of the request, or up to 5,000 of a file that you have uploaded. Seconds later, each row whose text or reference has the payment reference of one invoice, with the right check characters, pays that invoice by itself. Its amount must fit what is due, and nobody must have recorded a payment that can be the same money. All other rows wait for your decision.\n\n' +
      'The same rows again return the statement that has them, and change nothing. If statements overlap, the rows that they have in common are the same rows, and their money is used once.\n\n' +
      'Triggers no event. Its payments trigger theirs.',
  },
  getStatement: {
    summary: 'Retrieve a statement',
    description: 'Returns the current state of a statement, without its rows.',
  },
  listStatementRows: {
    summary: 'List the rows of a statement',
    description:
      'Returns the rows of a statement with what came of them. Unmatched rows have suggestions: invoices that they could pay, and payments whose money they could be, with the reason. `total` is exact.',
  },
  matchStatementRow: {
    summary: 'Match a row',
    description:
      'Lets a row pay an invoice. The response is the payment, with the method `offline` and the day, the bank and the reference of the row. A row can pay several invoices, and several rows can pay one. Payments never use more than the money of the row. An ignored row can be matched, too.\n\n' +
      'If somebody has recorded the payment already, send its ID in `paymentId` in place of `invoiceId`: the row then shows the money of that payment, and nothing is paid again. To undo it, void the payment.\n\n' +
      'If the money went out, send the ID of a refund of this amount in `refundId`. The response is then the payment of the refund, and the refund has the row in `statementRow`. To undo it, ignore the row.\n\n' +
      'Triggers the events of a payment outside Remit, or `payment.updated` with `paymentId`. With `refundId`, it triggers none.',
  },
  ignoreStatementRow: {
    summary: 'Ignore a row',
    description:
      'Says that a row, or what its payments leave of its money, pays nothing, so it no longer waits for a decision. If the row is matched with a refund, this undoes it. You can still match it later. Triggers no event.',
  },
  linkStatementFile: {
    summary: 'Get a link for a file',
    description:
      'Returns a link with which you upload the file of your bank: CSV, or XML in the format camt.053, of at most 10 MiB and 5,000 rows. Send its bytes with `PUT` to `uploadUrl`, without other headers, within 15 minutes. Then preview it, and create a statement with the ID in `file`.\n\n' +
      'The file is deleted after a day. Nobody else can use it.',
  },
  previewStatementFile: {
    summary: 'Preview a file',
    description:
      'Shows what Remit reads from an uploaded file: its columns, sums and first rows. Compare them with the file before you create a statement from it. Nothing is stored.\n\n' +
      'Either all rows can be read, or the error `invalid_file` names each line that is wrong, up to 20, and what to do.',
  },
};

const exporting: OperationTexts<'listExports' | 'createExport' | 'getExport'> = {
  listExports: {
    summary: 'List exports',
    description: 'Returns your exports, newest first. `total` is exact.',
  },
  createExport: {
    summary: 'Create an export',
    description:
      'Makes files with the rows of one kind in a range of days, in the background. Poll the export, or wait for its event. At most five exports run at the same time.\n\n' +
      'The set of rows is fixed when the export begins. CSV has amounts in units of their currency, times with the clock of your time zone, and the same columns as the downloads of the dashboard. A text that a spreadsheet would take for a formula begins with an apostrophe. The key also needs the permission to read the rows of the kind: `invoices:read` for invoices, lines and documents, `payments:read` for payments and the journal, `refunds:read`, `customers:read` or `audit:read`.\n\n' +
      'A payment is in the range in which its money counts: on `receivedOn` if it is set, otherwise on the day on which it arrived. A void counts against it, on `receivedOn` or its own day. In each row, `countedOn` is the first such day of the range, and `amountCounted` what the payment adds to `received` of `GET /api/summary` for the same range. A payment without money is in the range of its creation.\n\n' +
      'A refund is in the range in which it was processed, and its `amountCounted` adds up to `refunded`. If the bank of the payer returned the money later, the amount goes back on the day of that. A refund that was never processed is in the range of its creation.\n\n' +
      'Documents are a ZIP archive. In its index, `file` is the name of the PDF, `sha256` the SHA-256 of that file, and `contentSha256` the `sha256` of the document.\n\n' +
      'Triggers `export.completed` or `export.failed`.',
  },
  getExport: {
    summary: 'Retrieve an export',
    description:
      'Returns the current state of an export. If it is completed, its files have links for 15 minutes, for 7 days. The key also needs the permission to read the rows of the kind.',
  },
};

const auditLog: OperationTexts<'listAuditLog'> = {
  listAuditLog: {
    summary: 'List the audit log',
    description:
      'Returns the operations that changed your account in the mode of the API key, newest first. An entry appears within seconds of the operation. Entries are kept for 400 days, and nobody can change or delete them.\n\n' +
      'If you filter, a page can contain fewer entries than `limit` even though `hasMore` is true. Use `next` to get the next page.',
  },
};

const sums: OperationTexts<'listJournal' | 'getSummary' | 'getBalance'> = {
  listJournal: {
    summary: 'List the journal',
    description:
      'Returns the entries of the journal, oldest first. An entry appears within seconds of its change, and is kept for ever. Read on with the `next` value of the last page.',
  },
  getSummary: {
    summary: 'Get the summary',
    description:
      'Returns what was invoiced and received by period, and what is outstanding now. Without `from` and `to`, it has the last twelve months.\n\n' +
      'A change counts on the day on which it happened, and money that you record on the day of its `receivedOn`. Days are those of `timeZone`.',
  },
  getBalance: {
    summary: 'Get the balance of a customer',
    description:
      'Returns what a customer owes you now, by age, and the credit that is left for its next invoices. It includes every change whose response was sent before your request. A customer that has never had an invoice has no currencies.',
  },
};

const searching: OperationTexts<'searchRecords'> = {
  searchRecords: {
    summary: 'Search records',
    description:
      'Returns up to 20 invoices, payments, refunds and customers that have the text, newest first. The text can be the number of a document, your own reference, a payment reference, or that of a payment or an open claim at a bank. It can also be an amount, a name, an email address, the last four digits of a card, or an ID.\n\n' +
      'The ID of any other record finds it, too: a draft, a schedule, a document, a mail, a product, a bank statement, a row of it or an export. It can also be a webhook endpoint, a delivery, an event, an entry of the audit log or an API key.\n\n' +
      'A name is found by the beginnings of its first five words: three letters or more, or a word of two. A changed record is found within seconds. The key gets only the kinds of records that it may read.',
  },
};

const noMoreRights =
  'A key never gives more than it has itself. So you can do this only with keys whose permissions and addresses are among those of the calling key.';

const keys: OperationTexts<
  'listApiKeys' | 'createApiKey' | 'getApiKey' | 'updateApiKey' | 'revokeApiKey' | 'rollOverApiKey'
> = {
  listApiKeys: {
    summary: 'List API keys',
    description:
      'Returns the API keys of the mode of the calling key, newest first, without their values. Expired and revoked keys stay in the list.',
  },
  createApiKey: {
    summary: 'Create an API key',
    description:
      'Creates an API key in the mode of the calling key. Only this response contains its `value`. Store it in a safe place.\n\n' +
      'A key never gives more than it has itself: the permissions, the expiry and the addresses of the new key must be within those of the calling key. The defaults are the same as those of the calling key, without the permissions `keys:read`, `keys:write` and `account:write`.\n\n' +
      'Send an `Idempotency-Key`. If you do not receive the response, the same request with the same API key within 24 hours returns the same value. You can have 10 usable keys in each mode.',
  },
  getApiKey: {
    summary: 'Retrieve an API key',
    description: 'Returns an API key, without its value.',
  },
  updateApiKey: {
    summary: 'Update an API key',
    description: `Changes the fields that you send. Fields that you do not send keep their values. New addresses apply from the next request.\n\n${noMoreRights}`,
  },
  revokeApiKey: {
    summary: 'Revoke an API key',
    description:
      'Revokes an API key. The next request with it is rejected. You cannot undo this. A key can revoke any key of its mode, also itself.',
  },
  rollOverApiKey: {
    summary: 'Roll over an API key',
    description:
      'Creates a key with the same name, note, permissions and addresses, which replaces the key in the path. Only this response contains the new `value`. The old key still works for `overlapHours`, but not longer than until its own expiry.\n\n' +
      `${noMoreRights} A key can replace itself. Then leave an overlap: without one, the old key cannot repeat the request if you do not receive the response.\n\n` +
      'A key can be rolled over only once. If the new value is lost, roll over the new key. A replaced key does not count against the limit of 10 usable keys. At most 10 replaced keys can be usable.',
  },
};

const account: OperationTexts<'getAccount' | 'updateAccount'> = {
  getAccount: {
    summary: 'Retrieve your account',
    description: 'Returns the account of the API key, with its seller profile.',
  },
  updateAccount: {
    summary: 'Update your account',
    description:
      'Changes the fields of the seller profile that you send. Fields that you do not send keep their values, and null removes an optional field. An `address` or a list of `taxIds` replaces the former one as a whole.\n\n' +
      'You can send back a complete account object. All other fields are accepted with their current value, and rejected with `immutable_field` otherwise.\n\n' +
      'The key must name the permission `account:write`: a key with all permissions does not include it. Documents that were issued stay as they are.',
  },
};

const testClock: OperationTexts<'getTestClock' | 'moveTestClock' | 'resetTestClock'> = {
  getTestClock: {
    summary: 'Retrieve the clock of test mode',
    description:
      'Returns the time of your test mode. While `status` is `advancing`, this request also does what is due, in the order of the due times. Send it until `status` is `ready`.',
  },
  moveTestClock: {
    summary: 'Move the clock of test mode',
    description:
      'Moves the clock of your test mode forward, by `advanceSeconds` or to the time `to`. Due dates pass, and pending payments and refunds get their outcome, in the order of the due times. If that takes longer than a few seconds, `status` is `advancing`. Then retrieve the clock until it is `ready`.\n\n' +
      'The clock then runs at the speed of the real time. API keys, the rate limit, idempotency keys, attempts to deliver webhooks and payment providers keep the real time. A clock can be at most two years ahead.',
  },
  resetTestClock: {
    summary: 'Reset the clock of test mode',
    description:
      'Sets your test mode to the real time. This is possible only if nothing was made or changed since you first moved the clock. Otherwise times would be in the future.',
  },
};

const documents: OperationTexts<'listDocuments' | 'getDocument' | 'getDocumentPdf' | 'listInvoiceDocuments'> =
  {
    listDocuments: {
      summary: 'List documents',
      description:
        'Returns the invoices, credit notes and receipts, newest first. An account without a seller profile has none.',
    },
    getDocument: {
      summary: 'Get a document',
      description: 'Returns a document with everything that it says.',
    },
    getDocumentPdf: {
      summary: 'Get a document as PDF',
      description:
        'Returns the PDF of a document. The same document always gives the same bytes, until its invoice is cancelled. A document in a language other than English is a copy for reading, and says so.\n\n' +
        'A PDF of more than 4 MB is answered with status 303. HTTP clients follow the link on their own, and curl does with `-L`.',
    },
    listInvoiceDocuments: {
      summary: 'List the documents of an invoice',
      description:
        'Returns the issues of an invoice, its credit notes and its receipt, newest first. A new invoice has its number within a second.',
    },
  };

const products: OperationTexts<
  'listProducts' | 'createProduct' | 'getProduct' | 'updateProduct' | 'deleteProduct'
> = {
  listProducts: {
    summary: 'List products',
    description: 'Returns your products, newest first, also archived ones. `total` is exact.',
  },
  createProduct: {
    summary: 'Create a product',
    description: 'Creates a product, which lines of invoices can name. Triggers no event.',
  },
  getProduct: {
    summary: 'Retrieve a product',
    description: 'Returns the current state of a product. A deleted product returns 404.',
  },
  updateProduct: {
    summary: 'Update a product',
    description:
      'Changes the fields that you send. Null removes an optional field, and `unitAmounts` are replaced as a whole. To archive the product, set `status` to `archived`. You can send back a complete product.\n\n' +
      'Invoices do not change. Triggers no event.',
  },
  deleteProduct: {
    summary: 'Delete a product',
    description:
      'Deletes a product. You cannot undo this. Invoices keep what they took from it. Triggers no event.',
  },
};

const mails: OperationTexts<'sendInvoice' | 'listInvoiceMails' | 'listMails' | 'allowMailAddress'> = {
  sendInvoice: {
    summary: 'Send an invoice by email',
    description:
      'Sends the invoice with its PDF and a button to pay, or the receipt if it is paid. With `kind` set to `reminder`, it sends a reminder, also without a plan of reminders. The other kinds send a mail again, such as one whose state is `unknown`: `about` says which refund or payment it is about. The response does not wait for the mail. A mail goes out at most once, and `state` says what came of it. In test mode on AWS, mails go only to members of your account.',
  },
  listInvoiceMails: {
    summary: 'List the mails of an invoice',
    description: 'Returns the mails about an invoice, newest first.',
  },
  listMails: {
    summary: 'List mails',
    description:
      'Returns the mails of your account, newest first. The mails to you are among them only if the API key also has the permission `account:read`.',
  },
  allowMailAddress: {
    summary: 'Allow mails to an address again',
    description:
      'After a permanent bounce or a complaint, your account sends nothing more to the address. This request ends that for the address of a mail. The mail itself is not sent again.',
  },
};

export const operationTexts: OperationTexts<OperationName> = {
  ...mails,
  ...documents,
  ...auditLog,
  ...sums,
  ...searching,
  ...keys,
  ...account,
  ...testClock,
  ...invoices,
  ...payments,
  ...customers,
  ...products,
  ...drafts,
  ...schedules,
  ...statements,
  ...exporting,
  ...webhookOperationTexts,
};
