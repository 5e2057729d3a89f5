/** Renders the pages with the forms of drafts. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import { formatAmount } from '../../../base/money.ts';
import { type Draft, type DraftContent, noContent } from '../../../domain/drafts/draft.ts';
import { readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { renderChargesTable } from '../../pages/charges.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, requestOwnerOf, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderDefinitions, renderScrolled } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { renderAmount, renderButtonLink, renderFailure, renderText } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderDueDate } from '../times.ts';
import { readFoundCustomers } from './customer-finder.ts';
import { draftValues } from './draft-form.ts';
import { draftTexts } from './draft-texts.ts';
import { readInvoiceChoices } from './invoice-choices.ts';
import { renderNewInvoiceFields, type ShownInvoiceForm } from './invoice-form.ts';
import { lineTexts } from './invoice-texts.ts';
import { renderLineButtons, type ShownTotals } from './line-fields.ts';
import { buyerRows } from './party-rows.ts';

/** Shows the form that changes a draft: that of a new invoice. */
export async function showDraftEditForm(
  context: DashboardContext,
  draft: Draft,
  shown?: ShownInvoiceForm,
): Promise<DashboardView> {
  const [choices, found] = await Promise.all([
    readInvoiceChoices(context),
    readFoundCustomers(context, shown?.fields),
  ]);
  const action = context.url(`/drafts/${draft.id}/edit`);
  const seen = renderHiddenInput('seen', seenVersion(shown, String(draft.objectVersion)));
  const form = shown ?? { fields: draftValues(draft, { ...choices, timeZone: context.timeZone }) };
  const content = html`${seen}${renderNewInvoiceFields(context, form, { ...choices, found }, { stored: draft.metadata })}`;
  const others = renderLineButtons(action);
  return viewOf(
    draftTexts.editTitle,
    shown,
    html`${renderForm(context, { action, submit: draftTexts.saveChanges, content, others, hasButtons: true })}${renderBack(context, draft)}`,
  );
}

/** Shows the page that asks for confirmation of a deletion. */
export async function showDraftDeleteForm(
  context: DashboardContext,
  draft: Draft,
  failed?: FailedForm,
): Promise<DashboardView> {
  const action = context.url(`/drafts/${draft.id}/delete`);
  const form = renderForm(context, { action, submit: draftTexts.deleteSubmit, style: 'danger' });
  const content = html`${await showDraftSummary(context, draft)}<p>${draftTexts.deleteHint}</p>${form}${renderBack(context, draft, draftTexts.keep)}`;
  return viewOf(draftTexts.deleteTitle, failed, content);
}

/** Shows the page that asks for confirmation before a draft becomes an invoice. */
export async function showFinalizeForm(
  context: DashboardContext,
  draft: Draft,
  failed?: FailedForm,
): Promise<DashboardView> {
  const form = renderForm(context, {
    action: context.url(`/drafts/${draft.id}/finalize`),
    submit: draftTexts.finalizeSubmit,
    content: renderHiddenInput('seen', seenVersion(failed, String(draft.objectVersion))),
  });
  const content = html`${await showDraftSummary(context, draft)}<p>${draftTexts.finalizeHint}</p>${form}${renderBack(context, draft)}`;
  return viewOf(draftTexts.finalizeTitle, failed, content);
}

/** Returns what a draft says of its customer, as an invoice names one. */
export const customerOfDraft = ({ buyer, customerId }: Pick<DraftContent, 'buyer' | 'customerId'>) => ({
  buyer,
  customerId: customerId ?? buyer?.email ?? '',
});

/**
 * Reads the name of the customer, and renders what a draft says so far. One call, or none.
 * @param totals what its lines come to, if that is known
 */
export async function showDraftSummary(
  context: DashboardContext,
  { content = noContent }: Pick<Draft, 'content'>,
  totals?: ShownTotals,
): Promise<Markup> {
  const { amount, buyer, currency, description, dueDate, reference } = content;
  const customer = customerOfDraft(content);
  const names = await readCustomerNames(requestOwnerOf({ context }), [customer]);
  const sum = totals
    ? renderAmount(totals.amount, totals.currency)
    : amount !== null && currency !== null && content.lines === null
      ? renderAmount(amount, currency)
      : undefined;
  const row = (title: string, text: string | null | undefined) =>
    text == null ? undefined : ([title, renderText(text)] as const);
  return html`${sum && html`<p class="sum">${sum}</p>`}${renderDefinitions([
    customer.customerId === ''
      ? undefined
      : [fieldNames.customer, renderCustomerName(context, names, customer)],
    ...buyerRows({ buyer }),
    dueDate === null ? undefined : [fieldNames.due, renderDueDate(context, dueDate)],
    row(fieldNames.description, description),
    row(fieldNames.ownReference, reference),
  ])}${totals?.charges && renderScrolled(lineTexts.table, renderChargesTable({ ...totals, charges: totals.charges }, lineTexts.table))}`;
}

/** Returns the amount of a draft in a list. */
export const amountText = (amount: number | null, currency: Parameters<typeof formatAmount>[1] | null) =>
  amount === null || currency === null ? draftTexts.unknownAmount : formatAmount(amount, currency);

const viewOf = (
  title: string,
  shown: ShownInvoiceForm | FailedForm | undefined,
  content: Markup,
): DashboardView => ({
  title,
  section: 'invoices',
  status: shown?.failure?.status ?? 200,
  content: html`${renderFailure(shown?.failure)}<section class="card">${content}</section>`,
});

const renderBack = (context: DashboardContext, { id }: Draft, text: string = draftTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/drafts/${id}`), text)}</p>`;
