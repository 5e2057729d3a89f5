/** Declares what an erasure leaves of each shown field of a draft. The record itself is deleted. */
import {
  eraseText,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceCustomerId,
  replaceWith,
} from '../../store/field-erasure.ts';
import { chargesErasures } from '../charges/stored-charges.ts';
import { erasuresAsSent } from '../invoices/record.ts';
import type { DraftDeletion, ShownDraft } from './draft.ts';

export const draftErasures: FieldErasures<ShownDraft | DraftDeletion> = {
  id: keepValue,
  status: keepValue,
  customerId: replaceCustomerId,
  amount: keepValue,
  currency: keepValue,
  description: eraseText,
  dueDate: keepValue,
  ...erasuresAsSent,
  acceptPartial: keepValue,
  reminders: (days) => days,
  buyer: replaceWith(null),
  gst: replaceWith(null),
  lines: replaceWith(null),
  prices: keepValue,
  discount: chargesErasures.discount,
  roundTo: keepValue,
  computedAmount: keepValue,
  totals: chargesErasures.totals,
  metadata: removeMetadata,
  invoiceId: keepValue,
  scheduleId: keepValue,
  period: { start: keepValue, end: keepValue },
  createdAt: keepValue,
  updatedAt: keepValue,
  deletedAt: keepValue,
};
