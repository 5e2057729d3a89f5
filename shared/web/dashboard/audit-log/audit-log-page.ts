/** Shows the audit log of an account and mode: who did what, when and from where, newest first. */
import { html } from 'hono/html';
import { auditActions } from '../../../base/audit-origin.ts';
import type { Owner } from '../../../base/ids.ts';
import { readKeyNames } from '../../../domain/accounts/key-names.ts';
import { listAuditLogQuery, type ShownAuditEntry } from '../../../domain/audit/entry.ts';
import { listAuditPage } from '../../../domain/audit/listing.ts';
import { readMembers } from '../../../domain/users/member-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import { filterChoices, renderLine, renderStatus } from '../records/record-elements.ts';
import { renderCursorPages, renderList } from '../records/record-list.ts';
import { textFor } from '../records/record-texts.ts';
import { renderShortTime, type ZoneContext } from '../times.ts';
import { auditLogTexts } from './audit-log-texts.ts';

export const auditLogPage: DashboardPage = {
  path: '/settings/audit-log',
  ability: 'audit-log:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listAuditLogQuery, request, ['action', 'before']);
    const owner = requestOwnerOf(request);
    const [{ data, cursor }, names] = await Promise.all([
      listAuditPage(owner, query, context.now),
      readNames(owner),
    ]);
    const isLaterPage = query.before !== undefined;
    const next = cursor.hasMore ? cursor.next : undefined;
    const { columns } = auditLogTexts;
    const filters = {
      action: {
        label: columns.action,
        value: typedValue(request.query, 'action'),
        choices: filterChoices(auditActions, auditLogTexts.actions),
      },
    };
    return {
      title: auditLogTexts.title,
      section: 'settings',
      content: html`<p class="soft">${auditLogTexts.about}</p>
${renderList({
  link: context.url('/settings/audit-log'),
  filters,
  errors,
  table: data.length > 0 ? renderEntries(context, data, names) : undefined,
  pages: (linkTo) => renderCursorPages(linkTo, { isLaterPage, next }, auditLogTexts),
  isLaterPage,
  empty: auditLogTexts.empty,
  noMatch: auditLogTexts.noMatch,
})}`,
    };
  },
};

/** The names of API keys, and the addresses of members and of invited people, by id. */
type Names = ReadonlyMap<string, string>;

async function readNames(owner: Owner): Promise<Names> {
  const [keys, { members, invitations }] = await Promise.all([
    readKeyNames(owner),
    readMembers(owner.account),
  ]);
  const people = [
    ...invitations.flatMap(({ id, acceptedBy, email }) =>
      [id, ...(acceptedBy ? [acceptedBy] : [])].map((each) => [each, email] as const),
    ),
    ...members.map(({ user, email }) => [user, email] as const),
  ].filter(([, email]) => email !== '');
  return new Map([...keys, ...people]);
}

/** Renders the name of a person or of a key, or the id of anything else, also of a person who is no longer a member. */
function renderName(id: string, names: Names): Markup {
  const name = names.get(id);
  return name === undefined
    ? html`<span class="id">${renderLine(id, 60)}</span>`
    : html`<span title="${id}">${renderLine(name, 60)}</span>`;
}

function renderEntries(zone: ZoneContext, entries: readonly ShownAuditEntry[], names: Names): Markup {
  const columns = Object.values(auditLogTexts.columns).map((title) => ({ title }));
  const rows = entries.map(({ timestamp, actor, action, outcome, resource, source, changes }) => [
    renderShortTime(zone, Date.parse(timestamp)),
    html`${textFor(auditLogTexts.actors, actor.type)}${actor.id === null ? '' : html`<br>${renderName(actor.id, names)}`}`,
    html`<span title="${action}">${textFor(auditLogTexts.actions, action)}</span>${outcome === 'done' ? '' : html` ${renderStatus(outcome, auditLogTexts.outcomes)}`}`,
    resource === null ? '' : renderName(resource, names),
    html`${changes.map(({ field, before, after }) => html`<div>${renderLine(`${names.get(field) ?? field}: ${before ?? '–'} → ${after ?? '–'}`, 120)}</div>`)}`,
    source === null ? '' : html`<span class="id">${source}</span>`,
  ]);
  return renderTable(auditLogTexts.title, columns, rows);
}
