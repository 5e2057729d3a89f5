/** Renders rows of a bank statement: in the list, with the decisions that take one click, and on a page of their own. */
import { html } from 'hono/html';
import { type Currency, formatAmount, toMajorUnits } from '../../../base/money.ts';
import type {
  RecordedPayment,
  RefundSuggestion,
  ShownRow,
  Suggestion,
} from '../../../domain/statements/statement.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderDefinitions, renderTable } from '../elements.ts';
import { renderField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { acceptOverField, forceOf, renderAcceptOver, renderAllow } from '../invoices/consent-fields.ts';
import { usedReferenceTexts } from '../invoices/invoice-texts.ts';
import {
  renderAmount,
  renderButtonLink,
  renderFailure,
  renderLine,
  renderShortIdLink,
  renderText,
} from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import {
  bankStatementTexts,
  matchFields,
  recordedTexts,
  rowTexts,
  suggestionTexts,
} from './bank-statement-texts.ts';
import type { FoundRow } from './statement-queries.ts';

/** The statement of a row. */
export interface RowPlace {
  readonly id: string;
  readonly currency: Currency;
}

/** Returns the path of the page of a row. */
export const rowPathOf = (statement: string, row: string) => `/bank-statements/${statement}/rows/${row}`;

const leftOf = ({ amount, amountMatched }: ShownRow) => amount - amountMatched;

const isWaiting = ({ status, amount }: ShownRow) => status === 'unmatched' && amount > 0;

/** Renders rows as a table. */
export function renderRowTable(
  context: DashboardContext,
  place: RowPlace,
  rows: readonly ShownRow[],
): Markup {
  const columns = [
    { title: bankStatementTexts.day },
    { title: fieldNames.amount, isNumber: true as const },
    { title: bankStatementTexts.payer },
    { title: bankStatementTexts.result },
  ];
  const cells = rows.map((row) => [
    html`<a href="${context.url(rowPathOf(place.id, row.id))}">${row.day}</a>`,
    renderAmount(row.amount, place.currency),
    renderSaid(row),
    renderResult(context, place, row),
  ]);
  return renderTable(bankStatementTexts.rowTable, columns, cells);
}

const renderSaid = ({ name, text, reference }: ShownRow): Markup => {
  const parts = [name, text, reference].filter((each) => each !== null);
  return html`<span>${parts.map((part, index) => html`${index > 0 && html`<br>`}${renderLine(part)}`)}</span>`;
};

/** Renders what a row paid, or the decisions about it. */
function renderResult(context: DashboardContext, place: RowPlace, row: ShownRow): Markup {
  const paid = renderPaid(context, place, row);
  if (row.status !== 'unmatched')
    return html`<div>${row.payments.length > 0 || row.refund ? paid : bankStatementTexts.rowStatuses[row.status]}</div>`;
  if (row.amount < 0)
    return html`<div class="decide">${renderWentOut(context, place, row)}${context.can('payments:record') && renderIgnore(context, place, row)}</div>`;
  if (!context.can('payments:record'))
    return html`<div>${paid}${bankStatementTexts.rowStatuses[row.status]}</div>`;
  const [best] = row.suggestions;
  const [recorded] = row.recordedPayments;
  const first = recorded
    ? renderRecorded(context, place, row, recorded)
    : best && renderSuggestion(context, place, row, best);
  return html`<div class="decide">${paid}${first}<div class="buttons">${renderButtonLink(context.url(rowPathOf(place.id, row.id)), rowTexts.decide)}${renderIgnore(context, place, row)}</div></div>`;
}

/** Renders what money that went out could be: refunds, each with its button, and payments that the bank took back. */
function renderWentOut(context: DashboardContext, place: RowPlace, row: ShownRow): Markup {
  const refunds = row.refunds.map((refund) => renderReturn(context, place, row, refund));
  const returned = row.returnedPayments.map(
    ({ paymentId, amount }) =>
      html`<p>${bankStatementTexts.returned} <a href="${context.url(`/payments/${paymentId}`)}">${formatAmount(amount, place.currency)}</a>. ${bankStatementTexts.voidReturned}</p>`,
  );
  return html`<div><span class="soft">${bankStatementTexts.wentOut}</span>${returned}${refunds}</div>`;
}

/** Renders a refund that the row could be, with the button that says so. Nobody types into this form. */
function renderReturn(
  context: DashboardContext,
  { id }: RowPlace,
  row: ShownRow,
  { refundId, paymentId, createdAt }: RefundSuggestion,
): Markup {
  const form =
    context.can('payments:record') &&
    renderForm(
      { csrfToken: context.csrfToken },
      {
        action: context.url(`${rowPathOf(id, row.id)}/refund`),
        submit: rowTexts.return,
        style: 'small',
        label: rowTexts.returnLabel(refundId),
        content: renderHiddenInput('refund', refundId),
      },
    );
  return html`<div><p>${rowTexts.refundOf} <a href="${context.url(`/payments/${paymentId}`)}">${renderShortTime(context, Date.parse(createdAt))}</a></p><p class="hint">${rowTexts.returnHint}</p>${form}</div>`;
}

function renderPaid(context: DashboardContext, { currency }: RowPlace, row: ShownRow): Markup {
  const payments = row.payments.map(
    ({ paymentId, invoiceId, amount }) =>
      html`<p><a href="${context.url(`/payments/${paymentId}`)}">${rowTexts.paid(formatAmount(amount, currency))}</a> ${renderShortIdLink(context, '/invoices', invoiceId)}</p>`,
  );
  const refund =
    row.refund !== null &&
    html`<p>${bankStatementTexts.ofRefund} <a href="${context.url(`/payments/${row.refund.paymentId}`)}">${bankStatementTexts.payment}</a></p>`;
  const left =
    isWaiting(row) &&
    row.payments.length > 0 &&
    html`<p>${bankStatementTexts.left(formatAmount(leftOf(row), currency))}</p>`;
  return html`${payments}${refund}${left}`;
}

/** Renders an invoice that the row could pay, with the button that lets it pay. It pays nothing of a paid one. Nobody types into this form. */
function renderSuggestion(
  context: DashboardContext,
  { id, currency }: RowPlace,
  row: ShownRow,
  { invoiceId, name, amountDue, reason }: Suggestion,
): Markup {
  const isPaid = amountDue === 0;
  const amount = isPaid ? leftOf(row) : Math.min(leftOf(row), amountDue);
  const shown = formatAmount(amount, currency);
  const of = name ?? `${invoiceId.slice(0, 12)}…`;
  const line = isPaid ? rowTexts.ofPaid(of) : rowTexts.of(of, formatAmount(amountDue, currency));
  const form = renderForm(
    { csrfToken: context.csrfToken },
    {
      action: context.url(`${rowPathOf(id, row.id)}/match`),
      submit: isPaid ? rowTexts.keep(shown) : rowTexts.pay(shown),
      style: 'small',
      label: isPaid ? rowTexts.keepLabel(shown, invoiceId) : rowTexts.payLabel(shown, invoiceId),
      content: html`${renderHiddenInput('invoice', invoiceId)}${renderHiddenInput('amount', toMajorUnits(amount))}${isPaid && renderHiddenInput(acceptOverField, 'yes')}`,
    },
  );
  return html`<div><a href="${context.url(`/invoices/${invoiceId}`)}">${renderLine(line)}</a><p class="hint">${suggestionTexts[reason]}${isPaid && ` ${rowTexts.isPaid}`}</p>${form}</div>`;
}

/**
 * Renders a payment that is recorded already, with the button that says that the row is its money, if no other row is. Nobody types into
 * this form.
 */
function renderRecorded(
  context: DashboardContext,
  { id, currency }: RowPlace,
  row: ShownRow,
  { paymentId, amount, receivedOn, reason, statementRow }: RecordedPayment,
  failed?: FailedForm,
): Markup {
  const link = html`<a href="${context.url(`/payments/${paymentId}`)}">${renderLine(rowTexts.ofRecorded(formatAmount(amount, currency), receivedOn))}</a>`;
  const hint = statementRow === null ? rowTexts.linkHint : rowTexts.shownHint(statementRow);
  const said = html`${link}<p class="hint">${recordedTexts[reason]} ${hint}</p>`;
  if (statementRow !== null) return html`<div>${said}</div>`;
  const { reference } = failed?.fields.get('payment') === paymentId ? (failed.failure.errors ?? {}) : {};
  const allow =
    reference !== undefined && html`<div id="reference">${renderAllow(usedReferenceTexts.allow)}</div>`;
  const form = renderForm(
    { csrfToken: context.csrfToken },
    {
      action: context.url(`${rowPathOf(id, row.id)}/payment`),
      submit: rowTexts.link,
      style: 'small',
      label: rowTexts.linkLabel(paymentId),
      content: html`${renderHiddenInput('payment', paymentId)}${allow}`,
    },
  );
  return html`<div>${said}${form}</div>`;
}

function renderIgnore(context: DashboardContext, { id, currency }: RowPlace, row: ShownRow): Markup {
  const left = formatAmount(leftOf(row), currency);
  const submit = row.payments.length > 0 ? rowTexts.ignoreRest(left) : rowTexts.ignore;
  return renderForm(
    { csrfToken: context.csrfToken },
    {
      action: context.url(`${rowPathOf(id, row.id)}/ignore`),
      submit,
      style: 'plain small',
      label: `${rowTexts.ignore}: ${row.day}, ${left}`,
    },
  );
}

/** Shows a row with all decisions that are open. */
export function showRowPage(
  context: DashboardContext,
  { statement: place, row, writesOff }: FoundRow,
  failed?: FailedForm,
): DashboardView {
  const { day, amount, reference, text, name, status } = row;
  const detail = (title: string, value: string | null) =>
    value === null ? undefined : ([title, renderText(value)] as const);
  return {
    title: rowTexts.title,
    section: 'bank-statements',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card"><p class="sum">${renderAmount(amount, place.currency)} ${bankStatementTexts.rowStatuses[status]}</p>
${renderDefinitions([
  [bankStatementTexts.day, day],
  detail(fieldNames.reference, reference),
  detail(rowFieldNames.text, text),
  detail(rowFieldNames.name, name),
])}${renderPaid(context, place, row)}<p>${renderButtonLink(context.url(`/bank-statements/${place.id}`), bankStatementTexts.back)}</p></section>
${context.can('payments:record') ? renderDecisions(context, place, { row, writesOff }, failed) : ''}`,
  };
}

const rowFieldNames = { text: 'Text', name: 'Payer' } as const;

function renderDecisions(
  context: DashboardContext,
  place: RowPlace,
  { row, writesOff }: Omit<FoundRow, 'statement'>,
  failed: FailedForm | undefined,
): Markup | '' {
  const hint = row.refund
    ? rowTexts.ignoreRefundHint
    : row.payments.length > 0
      ? rowTexts.ignoreRestHint
      : rowTexts.ignoreHint;
  const ignore =
    (row.status === 'unmatched' || row.refund) &&
    html`<section class="card"><p>${hint}</p>${renderIgnore(context, place, row)}</section>`;
  if (row.status === 'matched') return html`${ignore}`;
  if (row.amount < 0)
    return html`<section class="card">${renderWentOut(context, place, row)}</section>${ignore}`;
  const suggested = row.suggestions.map((each) => renderSuggestion(context, place, row, each));
  const recorded = row.recordedPayments.map((each) => renderRecorded(context, place, row, each, failed));
  return html`${recorded.length > 0 && html`<section class="card"><h2>${rowTexts.recorded}</h2>${recorded}</section>`}<section class="card"><h2>${rowTexts.matchTitle}</h2>${row.status === 'ignored' ? html`<p>${rowTexts.ignored}</p>` : ''}${renderMatchForm(context, place, { row, writesOff }, failed)}</section>
<section class="card"><h2>${rowTexts.suggestions}</h2>${suggested.length > 0 ? suggested : html`<p class="soft">${rowTexts.noSuggestions}</p>`}</section>${ignore}`;
}

function renderMatchForm(
  context: DashboardContext,
  { id, currency }: RowPlace,
  { row, writesOff }: Omit<FoundRow, 'statement'>,
  failed: FailedForm | undefined,
): Markup {
  const { errors = {} } = failed?.failure ?? {};
  const { isOffered, content: forced } = forceOf(context, failed?.failure);
  const { invoice, amount } = matchFields;
  const isUsed = errors.reference !== undefined && failed?.fields.get('payment') == null;
  const allow = isUsed && html`<div id="reference">${renderAllow(usedReferenceTexts.allow)}</div>`;
  return renderForm(context, {
    action: context.url(`${rowPathOf(id, row.id)}/match`),
    submit: isOffered ? rowTexts.matchAnyway : rowTexts.match,
    content: html`${renderField({ name: 'invoice', ...invoice, value: failed?.fields.get('invoice') ?? '', error: errors.invoice })}
${renderField({ name: 'amount', label: `${amount.label} (${currency})`, hint: amount.hint, value: failed?.fields.get('amount') ?? toMajorUnits(leftOf(row)), error: errors.amount })}${renderAcceptOver(failed)}${writesOff && renderWriteOff(currency, failed)}${allow}${forced}`,
  });
}

/** Renders what is given up of the invoice, and why. */
function renderWriteOff(currency: Currency, failed: FailedForm | undefined): Markup {
  const { writeOff, reason } = matchFields;
  const [[first]] = reason.choices;
  const value = (name: string) => failed?.fields.get(name) ?? '';
  const amount = renderField({
    name: 'writeOff',
    label: `${writeOff.label} (${currency})`,
    hint: writeOff.hint,
    value: value('writeOff'),
    error: failed?.failure.errors?.writeOff,
  });
  return html`${amount}${renderSelect({ name: 'reason', ...reason, value: value('reason') || first })}`;
}
