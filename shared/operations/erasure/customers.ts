/**
 * Finds and deletes the customers of an erasure: the one with the ID, or those with the e-mail address. Finds them again
 * after they are deleted, so an interrupted erasure continues with their copies.
 */

import { realClock } from '../../base/clock.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { now } from '../../base/time.ts';
import type { Customer } from '../../domain/customers/customer.ts';
import { searchChanges } from '../../domain/customers/customer-store.ts';
import { customerType, emailListKey } from '../../domain/customers/record.ts';
import { deleteCustomer } from '../../domain/customers/transitions.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import { readIndex } from '../../store/lists/pages/read-index.ts';
import { removeIndexEntries } from '../../store/lists/pages/remove-index-entries.ts';
import { readRecord, readRecords, requireRecords } from '../../store/records.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';

const batchSize = 100;
const callsAtOnce = 16;

/** Returns the customers to erase, also those that are deleted already. */
export async function readCustomersToErase(owner: Owner, customerId: string): Promise<Customer[]> {
  if (isRecordId('customer', customerId)) {
    const { record } = await readRecord(customerType, owner, customerId);
    return record ? [record] : [];
  }
  if (!customerId.includes('@')) return [];
  const list = await emailListKey(customerId);
  const unrelayed = (await readUnrelayed(owner)).flatMap(({ indexEntries }) => indexEntries);
  const unlisted = unrelayed.filter(({ filterKeys }) => filterKeys.includes(list)).map(({ seq }) => seq);
  const view = await readIndex(owner, 'customer', [list]);
  const listed = view.select(undefined, 0, Number.POSITIVE_INFINITY).seqs;
  const found = await readByNumbers(owner, [...new Set([...unlisted, ...listed])]);
  // The list also contains customers that have another address now.
  return found.filter(
    ({ status, email }) => status === 'deleted' || email?.toLowerCase() === customerId.toLowerCase(),
  );
}

/** Deletes customers. Those that are deleted already are left out. Returns how many were deleted. */
export async function deleteCustomers(owner: Owner, customers: readonly Customer[]): Promise<number> {
  const limited = limitConcurrency(callsAtOnce);
  const hash = await tableHasher();
  let deleted = 0;
  const deleteOne = async (record: Customer) => {
    const loaded = { type: customerType, owner, id: record.id, record };
    const at = now();
    const command = new Command<[Customer], boolean>([loaded], (present) => {
      if (present?.status !== 'active') return { changes: [undefined], answer: false };
      const change = deleteCustomer(present, at);
      return { changes: [change], answer: true, ...searchChanges(hash, present, change) };
    });
    if (await commitInBackground(command, realClock(at))) deleted += 1;
  };
  const active = customers.filter(({ status }) => status === 'active');
  await throwAfterAllSettled(active.map((record) => limited(() => deleteOne(record))));
  return deleted;
}

/** Removes deleted customers from the list of an e-mail address, so nothing leads from the address to them. */
export async function leaveEmailList(
  owner: Owner,
  email: string,
  customers: readonly Customer[],
): Promise<void> {
  if (!email.includes('@') || customers.length === 0) return;
  const list = await emailListKey(email);
  await removeIndexEntries(
    owner,
    'customer',
    list,
    customers.map(({ seq }) => seq),
  );
}

/** Deletes all customers of an account and mode. Finds them by their numbers, so none is missed. */
export async function deleteAllCustomers(owner: Owner): Promise<void> {
  const last = (await readAllocatedNumbers(owner))?.allocated.customer ?? 0;
  for (let first = 1; first <= last; first += batchSize) {
    const length = Math.min(batchSize, last - first + 1);
    const seqs = Array.from({ length }, (_, index) => first + index);
    await deleteCustomers(owner, await readByNumbers(owner, seqs));
  }
}

async function readByNumbers(owner: Owner, seqs: readonly number[]): Promise<Customer[]> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return [];
  const ids = seqs.map((seq) => recordId(numbers.idKeys.of(seq), { ...owner, resource: 'customer' }, seq));
  const found = await mapInChunks(ids, batchSize, (chunk) => readRecords(customerType, owner, chunk));
  return found.flatMap((each) => [...requireRecords(each).values()]);
}
