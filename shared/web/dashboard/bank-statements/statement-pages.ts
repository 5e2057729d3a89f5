/** Serves the pages of bank statements: the list, the form with the file, one statement with its rows, and one row. Writes nothing. */
import { html } from 'hono/html';
import {
  listRowsQuery,
  listStatementsQuery,
  type ShownStatement,
} from '../../../domain/statements/statement.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderTable } from '../elements.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import { filterChoices, renderButtonLink, renderLine } from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime, renderTime } from '../times.ts';
import { bankStatementTexts } from './bank-statement-texts.ts';
import { showUploadForm } from './import-views.ts';
import { renderRowTable, showRowPage } from './row-views.ts';
import { findRow, findStatement, readBanks, readRows, readStatements } from './statement-queries.ts';

const path = '/bank-statements';
/** Until all rows were tried, a page opens again. */
const refreshSeconds = 3;
/** How many rows a page shows. Each one that waits has up to two forms. */
const rowsOfPage = 10;

const list: DashboardPage = {
  path,
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listStatementsQuery, request, ['offset']);
    const { data, pagination } = await readStatements(request, query);
    return {
      title: bankStatementTexts.title,
      section: 'bank-statements',
      aside: renderImportButton(context),
      content: renderList({
        link: context.url(path),
        filters: {},
        errors,
        ...offsetPartOf(data, pagination, renderStatementTable(context, data)),
        empty: bankStatementTexts.empty,
        noMatch: bankStatementTexts.empty,
      }),
    };
  },
};

const renderImportButton = (context: DashboardContext) =>
  context.can('payments:record')
    ? renderButtonLink(context.url(`${path}/new`), bankStatementTexts.create, '')
    : undefined;

const daysOf = ({ firstDay, lastDay }: Pick<ShownStatement, 'firstDay' | 'lastDay'>) =>
  firstDay === lastDay ? firstDay : `${firstDay} – ${lastDay}`;

function renderStatementTable(context: DashboardContext, statements: readonly ShownStatement[]): Markup {
  const columns = [
    { title: fieldNames.bank },
    { title: bankStatementTexts.days },
    { title: fieldNames.currency },
    { title: bankStatementTexts.rows, isNumber: true as const },
    { title: fieldNames.status },
    { title: bankStatementTexts.imported },
  ];
  const rows = statements.map((statement) => [
    html`<a href="${context.url(`${path}/${statement.id}`)}">${renderLine(statement.bank)}</a>`,
    daysOf(statement),
    statement.currency,
    String(statement.rowCount),
    bankStatementTexts.statuses[statement.status] ?? statement.status,
    renderShortTime(context, Date.parse(statement.createdAt)),
  ]);
  return renderTable(bankStatementTexts.table, columns, rows);
}

const uploadPage: DashboardPage = {
  path: `${path}/new`,
  ability: 'payments:record',
  handle: async (request) => showUploadForm(request.context, await readBanks(request)),
};

const detail: DashboardPage = {
  path: `${path}/:id`,
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const found = await findStatement(request);
    if (!found) return undefined;
    const { statement } = found;
    const { query, errors } = parseListQuery(listRowsQuery, request, ['offset', 'status']);
    const { data, pagination, waiting } = await readRows(request, found, { ...query, limit: rowsOfPage });
    const isMatching = statement.status === 'matching';
    const statuses = Object.keys(bankStatementTexts.rowStatuses);
    return {
      title: bankStatementTexts.one,
      section: 'bank-statements',
      aside: renderImportButton(context),
      refreshSeconds: isMatching ? refreshSeconds : undefined,
      content: html`<section class="card"><p><strong>${isMatching ? bankStatementTexts.matching : bankStatementTexts.waiting(waiting)}</strong></p>
${renderDefinitions([
  [fieldNames.bank, renderLine(statement.bank)],
  [bankStatementTexts.days, daysOf(statement)],
  [bankStatementTexts.rows, String(statement.rowCount)],
  [bankStatementTexts.imported, renderTime(context, statement.createdAt)],
])}</section>${renderList({
        link: context.url(`${path}/${statement.id}`),
        heading: bankStatementTexts.rows,
        filters: {
          status: {
            label: fieldNames.status,
            value: typedValue(request.query, 'status'),
            choices: filterChoices(statuses, bankStatementTexts.rowStatuses),
          },
        },
        errors,
        ...offsetPartOf(data, pagination, renderRowTable(context, statement, data)),
        empty: bankStatementTexts.noRows,
        noMatch: bankStatementTexts.noRows,
      })}`,
    };
  },
};

const rowPage: DashboardPage = {
  path: `${path}/:id/rows/:row`,
  ability: 'account:read',
  handle: async (request) => {
    const shown = await findRow(request);
    return shown && showRowPage(request.context, shown);
  },
};

/** The form before the page of one statement, because `new` is not an id. */
export const bankStatementPages: readonly DashboardPage[] = [list, uploadPage, rowPage, detail];
