/** Finds and deletes the drafts of a customer. Nothing but stored answers has copies of a draft. */
import { realClock } from '../../base/clock.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { now } from '../../base/time.ts';
import type { Draft, DraftContent } from '../../domain/drafts/draft.ts';
import { draftType } from '../../domain/drafts/record.ts';
import { deleteDraft } from '../../domain/drafts/transitions.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import { readIndex } from '../../store/lists/pages/read-index.ts';
import { readRecords, requireRecords } from '../../store/records.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';

const batchSize = 100;
const callsAtOnce = 16;

/** What names the customer of a draft or of the invoice of a schedule, stored or shown. */
export type CustomerOf = Partial<
  Pick<DraftContent, 'customerId'> & { readonly buyer: { readonly email?: string | null } | null }
>;

/** Whether the invoice of a draft would be one of the customer, or its buyer has the address of the customer. */
export function namesCustomer({ customerId, buyer }: CustomerOf, name: string): boolean {
  const names = [customerId, buyer?.email].flatMap((each) => (each == null ? [] : comparable(each)));
  return names.includes(comparable(name));
}

/** Email addresses that differ only in case are the same customer. */
const comparable = (name: string) => (name.includes('@') ? name.toLowerCase() : name);

/** Whether a stored answer shows a draft of the customer. */
export function isDraftOf(answer: { readonly id?: string } & CustomerOf, customerId: string): boolean {
  return isRecordId('draft', answer.id ?? '') && namesCustomer(answer, customerId);
}

/** Deletes the open drafts of a customer. @returns how many there were */
export async function deleteDraftsOf(owner: Owner, customerId: string, dryRun: boolean): Promise<number> {
  const drafts = (await readOpenDrafts(owner)).filter(
    ({ content }) => content && namesCustomer(content, customerId),
  );
  if (dryRun) return drafts.length;
  return deleteDrafts(owner, drafts, (draft) =>
    draft.content ? namesCustomer(draft.content, customerId) : false,
  );
}

/** Deletes all open drafts of an account and mode. */
export async function deleteAllDrafts(owner: Owner): Promise<void> {
  await deleteDrafts(owner, await readOpenDrafts(owner), () => true);
}

async function deleteDrafts(
  owner: Owner,
  drafts: readonly Draft[],
  isMeant: (draft: Draft) => boolean,
): Promise<number> {
  const limited = limitConcurrency(callsAtOnce);
  let deleted = 0;
  const deleteOne = async (record: Draft) => {
    const clock = realClock(now());
    const loaded = { type: draftType, owner, id: record.id, record };
    const command = new Command<[Draft], boolean>([loaded], (present) => {
      const isOpen = present?.status === 'open' && isMeant(present);
      return { changes: [isOpen ? deleteDraft(present, clock.account) : undefined], answer: isOpen };
    });
    if (await commitInBackground(command, clock)) deleted += 1;
  };
  await throwAfterAllSettled(drafts.map((record) => limited(() => deleteOne(record))));
  return deleted;
}

/** Reads all open drafts. What is committed and not relayed yet is in the outbox, which is read before the list. */
async function readOpenDrafts(owner: Owner): Promise<Draft[]> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return [];
  const unrelayed = (await readUnrelayed(owner)).flatMap(({ indexEntries }) => indexEntries);
  const unlisted = unrelayed.filter(({ resource }) => resource === 'draft').map(({ seq }) => seq);
  const view = await readIndex(owner, 'draft', []);
  const listed = view.select('open', 0, Number.POSITIVE_INFINITY).seqs;
  const ids = [...new Set([...unlisted, ...listed])].map((seq) =>
    recordId(numbers.idKeys.of(seq), { ...owner, resource: 'draft' }, seq),
  );
  const found = await mapInChunks(ids, batchSize, (chunk) => readRecords(draftType, owner, chunk));
  return found
    .flatMap((each) => [...requireRecords(each).values()])
    .filter(({ status }) => status === 'open');
}
