/** Serves the pages of drafts: the list, one draft, and the forms. Writes nothing. */
import { html } from 'hono/html';
import type { Owner } from '../../../base/ids.ts';
import { showMetadata } from '../../../base/metadata.ts';
import { type Draft, listDraftsQuery, type ShownDraft } from '../../../domain/drafts/draft.ts';
import { listDraftPage, readDraft, readDraftIndex } from '../../../domain/drafts/draft-store.ts';
import { draftType } from '../../../domain/drafts/record.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardRequest, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { parseListQuery } from '../records/list-query.ts';
import {
  renderButtonLink,
  renderIdLink,
  renderLine,
  renderShortIdLink,
  renderText,
} from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime, renderTime } from '../times.ts';
import { judgeDraft } from './draft-form.ts';
import { draftTexts } from './draft-texts.ts';
import {
  amountText,
  customerOfDraft,
  showDraftDeleteForm,
  showDraftEditForm,
  showDraftSummary,
  showFinalizeForm,
} from './draft-views.ts';
import { scheduleRows } from './invoice-detail.ts';
import { invoiceTexts } from './invoice-texts.ts';

const list: DashboardPage = {
  path: '/drafts',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listDraftsQuery, request, ['offset']);
    const owner = requestOwnerOf(request);
    const [{ principal }, seller, view] = await Promise.all([
      readAccountUsage(owner, context.now),
      readSellerSummary(owner),
      readDraftIndex(owner),
    ]);
    const { offset, limit } = query;
    const page = { offset, limit, isReadOnly: true };
    const { data, pagination } = await listDraftPage(
      { ...principal, seller },
      view,
      page,
      context.moment.account,
    );
    const names = await readCustomerNames(owner, data.map(customerOfDraft));
    return {
      title: draftTexts.title,
      section: 'invoices',
      aside: context.can('invoices:write')
        ? renderButtonLink(context.url('/invoices/new'), draftTexts.create, '')
        : undefined,
      content: renderList({
        link: context.url('/drafts'),
        filters: {},
        errors,
        ...offsetPartOf(data, pagination, renderDraftTable(context, data, names)),
        empty: draftTexts.empty,
        noMatch: draftTexts.empty,
      }),
    };
  },
};

function renderDraftTable(
  context: DashboardContext,
  drafts: readonly ShownDraft[],
  names: CustomerNames,
): Markup {
  const columns = [
    { title: draftTexts.one },
    { title: draftTexts.amount, isNumber: true as const },
    { title: fieldNames.customer },
    { title: fieldNames.description },
    { title: fieldNames.changed },
  ];
  const rows = drafts.map((draft) => [
    renderShortIdLink(context, '/drafts', draft.id),
    amountText(draft.computedAmount, draft.currency),
    renderCustomerName(context, names, customerOfDraft(draft)),
    renderLine(draft.description ?? ''),
    renderShortTime(context, Date.parse(draft.updatedAt)),
  ]);
  return renderTable(draftTexts.table, columns, rows);
}

const detail: DashboardPage = {
  path: '/drafts/:id',
  ability: 'account:read',
  handle: async (request) => {
    const draft = await findDraft(request);
    if (!draft) return undefined;
    const { context } = request;
    const { id, createdAt, updatedAt, invoiceId } = draft;
    const times = [
      ...scheduleRows(context, draft),
      [fieldNames.id, renderId(id)],
      [fieldNames.created, renderTime(context, createdAt)],
      [fieldNames.changed, renderTime(context, updatedAt)],
    ] as const;
    if (invoiceId !== undefined)
      return viewOf(
        html`<p>${draftTexts.finalized}</p>${renderDefinitions([[fieldNames.invoice, renderIdLink(context, '/invoices', invoiceId)], ...times])}`,
      );
    const owner = requestOwnerOf(request);
    const seller = await readSellerSummary(owner);
    const { result, totals } = await judgeDraft(owner, draft, seller, context.moment.account);
    const metadata = Object.entries(showMetadata(draft.metadata)).map(
      ([key, text]) => [html`${fieldNames.metadata}: ${isolateDirection(key)}`, renderText(text)] as const,
    );
    return viewOf(
      html`${renderMissing(result)}${await showDraftSummary(context, draft, totals)}${renderDefinitions([...times, ...metadata])}`,
      context.can('invoices:write') ? renderDraftActions(context, id) : undefined,
    );
  },
};

/** Says what a draft lacks before it can become an invoice. */
function renderMissing(result: Awaited<ReturnType<typeof judgeDraft>>['result']): Markup {
  if (result.ok) return html`<p class="hint">${draftTexts.ready}</p>`;
  return html`<div class="notice"><p>${draftTexts.missing}</p><ul class="notes">${Object.values(result.errors).map((error) => html`<li>${error}</li>`)}</ul></div>`;
}

function renderDraftActions({ url }: DashboardContext, id: string): Markup {
  return html`<div class="buttons">${renderButtonLink(url(`/drafts/${id}/finalize`), draftTexts.finalize, '')}${renderButtonLink(url(`/drafts/${id}/edit`), draftTexts.edit)}${renderButtonLink(`${url('/schedules/new')}?from=${id}`, invoiceTexts.repeat)}${renderButtonLink(url(`/drafts/${id}/delete`), draftTexts.delete)}</div>`;
}

const viewOf = (content: Markup, aside?: Markup): DashboardView => ({
  title: draftTexts.one,
  section: 'invoices',
  aside,
  content: html`<section class="card">${content}</section>`,
});

export const draftPages: readonly DashboardPage[] = [
  list,
  formPage('/drafts/:id/edit', showDraftEditForm),
  formPage('/drafts/:id/delete', showDraftDeleteForm),
  formPage('/drafts/:id/finalize', showFinalizeForm),
  detail,
];

function formPage(
  path: string,
  show: (context: DashboardContext, draft: Draft) => DashboardView | Promise<DashboardView>,
): DashboardPage {
  return {
    path,
    ability: 'invoices:write',
    handle: async (request) => {
      const draft = await findDraft(request);
      return draft?.status === 'open' ? show(request.context, draft) : undefined;
    },
  };
}

/** Reads a draft. Returns undefined if it does not exist, or is deleted. */
async function findDraft(request: DashboardRequest): Promise<Draft | undefined> {
  const { id = '' } = request.params;
  const owner: Owner = requestOwnerOf(request);
  if (!draftType.isId(id)) return undefined;
  const { record } = await readDraft(owner, id);
  return record?.status === 'deleted' ? undefined : record;
}
