/** Waits for the number of a new invoice. A worker issues its document after the change is committed. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Principal } from '../../store/account-state.ts';
import { tableKeys } from '../../store/keys.ts';
import { readItem } from '../../store/records.ts';

/** The times between reads, in milliseconds. Together they are a second. Most numbers exist after 100 ms. */
const delaysMs = [50, 100, 150, 200, 250, 250];

/**
 * Waits up to a second for the number of an invoice that is committed. Never fails, because the invoice exists.
 * @returns the number. Null: the document is not issued yet. Undefined: the account issues no documents, so nothing was read
 */
export async function awaitNumber(
  { seller }: Pick<Principal, 'seller'>,
  id: string,
): Promise<string | null | undefined> {
  if (!seller) return undefined;
  for (const delayMs of delaysMs) {
    await wait(delayMs);
    const item = await readItem(tableKeys.invoiceNumber(id)).catch(() => undefined);
    // A malformed number is left out.
    if (typeof item?.number === 'string') return item.number;
  }
  return null;
}

/**
 * Returns the answer with the number of its invoice, as far as the service waits for it. Undefined: there is nothing to wait for.
 * @param answer a new invoice
 */
export async function withNumber<Answer extends { readonly id: string }>(
  answer: Answer,
  principal: Pick<Principal, 'seller'>,
): Promise<Answer | undefined> {
  const number = await awaitNumber(principal, answer.id);
  return number === undefined ? undefined : { ...answer, ...(number !== null && { number }) };
}
