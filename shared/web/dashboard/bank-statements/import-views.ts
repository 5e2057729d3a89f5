/** Renders the two forms of an import: the one with the file, and the one with what was read from it. */
import { html } from 'hono/html';
import { type Currency, currencies, formatAmount } from '../../../base/money.ts';
import { type ColumnField, columnFields } from '../../../domain/statements/csv/columns.ts';
import type { CsvStatement } from '../../../domain/statements/csv/read-csv.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm, Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderField, renderFileField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { renderAmount, renderButtonLink, renderFailure, renderLine } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { bankStatementTexts, columnTexts, previewTexts, uploadFields } from './bank-statement-texts.ts';
import { columnName, noColumn, packFile, type SentFile } from './sent-file.ts';

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
${renderFileField({ name: 'file', ...uploadFields.file, accept: '.csv,.txt,text/csv', error: errors.file })}`;
  const form = renderForm(context, {
    action: context.url('/bank-statements/new'),
    submit: previewTexts.show,
    content,
    hasFile: true,
  });
  return {
    title: bankStatementTexts.create,
    section: 'bank-statements',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${form}<p class="hint">${previewTexts.showHint}</p>${renderBackToList(context)}</section>`,
  };
}

/** What the second form shows. */
export interface Preview {
  readonly file: SentFile;
  /** Undefined: the rows cannot be read with these columns. */
  readonly statement: CsvStatement | undefined;
  /** The names of all columns of the file. */
  readonly names: readonly string[];
  readonly failure?: Failure | undefined;
}

/** Shows what was read from a file, with the form that chooses its columns and imports its rows. */
export function showPreview(context: DashboardContext, preview: Preview): DashboardView {
  const { file, statement, failure } = preview;
  const form = renderForm(context, {
    action: context.url('/bank-statements/import'),
    submit: statement ? previewTexts.import : previewTexts.again,
    others:
      statement && html`<button class="plain" name="step" value="preview">${previewTexts.again}</button>`,
    content: html`${renderHiddenInput('bank', file.bank)}${renderHiddenInput('currency', file.currency)}${renderHiddenInput('content', packFile(file.bytes))}<h2>${previewTexts.columns}</h2>${renderColumns(preview)}`,
  });
  return {
    title: previewTexts.title,
    section: 'bank-statements',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}${statement && html`<section class="card">${renderRows(file.currency, statement)}</section>`}<section class="card">${form}${renderBackToList(context)}</section>`,
  };
}

function renderRows(currency: Currency, { rows, skipped, isDayFormAssumed }: CsvStatement): Markup {
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
  return html`<p><strong>${previewTexts.found(rows.length, sumOf(true), sumOf(false))}</strong> ${skipped > 0 ? previewTexts.skipped(skipped) : ''}</p>
${isDayFormAssumed ? html`<p class="wrong">${previewTexts.assumedDays}</p>` : ''}<p>${previewTexts.nothingStored}</p>
${renderTable(previewTexts.first(cells.length), columns, cells)}`;
}

function renderColumns({ file, statement, names }: Preview): Markup {
  const shown = names.slice(0, maxNames).filter((name) => name.length <= maxNameLength);
  const choices = [
    [noColumn, previewTexts.none],
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
    label: previewTexts.dayForm.label,
    choices: Object.entries(previewTexts.dayForms),
    value: statement?.dayForm ?? file.dayForm ?? 'dmy',
  });
  return html`${columnFields.map(selectOf)}${dayForm}`;
}

const renderBackToList = ({ url }: DashboardContext) =>
  html`<p>${renderButtonLink(url('/bank-statements'), bankStatementTexts.backToList)}</p>`;
