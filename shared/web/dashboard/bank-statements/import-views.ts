/** Renders the two forms of an import: the one with the file, and the one with what was read from it. */
import { html } from 'hono/html';
import { currencies, formatAmount } from '../../../base/money.ts';
import { type ColumnField, columnFields } from '../../../domain/statements/column-mapping.ts';
import type { FileStatement } from '../../../domain/statements/files/read-file.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm, Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderField, renderFileField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { renderAmount, renderButtonLink, renderFailure, renderLine } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { bankStatementTexts, columnTexts, importTexts, uploadFields } from './bank-statement-texts.ts';
import { columnName, noColumn, type SentFile } from './sent-file.ts';

/** How many rows the preview shows. */
const shownRows = 10;
/** A file with more columns, or longer names, would make the page too large. */
const maxNames = 25;
const maxNameLength = 60;

/** Shows the form with the file. @param banks those of earlier statements */
export function showUploadForm(
  context: DashboardContext,
  banks: readonly string[],
  failed?: FailedForm,
): DashboardView {
  const { errors = {} } = failed?.failure ?? {};
  const value = (name: string) => failed?.fields.get(name) ?? '';
  const content = html`${renderField({ name: 'bank', ...uploadFields.bank, value: value('bank'), error: errors.bank, suggestions: banks.map((bank) => [bank, '']) })}
${renderSelect({ name: 'currency', label: uploadFields.currency.label, choices: currencies.map((each) => [each, each]), value: value('currency'), error: errors.currency })}
${renderFileField({ name: 'file', ...uploadFields.file, accept: '.csv,.txt,.xml,text/csv,text/xml,application/xml', error: errors.file })}`;
  const form = renderForm(context, {
    action: context.url('/bank-statements/new'),
    submit: importTexts.show,
    content,
    hasFile: true,
  });
  return {
    title: bankStatementTexts.create,
    section: 'bank-statements',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${form}<p class="hint">${importTexts.showHint}</p>${renderBackToList(context)}</section>`,
  };
}

/** What the second form shows. */
export interface Preview {
  readonly file: SentFile;
  /** Undefined: the rows cannot be read with these columns. */
  readonly statement: FileStatement | undefined;
  /** The names of all columns of the file. XML has none. */
  readonly names: readonly string[];
  readonly failure?: Failure | undefined;
  /** The columns, and the form of days if the file does not show it, are those of the last import of the bank. */
  readonly isKept?: boolean;
}

/** Shows what was read from a file, with the form that chooses its columns and imports its rows. */
export function showPreview(context: DashboardContext, preview: Preview): DashboardView {
  const { statement, failure, file } = preview;
  const form = renderForm(context, {
    action: context.url('/bank-statements/import'),
    submit: statement ? importTexts.import : importTexts.again,
    others:
      statement?.format === 'csv'
        ? html`<button class="plain" name="step" value="preview">${importTexts.again}</button>`
        : undefined,
    content: html`${renderHiddenInput('bank', file.bank)}${renderHiddenInput('currency', file.currency)}${renderHiddenInput('file', file.id ?? '')}${renderColumns(preview)}`,
  });
  return {
    title: importTexts.title,
    section: 'bank-statements',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}${statement && html`<section class="card">${renderRows(preview, statement)}</section>`}<section class="card">${form}${renderBackToList(context)}</section>`,
  };
}

function renderRows({ file, isKept = false }: Preview, statement: FileStatement): Markup {
  const { currency, dayForm } = file;
  const { rows, skipped, format } = statement;
  const skippedText = format === 'csv' ? importTexts.skipped : importTexts.skippedEntries;
  const isAssumed = format === 'csv' && (statement.isDayFormAssumed || (isKept && dayForm !== undefined));
  const sumOf = (isIn: boolean) =>
    formatAmount(
      rows.reduce((sum, { amount }) => (amount > 0 === isIn ? sum + Math.abs(amount) : sum), 0),
      currency,
    );
  const columns = [
    { title: bankStatementTexts.day },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.reference },
    { title: columnTexts.text },
    { title: columnTexts.name },
  ];
  const cells = rows
    .slice(0, shownRows)
    .map(({ day, amount, reference, text, name }) => [
      day,
      renderAmount(amount, currency),
      renderLine(reference ?? ''),
      renderLine(text ?? ''),
      renderLine(name ?? ''),
    ]);
  return html`<p><strong>${importTexts.found(rows.length, sumOf(true), sumOf(false))}</strong> ${skipped > 0 ? skippedText(skipped) : ''}</p>
${isKept ? html`<p>${importTexts.kept}</p>` : ''}${isAssumed ? html`<p class="wrong">${importTexts.assumedDays}</p>` : ''}<p>${importTexts.nothingStored}</p>
${renderTable(importTexts.first(cells.length), columns, cells)}`;
}

/** Renders the choice of the columns. A file of XML has none. */
function renderColumns({ file, statement, names }: Preview): Markup | '' {
  if (statement && statement.format !== 'csv') return '';
  const shown = names.slice(0, maxNames).filter((name) => name.length <= maxNameLength);
  const choices = [
    [noColumn, importTexts.none],
    ...shown.map((name) => [name, name] as const),
  ] as readonly (readonly [string, string])[];
  const chosen = statement?.columns ?? file.columns;
  const selectOf = (field: ColumnField) =>
    renderSelect({
      name: columnName(field),
      label: columnTexts[field],
      choices,
      value: chosen[field] || noColumn,
    });
  const dayForm = renderSelect({
    name: 'dayForm',
    label: importTexts.dayForm.label,
    choices: Object.entries(importTexts.dayForms),
    value: statement?.dayForm ?? file.dayForm ?? 'dmy',
  });
  return html`<h2>${importTexts.columns}</h2>${columnFields.map(selectOf)}${dayForm}`;
}

const renderBackToList = ({ url }: DashboardContext) =>
  html`<p>${renderButtonLink(url('/bank-statements'), bankStatementTexts.backToList)}</p>`;
