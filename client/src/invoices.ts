/** Defines the methods of `remit.invoices`. */
import type {
  ApiCall,
  CancelOptions,
  ChangeOptions,
  RequestOptions,
  WaitOptions,
  WriteOptions,
} from './call.ts';
import { List, readByCursor, readHeldStill } from './list.ts';
import type {
  DocumentListParams,
  DocumentPage,
  Invoice,
  InvoiceCancellation,
  InvoiceClaimConfirmParams,
  InvoiceClaimRejectParams,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoicePage,
  InvoiceReplaceParams,
  InvoiceSendParams,
  InvoiceUpdateParams,
  Mail,
  MailListParams,
  MailPage,
  RemitDocument,
} from './schemas.ts';

export type Invoices = ReturnType<typeof createInvoiceMethods>;

/** Creates the methods of `remit.invoices`. They call the API with `call`. */
export function createInvoiceMethods(call: ApiCall) {
  return {
    /** Creates an invoice. Amounts are in the smallest currency unit. */
    create: (body: InvoiceCreateParams, options?: WaitOptions): Promise<Invoice> =>
      call('POST', '/api/invoices', options, { body }),

    /** Returns an invoice. */
    retrieve: (id: string, options?: RequestOptions): Promise<Invoice> =>
      call('GET', '/api/invoices/{id}', options, { id }),

    /** Lists invoices, newest first. */
    list: (query: InvoiceListParams = {}, options?: RequestOptions): List<Invoice, InvoicePage> =>
      new List(call, '/api/invoices', options, { query }, readHeldStill),

    /** Updates a pending invoice. */
    update: (id: string, body: InvoiceUpdateParams, options?: ChangeOptions): Promise<Invoice> =>
      call('PATCH', '/api/invoices/{id}', options, { id, body }),

    /** Cancels a pending or overdue invoice. This cannot be undone. */
    cancel: (id: string, options?: CancelOptions): Promise<InvoiceCancellation> =>
      call('DELETE', '/api/invoices/{id}', options, { id }),

    /** Cancels a pending or overdue invoice, and creates one with changes in its place. Returns the new invoice. */
    replace: (
      id: string,
      body: InvoiceReplaceParams = {},
      options?: ChangeOptions & WaitOptions,
    ): Promise<Invoice> => call('POST', '/api/invoices/{id}/replace', options, { id, body }),

    /** Confirms the open claim of a payer with a payment that is recorded already. Nothing is paid again. */
    confirmClaim: (id: string, body: InvoiceClaimConfirmParams, options?: ChangeOptions): Promise<Invoice> =>
      call('POST', '/api/invoices/{id}/claim/confirm', options, { id, body }),

    /** Rejects the open claim of a payer to have paid. To confirm it, create a payment with its ID in `claim`. */
    rejectClaim: (id: string, body: InvoiceClaimRejectParams, options?: ChangeOptions): Promise<Invoice> =>
      call('POST', '/api/invoices/{id}/claim/reject', options, { id, body }),

    /** Sends an invoice to its buyer by email, or the receipt if it is paid. Returns the mail before it is sent. */
    send: (id: string, body: InvoiceSendParams = {}, options?: WriteOptions): Promise<Mail> =>
      call('POST', '/api/invoices/{id}/send', options, { id, body }),

    /** Lists the mails about an invoice, newest first. */
    listMails: (id: string, query: MailListParams = {}, options?: RequestOptions): List<Mail, MailPage> =>
      new List(call, '/api/invoices/{id}/mails', options, { id, query }, readByCursor),

    /** Lists the issues of an invoice and its credit notes, newest first. */
    listDocuments: (
      id: string,
      query: DocumentListParams = {},
      options?: RequestOptions,
    ): List<RemitDocument, DocumentPage> =>
      new List(call, '/api/invoices/{id}/documents', options, { id, query }, readByCursor),
  };
}
