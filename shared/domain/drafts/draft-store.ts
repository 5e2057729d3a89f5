/** Reads, lists, creates, changes, deletes and finalizes drafts in the table. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, type Creation, requireNew } from '../../store/commit/command.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import type { Filled } from '../charges/line.ts';
import { type Invoice, type ScheduledBy, type ShownInvoice, showInvoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import {
  type CreateDraft,
  type Draft,
  type DraftDeletion,
  type ShownDraft,
  showDraft,
  type UpdateDraft,
} from './draft.ts';
import { totalsOf } from './draft-totals.ts';
import { draftType } from './record.ts';
import {
  createDraft,
  deleteDraft,
  finalizeDraft,
  invoiceFieldsOf,
  requireOpen,
  updateDraft,
} from './transitions.ts';

/** Reads one draft. */
export function readDraft(owner: Owner, id: string): Promise<LoadedRecord<Draft>> {
  return readRecord(draftType, owner, id);
}

/**
 * Returns the draft of a loaded record.
 * @throws ApiError `draft_not_found` if it does not exist, or is deleted
 */
export function requireDraft({ record }: Pick<LoadedRecord<Draft>, 'record'>): Draft {
  if (!record || record.status === 'deleted') throw new ApiError('draft_not_found');
  return record;
}

/** Returns a draft with its totals, as the API shows it to this caller now. */
export function showWithTotals(
  { seller }: Pick<Principal, 'seller'>,
  draft: Draft,
  now: AccountTime,
): ShownDraft {
  return showDraft(draft, totalsOf(draft, seller?.state, now));
}

/** Returns the currency of a draft whose lines take prices from products. @throws ApiError `invalid_currency` if it has none */
export function requireCurrency(currency?: Currency | null): Currency {
  if (currency) return currency;
  const message = 'currency is needed for the price of a product. Send the currency of the invoice.';
  throw new ApiError('invalid_currency', { field: 'currency', message });
}

/** Creates the command that creates a draft, with the sequence number that authorization allocated. */
export function createDraftCommand(
  principal: Principal,
  body: Filled<CreateDraft>,
  now: AccountTime,
): Command<[Draft], ShownDraft> {
  const { owner, idKeys, seq } = principal;
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'draft' }, seq);
  const change = createDraft({ ...owner, id, seq }, body, now);
  return new Command([{ type: draftType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    return { changes: [change], answer: showWithTotals(principal, change.record, now) };
  });
}

/**
 * Creates the command that updates a draft. The command throws the errors of `updateDraft`.
 * @param require checks a further condition on the draft, and throws if the draft does not meet it
 */
export function updateDraftCommand(
  principal: Pick<Principal, 'seller'>,
  loaded: LoadedRecord<Draft>,
  body: Filled<UpdateDraft>,
  now: AccountTime,
  require?: (draft: Draft) => void,
): Command<[Draft], ShownDraft> {
  return new Command([loaded], (record) => {
    const draft = requireDraft({ record });
    require?.(draft);
    const change = updateDraft(draft, body, now);
    return { changes: [change], answer: showWithTotals(principal, change?.record ?? draft, now) };
  });
}

/** Creates the command that deletes a draft. The command throws the errors of `deleteDraft`. */
export function deleteDraftCommand(
  loaded: LoadedRecord<Draft>,
  now: AccountTime,
): Command<[Draft], DraftDeletion> {
  return new Command([loaded], (record) => {
    const change = deleteDraft(requireDraft({ record }), now);
    const { id, updatedAt } = change.record;
    return { changes: [change], answer: { id, deletedAt: toTimestamp(updatedAt) } };
  });
}

/** The draft has changed after its invoice was prepared. */
class PreparedForAnother extends Error {
  readonly draft: Draft;

  constructor(draft: Draft) {
    super(`The draft ${draft.id} has changed.`);
    this.draft = draft;
  }
}

/**
 * Creates the command that makes the invoice of a draft, with the sequence number of an invoice that authorization allocated. One
 * transaction writes both, if the draft still has the version on which the invoice is based. So a draft never becomes two invoices.
 * The command throws `draft_finalized`, and what `toInvoice` throws.
 * @param invoice the id of the invoice, and the function that prepares it with the fields of the draft, as in the body of a request
 *   that creates an invoice, and with the schedule that made the draft
 * @param require checks a further condition on the draft, and throws if the draft does not meet it
 */
export async function finalizeDraftCommand(
  principal: Principal,
  loaded: LoadedRecord<Draft>,
  {
    id,
    toInvoice,
  }: {
    readonly id: string;
    readonly toInvoice: (fields: object, scheduled: ScheduledBy | undefined) => Promise<Creation<Invoice>>;
  },
  now: AccountTime,
  require?: (draft: Draft) => void,
): Promise<Command<[Draft, Invoice], ShownInvoice>> {
  const { owner } = principal;
  // An error is thrown when the command decides, because the request can be a repetition.
  const prepare = async (draft: Draft) => ({
    version: draft.version,
    invoice: await settled(() => toInvoice(invoiceFieldsOf(draft), scheduledBy(draft))),
  });
  let prepared = loaded.record?.status === 'open' ? await prepare(loaded.record) : undefined;
  return new Command(
    [loaded, { type: invoiceType, owner, id, record: undefined }],
    (record, existing) => {
      requireNew(existing);
      const draft = requireDraft({ record });
      requireOpen(draft);
      require?.(draft);
      if (prepared?.version !== draft.version) throw new PreparedForAnother(draft);
      if ('error' in prepared.invoice) throw prepared.invoice.error;
      const { change, reserves } = prepared.invoice.value;
      const answer = showInvoice(change.record);
      return { changes: [finalizeDraft(draft, id, now), change], answer, reserves };
    },
    {
      resolveRefusal: async (refusal) => {
        if (!(refusal instanceof PreparedForAnother)) return false;
        prepared = await prepare(refusal.draft);
        return true;
      },
    },
  );
}

/** Returns the schedule that made a draft. Undefined: a request did. */
const scheduledBy = ({ scheduleId, period }: Draft): ScheduledBy | undefined =>
  scheduleId !== undefined && period ? { scheduleId, period } : undefined;

type Settled = { readonly value: Creation<Invoice> } | { readonly error: unknown };

const settled = (run: () => Promise<Creation<Invoice>>): Promise<Settled> =>
  run().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** Reads the index of the list of drafts. */
export function readDraftIndex(owner: Owner): Promise<IndexView> {
  return readListIndex(owner, 'draft', []);
}

/**
 * Reads one page of the list of open drafts, newest first, with the exact total.
 * @param view the index of the list, from `readDraftIndex`
 */
export async function listDraftPage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
  now: AccountTime,
) {
  const { rows, total, count } = await listRecords(draftType, principal, view, { ...query, status: 'open' });
  return {
    data: rows.map((row) => showWithTotals(principal, row, now)),
    pagination: paginationOf({ ...query, total, count }),
  };
}
