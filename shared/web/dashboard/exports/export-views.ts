/** Renders the pages with the form of a new export. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import type { ExportKind } from '../../../domain/exports/export-kinds.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderForm, renderSelect } from '../forms.ts';
import type { SentFields } from '../input/form-fields.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { readableKinds, renderExportFields } from './export-form.ts';
import { exportTexts } from './export-texts.ts';

/** Shows the form of a kind, or the choice of a kind. */
export function showExportForm(
  context: DashboardContext,
  kind: ExportKind | undefined,
  values: SentFields,
  failed?: FailedForm,
): DashboardView {
  const form = kind === undefined ? renderKinds(context) : renderExportForm(context, kind, values, failed);
  return {
    title: kind === undefined ? exportTexts.create : `${exportTexts.one}: ${exportTexts.kinds[kind]}`,
    section: 'settings',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card"><p class="soft">${exportTexts.about}</p>${form}</section>`,
  };
}

function renderExportForm(
  context: DashboardContext,
  kind: ExportKind,
  values: SentFields,
  failed: FailedForm | undefined,
): Markup {
  const form = renderForm(context, {
    action: context.url('/exports/new'),
    submit: exportTexts.create,
    content: renderExportFields(kind, values, failed),
  });
  return html`${form}<p>${renderButtonLink(context.url('/exports/new'), exportTexts.otherKind)}</p>`;
}

function renderKinds(context: DashboardContext): Markup {
  const choices = readableKinds(context).map((kind) => [kind, exportTexts.kinds[kind]] as const);
  return html`<form method="get" action="${context.url('/exports/new')}" class="fields">${renderSelect({ name: 'kind', label: exportTexts.choose, value: '', choices })}<div class="buttons"><button>${exportTexts.next}</button></div></form>`;
}
