/** Shows what a payer claims to have paid, with the forms that confirm or reject it. */
import { html } from 'hono/html';
import { openClaimOf } from '../../../domain/invoices/claim.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import type { PartPayment } from '../../../domain/invoices/received-money.ts';
import { canConfirm, transferOf } from '../../../domain/payments/transfer.ts';
import { tableHasher } from '../../../platform/secrets/deployment-secret.ts';
import { formatDate } from '../../pages/dates.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderDefinitions } from '../elements.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import { renderAmount, renderFailure, renderText } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderTime } from '../times.ts';
import { allowField, forceOf, renderAcceptOver, renderAllow } from './consent-fields.ts';
import { claimTexts } from './invoice-texts.ts';

/** Renders the claim of an invoice. Empty: there is none, or the invoice no longer waits for a decision. */
export async function renderClaim(
  context: DashboardContext,
  invoice: Invoice,
  failed?: FailedForm,
): Promise<Markup | ''> {
  const claim = openClaimOf(invoice);
  if (!claim) return '';
  const transfer = transferOf(await tableHasher(), claim.reference);
  const recorded = (invoice.parts ?? []).filter((part) => canConfirm(part, claim, transfer));
  const { bank, reference } = claim;
  return html`<section class="card"><h2>${claimTexts.title}</h2><p>${claimTexts.hint}</p>
${renderDefinitions([
  [fieldNames.amount, renderAmount(claim.amount, invoice.currency)],
  [claimTexts.paidOn, html`${formatDate(Date.parse(claim.paidOn))}`],
  bank === undefined ? undefined : [claimTexts.bank, renderText(bank)],
  reference === undefined ? undefined : [claimTexts.reference, renderText(reference)],
  [claimTexts.claimedAt, renderTime(context, claim.claimedAt)],
])}${renderFailure(failed?.failure)}${context.can('payments:record') && renderForms(context, invoice, recorded, failed)}</section>`;
}

function renderForms(
  context: DashboardContext,
  invoice: Invoice,
  recorded: readonly PartPayment[],
  failed: FailedForm | undefined,
): Markup {
  const { id, claim } = invoice;
  const hidden = renderHiddenInput('claim', claim?.id ?? '');
  const forced = forceOf(context, failed?.failure);
  const isUsed = failed?.failure.alert?.endsWith(claimTexts.isOther);
  const isAllowed = failed?.fields.get(allowField) === 'yes';
  const allow = (isUsed || isAllowed) && renderAllow(claimTexts.allow, isAllowed);
  const reason = renderField({
    name: 'reason',
    type: 'textarea',
    label: claimTexts.reason,
    hint: claimTexts.reasonHint,
    value: failed?.fields.get('reason') ?? '',
    error: failed?.failure.errors?.reason,
  });
  return html`${renderForm(context, { action: context.url(`/invoices/${id}/claim/confirm`), submit: forced.isOffered ? claimTexts.confirmAnyway : claimTexts.confirm, content: html`${hidden}${renderHiddenInput('payment', '')}${allow}${renderAcceptOver(failed)}${forced.content}` })}
${renderForm(context, { action: context.url(`/invoices/${id}/claim/reject`), submit: claimTexts.reject, style: 'plain', content: html`${hidden}${reason}` })}${renderRecorded(context, invoice, recorded, hidden)}`;
}

/** So many payments can be chosen as the money of a claim: the last ones. */
const maxRecorded = 5;

/** Renders the payments that can be the money of a claim, each with the form that says so. Empty: none. */
function renderRecorded(
  context: DashboardContext,
  { id, currency }: Invoice,
  recorded: readonly PartPayment[],
  hidden: Markup,
): Markup | '' {
  if (recorded.length === 0) return '';
  const forms = recorded
    .slice(-maxRecorded)
    .map(
      ({ paymentId, amount, over = 0 }) =>
        html`<p><a href="${context.url(`/payments/${paymentId}`)}">${paymentId}</a> ${renderAmount(amount + over, currency)}</p>${renderForm(context, { action: context.url(`/invoices/${id}/claim/confirm`), submit: claimTexts.isThis, style: 'plain', content: html`${hidden}${renderHiddenInput('payment', paymentId)}` })}`,
    );
  return html`<h3>${claimTexts.recorded}</h3>${forms}`;
}
