/** Defines how a document can be shown as PDF: on which paper, and in which language. */
import * as v from 'valibot';
import { locales } from '../../base/locales.ts';

/** The sizes of paper. */
export const documentPapers = ['a4', 'us-letter'] as const;
export type DocumentPaper = (typeof documentPapers)[number];

const paperMessage = `paper must be one of ${documentPapers.join(', ')}, sent only once.`;
const localeMessage = `locale must be one of ${locales.join(', ')}, sent only once.`;

/** The query of a PDF. The default is the English document on A4. */
export const documentPdfQuery = /* @__PURE__ */ createPdfQuery();

function createPdfQuery() {
  return v.strictObject({
    paper: v.optional(v.picklist(documentPapers, paperMessage), 'a4'),
    locale: v.optional(v.picklist(locales, localeMessage), 'en'),
  });
}

/** Reads the query of a payer's link. It never fails: what it does not know counts as not sent. */
export function readPayerPdfQuery(query: Readonly<Record<string, unknown>>) {
  const picked = <T extends string>(allowed: readonly T[], sent: unknown): T =>
    allowed.find((each) => each === sent) ?? (allowed[0] as T);
  return {
    /** The id of the document. Undefined: the last issue of the invoice. */
    id: typeof query.document === 'string' ? query.document : undefined,
    paper: picked(documentPapers, query.paper),
    locale: picked(locales, query.locale),
  };
}
