/** Shows the audit log of an account and mode: who did what, when and from where, newest first. */
import { html } from 'hono/html';
import { listAuditLogQuery, type ShownAuditEntry } from '../../audit/entry.ts';
import { listAuditPage } from '../../audit/listing.ts';
import { auditActions } from '../../audit-origin.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderBadge, renderTable } from '../elements.ts';
import { parseListQuery } from '../records/list-query.ts';
import { filterChoices, renderFailure, renderLine, renderShortTime } from '../records/record-elements.ts';
import { renderCursorPages, renderList } from '../records/record-list.ts';
import { auditLogTexts } from './audit-log-texts.ts';

export const auditLogPage: DashboardPage = {
  path: '/settings/audit-log',
  ability: 'audit-log:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listAuditLogQuery, request.query, ['action', 'before']);
    const { data, cursor } = await listAuditPage(requestOwnerOf(request), query, context.now);
    const { action, before } = query;
    const isLaterPage = before !== undefined;
    const next = cursor.hasMore ? cursor.next : undefined;
    const [error] = Object.values(errors);
    const { columns } = auditLogTexts;
    return {
      title: auditLogTexts.title,
      section: 'settings',
      content: html`${renderFailure(error === undefined ? undefined : { alert: error })}<p class="soft">${auditLogTexts.about}</p>
${renderList({
  link: context.url('/settings/audit-log'),
  filters: { action: { label: columns.action, value: action, choices: filterChoices(auditActions, {}) } },
  table: data.length > 0 ? renderEntries(data) : undefined,
  pages: (linkTo) => renderCursorPages(linkTo, { isLaterPage, next }, auditLogTexts),
  isLaterPage,
  empty: auditLogTexts.empty,
  noMatch: auditLogTexts.noMatch,
})}`,
    };
  },
};

function renderEntries(entries: readonly ShownAuditEntry[]): Markup {
  const columns = Object.values(auditLogTexts.columns).map((title) => ({ title }));
  const rows = entries.map(({ timestamp, actor, action, outcome, resource, source, changes }) => [
    renderShortTime(Date.parse(timestamp)),
    html`${auditLogTexts.actors[actor.type]}${actor.id === null ? '' : html`<br><span class="id">${renderLine(actor.id, 60)}</span>`}`,
    html`${action}${outcome === 'done' ? '' : html` ${renderBadge(outcome, outcome === 'failed' ? 'bad' : 'neutral')}`}`,
    resource === null ? '' : html`<span class="id">${resource}</span>`,
    html`${changes.map(({ field, before, after }) => html`<div>${renderLine(`${field}: ${before ?? '–'} → ${after ?? '–'}`, 120)}</div>`)}`,
    source === null ? '' : html`<span class="id">${source}</span>`,
  ]);
  return renderTable(auditLogTexts.title, columns, rows);
}
