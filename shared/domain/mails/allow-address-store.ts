/** Answers a request to send mails to an address again, to which none goes since a mail bounced for good or its reader complained. */
import type { AuditOrigin } from '../../base/audit-origin.ts';
import { isEmail } from '../../base/email.ts';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { RecordedChange } from '../../store/commit/command.ts';
import type { RequestKey } from '../../store/commit/idempotency-records.ts';
import { writeTransaction } from '../../store/transactions.ts';
import { recordedChange, requireFreeKey } from '../accounts/answer-record.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { type Mail, type ShownMail, showMail } from './mail.ts';
import { suppressionKey } from './mail-address-store.ts';

interface AllowRequest {
  readonly owner: Owner;
  /** Undefined: the owner has no such mail. */
  readonly mail: Mail | undefined;
  readonly requestKey: RequestKey | undefined;
  readonly origin: AuditOrigin | undefined;
  readonly now: Instant;
}

/**
 * Returns the change that allows mails to the address of a mail. It has no effect if they are allowed.
 * @throws ApiError `mail_not_found` or `address_erased`
 */
export function allowAddressChange({
  owner,
  mail,
  requestKey: key,
  origin,
  now,
}: AllowRequest): RecordedChange<ShownMail> {
  if (!mail) throw new ApiError('mail_not_found');
  if (!isEmail(mail.to)) throw new ApiError('address_erased');
  return recordedChange<Mail, ShownMail>({
    key,
    now,
    change: async (record) => {
      const Key = await suppressionKey(owner, mail.to);
      const result = await writeTransaction([
        { Delete: { TableName: env.tableName(), Key } },
        ...entryActions([owner], origin, { resource: mail.id, changes: [], at: now }),
        ...(record ? [await record(mail)] : []),
      ]);
      if (record) requireFreeKey(result);
      return mail;
    },
    show: showMail,
  });
}
