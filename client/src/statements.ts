/** Defines the methods of `remit.statements`: bank statements and what comes of their rows. */
import type { ApiCall, ChangeOptions, RequestOptions, WriteOptions } from './call.ts';
import { List, readByOffset } from './list.ts';
import type {
  IgnoredStatementRow,
  Payment,
  Statement,
  StatementCreateParams,
  StatementFileLink,
  StatementFileLinkParams,
  StatementFilePreview,
  StatementFilePreviewParams,
  StatementListParams,
  StatementPage,
  StatementRow,
  StatementRowListParams,
  StatementRowMatchParams,
  StatementRowPage,
} from './schemas.ts';

export type Statements = ReturnType<typeof createStatementMethods>;

/** Creates the methods of `remit.statements`. They call the API with `call`. */
export function createStatementMethods(call: ApiCall) {
  return {
    /** Stores the rows of a bank statement: at most 500, or those of an uploaded file. The same rows again return the statement that has them. */
    create: (body: StatementCreateParams, options?: WriteOptions): Promise<Statement> =>
      call('POST', '/api/statements', options, { body }),

    /** Returns a link with which you upload the file of a bank. Send its bytes with `PUT` to `uploadUrl`. */
    linkFile: (query: StatementFileLinkParams, options?: RequestOptions): Promise<StatementFileLink> =>
      call('GET', '/api/statement-files/link', options, { query }),

    /** Returns what is read from an uploaded file. */
    previewFile: (
      query: StatementFilePreviewParams,
      options?: RequestOptions,
    ): Promise<StatementFilePreview> => call('GET', '/api/statement-files/preview', options, { query }),

    /** Returns a statement, without its rows. */
    retrieve: (id: string, options?: RequestOptions): Promise<Statement> =>
      call('GET', '/api/statements/{id}', options, { id }),

    /** Lists statements, newest first. */
    list: (query: StatementListParams = {}, options?: RequestOptions): List<Statement, StatementPage> =>
      new List(call, '/api/statements', options, { query }, readByOffset),

    /** Lists the rows of a statement, in the order in which they were sent. */
    listRows: (
      id: string,
      query: StatementRowListParams = {},
      options?: RequestOptions,
    ): List<StatementRow, StatementRowPage> =>
      new List(call, '/api/statements/{id}/rows', options, { id, query }, readByOffset),

    /** Lets a row pay an invoice, or says that it is the money of a recorded payment or refund. Returns the payment. */
    matchRow: (
      id: string,
      rowId: string,
      body: StatementRowMatchParams,
      options?: ChangeOptions,
    ): Promise<Payment> =>
      call('POST', '/api/statements/{id}/rows/{rowId}/match', options, { id, rowId, body }),

    /** Says that a row, or what is left of its money, pays nothing. */
    ignoreRow: (id: string, rowId: string, options?: WriteOptions): Promise<IgnoredStatementRow> =>
      call('POST', '/api/statements/{id}/rows/{rowId}/ignore', options, { id, rowId }),
  };
}
