/** Defines the methods of `remit.mails`. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import { List, readByCursor } from './list.ts';
import type { Mail, MailListParams, MailPage } from './schemas.ts';

export type Mails = ReturnType<typeof createMailMethods>;

/** Creates the methods of `remit.mails`. They call the API with `call`. */
export function createMailMethods(call: ApiCall) {
  return {
    /** Lists mails, newest first. */
    list: (query: MailListParams = {}, options?: RequestOptions): List<Mail, MailPage> =>
      new List(call, '/api/mails', options, { query }, readByCursor),
    /** Allows mails to the address of a mail again, after a permanent bounce or a complaint. */
    allowAddress: (id: string, options?: WriteOptions): Promise<Mail> =>
      call('POST', '/api/mails/{id}/allow-address', options, { id }),
  };
}
