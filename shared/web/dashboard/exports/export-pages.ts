/** Serves the pages of exports: the list, one export with its files, and the form. Writes nothing. */
import { html } from 'hono/html';
import { type Export, listExportsQuery, type ShownExport } from '../../../domain/exports/export.ts';
import {
  listExportPage,
  readExport,
  readExportIndex,
  showWithLinks,
} from '../../../domain/exports/export-store.ts';
import { exportType } from '../../../domain/exports/record.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { parseListQuery } from '../records/list-query.ts';
import { renderButtonLink, renderShortIdLink, renderStatus } from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames, textFor } from '../records/record-texts.ts';
import { renderShortTime, renderTime } from '../times.ts';
import { kindOf, readableKinds, valuesOfLink } from './export-form.ts';
import { exportFields, exportTexts } from './export-texts.ts';
import { showExportForm } from './export-views.ts';

const ability = 'records:export';
/** How often a page looks whether the files are ready. */
const refreshSeconds = 3;

const list: DashboardPage = {
  path: '/exports',
  ability,
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listExportsQuery, request, ['offset']);
    const owner = requestOwnerOf(request);
    const [{ principal }, view] = await Promise.all([
      readAccountUsage(owner, context.now),
      readExportIndex(owner),
    ]);
    const { offset, limit } = query;
    const { data, pagination } = await listExportPage(principal, view, { offset, limit, isReadOnly: true });
    return {
      title: exportTexts.title,
      section: 'settings',
      aside: renderButtonLink(context.url('/exports/new'), exportTexts.create, ''),
      content: renderList({
        link: context.url('/exports'),
        filters: {},
        errors,
        ...offsetPartOf(data, pagination, renderExportTable(context, data)),
        empty: exportTexts.empty,
        noMatch: exportTexts.empty,
      }),
    };
  },
};

function renderExportTable(context: DashboardContext, records: readonly ShownExport[]): Markup {
  const columns = [
    { title: exportTexts.one },
    { title: fieldNames.type },
    { title: exportTexts.range },
    { title: fieldNames.status },
    { title: exportTexts.rows, isNumber: true as const },
    { title: fieldNames.created },
  ];
  const rows = records.map(({ id, kind, from, to, status, rows: count, createdAt }) => [
    renderShortIdLink(context, '/exports', id),
    textFor(exportTexts.kinds, kind),
    exportTexts.rangeOf(from, to),
    renderStatus(status),
    count.toLocaleString('en-US'),
    renderShortTime(context, Date.parse(createdAt)),
  ]);
  return renderTable(exportTexts.table, columns, rows);
}

const newExport: DashboardPage = {
  path: '/exports/new',
  ability,
  handle: async ({ context, query }) => showExportForm(context, kindOf(context, query), valuesOfLink(query)),
};

const detail: DashboardPage = {
  path: '/exports/:id',
  ability,
  handle: async (request) => {
    const { context, params } = request;
    const { id = '' } = params;
    if (!exportType.isId(id)) return undefined;
    const { record } = await readExport(requestOwnerOf(request), id);
    if (!record || !readableKinds(context).includes(record.kind)) return undefined;
    const shown = await showWithLinks(record, context.moment.real);
    return {
      title: `${exportTexts.one}: ${textFor(exportTexts.kinds, record.kind)}`,
      section: 'settings',
      aside: renderButtonLink(context.url('/exports'), exportTexts.back),
      content: html`<section class="card">${renderFiles(record, shown, context)}</section><section class="card">${renderExport(context, record, shown)}</section>`,
      refreshSeconds: record.status === 'running' ? refreshSeconds : undefined,
    };
  },
};

function renderFiles(record: Export, { parts, failure }: ShownExport, context: DashboardContext): Markup {
  const { keptUntil = 0, status } = record;
  if (failure !== null) return html`<p>${textFor(exportTexts.failures, failure)}</p>`;
  if (status === 'running') return html`<p role="status">${exportTexts.running}</p>`;
  if (context.moment.real >= keptUntil) return html`<p>${exportTexts.expired}</p>`;
  const links = parts.map(({ rows, bytes, url }, index) => {
    const text =
      parts.length === 1 ? exportTexts.download : exportTexts.downloadPart(index + 1, parts.length);
    const about = exportTexts.rowsOf(rows, sizeOf(bytes));
    return html`<p>${url === null ? '' : renderButtonLink(url, text, '')} <span class="soft">${about}</span></p>`;
  });
  const none = record.rows === 0 ? html`<p>${exportTexts.noFile}</p>` : '';
  return html`<h2>${exportTexts.files}</h2>${none}${links}`;
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

function renderExport(context: DashboardContext, record: Export, shown: ShownExport): Markup {
  const { asOf, createdAt, keptUntil, leftOut } = record;
  const chosen = Object.entries(shown.filters).flatMap(([name, value]) =>
    value === null ? [] : [`${exportFields[name as keyof typeof exportFields].label}: ${value}`],
  );
  return renderDefinitions([
    [fieldNames.id, renderId(record.id)],
    [fieldNames.status, renderStatus(record.status)],
    [exportTexts.range, exportTexts.rangeOf(record.from, record.to)],
    chosen.length > 0 ? [exportTexts.filters, chosen.join(', ')] : undefined,
    [exportFields.format.label, textFor(exportTexts.formats, record.format)],
    [exportTexts.rows, record.rows.toLocaleString('en-US')],
    leftOut > 0 ? [exportTexts.leftOut, leftOut.toLocaleString('en-US')] : undefined,
    [fieldNames.created, renderTime(context, createdAt)],
    asOf === undefined ? undefined : [exportTexts.asOf, renderTime(context, asOf)],
    keptUntil === undefined ? undefined : [exportTexts.expires, renderTime(context, keptUntil)],
  ]);
}

/** The form is before the page of one export, because `new` is not an id. */
export const exportPages: readonly DashboardPage[] = [list, newExport, detail];
