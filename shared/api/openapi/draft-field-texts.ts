/** Describes the fields of drafts, and shows an example. */

import { noContent } from '../../domain/drafts/draft.ts';
import {
  createdAt,
  type FieldTexts,
  metadata,
  pagination,
  readOnly,
  updatedAt,
} from './common-field-texts.ts';
import { invoice, invoiceFieldTexts, sharedTexts } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

const { send: _, ...created } = invoiceFieldTexts.CreateInvoice;
const { buyer, discount, gst, gstParts, line, locale, prices, roundTo } = sharedTexts;

/** An example of a draft. */
export const draft: Example<'Draft'> = {
  id: 'drft_2w7c0kz5h9m4xq8nvd3tj6r1be',
  status: 'open',
  ...noContent,
  customerId: invoice.customerId,
  currency: invoice.currency,
  description: invoice.description,
  buyer: null,
  reminders: null,
  lines: invoice.lines.map(({ amount: _, taxableAmount: __, taxAmount: ___, ...each }) => each),
  computedAmount: invoice.amount,
  totals: invoice.totals,
  metadata: {},
  invoiceId: null,
  scheduleId: null,
  period: null,
  createdAt: invoice.createdAt,
  updatedAt: invoice.updatedAt,
};

const computed = 'Computed. Ignored in requests.';

export const draftFieldTexts: Pick<
  FieldTexts,
  'Draft' | 'DraftList' | 'DraftDeletion' | 'DraftLine' | 'DraftGst' | 'CreateDraft' | 'UpdateDraft'
> = {
  Draft: {
    ...created,
    id: 'The ID of the draft.',
    status: '`open`, or `finalized` when it has become an invoice.',
    customerId: 'The customer who will pay.',
    amount: 'The amount that you sent, in the smallest currency unit.',
    currency: 'The currency of the amount.',
    description: 'What the invoice is for.',
    dueDate: 'The time at which payment is due. Null: 30 days after you finalize the draft.',
    reference: 'Your own number for the invoice. It is taken when you finalize the draft.',
    locale,
    acceptPartial:
      'Whether the invoice can be paid in parts. Null: as `seller.acceptPartial` of the account says.',
    buyer,
    gst,
    lines: 'What the invoice charges.',
    prices,
    discount,
    roundTo,
    reminders: 'The days of reminders by email, from the due date. Null: those of the account.',
    computedAmount:
      'The amount of the invoice, with the tax rates of today. Null if it cannot be computed yet.',
    totals: 'What the lines come to. Null if it cannot be computed yet.',
    metadata,
    invoiceId: 'The ID of the invoice that the draft has become. Null until then.',
    scheduleId: 'The ID of the schedule that made the draft. Null if none did.',
    period: 'The days that the invoice is for. Null if no schedule made the draft.',
    createdAt,
    updatedAt,
  },
  DraftList: { data: 'The open drafts, newest first.', pagination },
  DraftDeletion: {
    id: 'The ID of the draft.',
    deletedAt: 'The time at which the draft was deleted.',
  },
  DraftLine: line,
  DraftGst: gstParts,
  CreateDraft: created,
  UpdateDraft: {
    ...created,
    id: readOnly,
    status: readOnly,
    computedAmount: computed,
    totals: computed,
    metadata: invoiceFieldTexts.UpdateInvoice.metadata,
    invoiceId: readOnly,
    scheduleId: readOnly,
    period: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
  },
};
