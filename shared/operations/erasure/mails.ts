/** Erases the mails of invoices: their addresses and messages. Their kinds, states and times stay. */
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import { customerFilterKey } from '../../domain/invoices/record.ts';
import { readUnstoredMails } from '../../domain/mails/automatic-mail-store.ts';
import { toMail } from '../../domain/mails/mail-item.ts';
import { changeMail, readMailItems } from '../../domain/mails/mail-store.ts';
import { erasedText } from '../../store/field-erasure.ts';
import type { Item } from '../../store/records.ts';
import { rewriteItem } from '../../store/rewrite-item.ts';
import { type RecordsOf, type RecordsPass, readListedIds } from './records.ts';

const invoicesAtOnce = 16;

/**
 * Erases the mails of the customer's invoices, also of the invoices that keep the ID of a deleted customer.
 * @returns how many mails changed, and the ids of these invoices
 * @throws MalformedItemError if a mail cannot be read
 */
export async function eraseMails(
  { owner, dryRun }: RecordsOf,
  records: RecordsPass['records'],
  customers: readonly Customer[],
): Promise<{ readonly changed: number; readonly mailed: ReadonlySet<string> }> {
  const invoices = new Set(
    [...records].flatMap(([id, { resource }]) => (resource === 'invoice' ? [id] : [])),
  );
  for (const { id } of customers) {
    const ids = await readListedIds(owner, 'invoice', await customerFilterKey(id));
    for (const invoice of ids) invoices.add(invoice);
  }
  let changed = 0;
  const limited = limitConcurrency(invoicesAtOnce);
  const eraseOf = async (invoice: string) => {
    // A worker that is sending a mail stores its record with the outcome. It finds this one, and adds only the outcome.
    for (const mail of await readUnstoredMails(owner, invoice, erasedText))
      if (!dryRun) await changeMail(mail, { state: mail.state });
    for (const item of await readMailItems(owner, invoice))
      if (dryRun ? planErasure(item) : await rewriteItem(item, planErasure)) changed += 1;
  };
  await throwAfterAllSettled([...invoices].map((invoice) => limited(() => eraseOf(invoice))));
  return { changed, mailed: invoices };
}

/** A mail that waits for its turn is not sent any more, because its address is none. */
function planErasure(item: Item): Item | undefined {
  const { to, message } = toMail(item);
  if (to === erasedText && message === undefined) return undefined;
  return { to: erasedText, message: undefined };
}
