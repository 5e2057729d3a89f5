/** Defines the entries of the journal as the API shows them, and how it lists them. `chart.ts` defines the accounts. */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { currencySchema } from '../../base/money.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { timestampSchema } from '../../base/time.ts';

const afterMessage =
  'after must be the position of an entry, sent only once. Leave it out to begin with the oldest entry.';

/** The query of the journal, oldest first. */
export const listJournalQuery = v.strictObject({
  limit: paginationQuery.limit,
  after: v.optional(v.pipe(v.string(afterMessage), v.regex(/^\d{1,15}$/, afterMessage))),
});

export type ListJournal = v.InferOutput<typeof listJournalQuery>;

const positionSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const signedSchema = v.pipe(v.number(), v.safeInteger());

/** What a change adds to an account. Above 0: a debit. Below 0: a credit. */
export const journalLineSchema = v.strictObject({
  account: v.string(),
  currency: currencySchema,
  amount: signedSchema,
});

/** A change of money. The amounts of each currency add up to 0. */
export const journalEntrySchema = v.strictObject({
  position: positionSchema,
  timestamp: timestampSchema,
  event: v.pipe(v.string(), v.regex(idPatternOf('event'))),
  resource: v.string(),
  invoiceId: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('invoice')))),
  lines: v.array(journalLineSchema),
});

export type ShownJournalEntry = v.InferOutput<typeof journalEntrySchema>;

/** A page of the journal. `next` is the value of `after` for the next page. */
export const journalSchema = v.strictObject({ data: v.array(journalEntrySchema), cursor: cursorSchema });
