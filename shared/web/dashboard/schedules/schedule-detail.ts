/** Shows a schedule: when it makes what, its next times, and what came of those that have passed. */
import { html } from 'hono/html';
import type { Owner } from '../../../base/ids.ts';
import { formatAmount } from '../../../base/money.ts';
import {
  listOccurrencesQuery,
  type PlannedOccurrence,
  type Schedule,
  type ShownOccurrence,
  statusOf,
} from '../../../domain/schedules/schedule.ts';
import { listOccurrences } from '../../../domain/schedules/schedule-list-store.ts';
import { type LoadedSchedule, readSchedule } from '../../../domain/schedules/schedule-store.ts';
import { previewSchedule } from '../../../operations/schedules/preview.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { type Failure, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardRequest, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { judgeDraft } from '../invoices/draft-form.ts';
import { showDraftSummary } from '../invoices/draft-views.ts';
import { listLink, parseListQuery } from '../records/list-query.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { renderCursorPages } from '../records/record-list.ts';
import { fieldNames, textFor } from '../records/record-texts.ts';
import { renderShortDueDate, renderShortTime, renderTime } from '../times.ts';
import { renderMade, renderPlainDay, renderScheduleStatus, shortDayText } from './schedule-elements.ts';
import {
  choiceText,
  everyText,
  hourText,
  scheduleFields,
  scheduleTexts,
  skipReasonTexts,
} from './schedule-texts.ts';

export const schedulePage: DashboardPage = {
  path: '/schedules/:id',
  ability: 'account:read',
  handle: (request) => showSchedulePage(request),
};

/** Shows a schedule. @param failure why an action had no effect */
export async function showSchedulePage(
  request: DashboardRequest,
  failure?: Failure,
): Promise<DashboardView | undefined> {
  const { context, params } = request;
  const owner = requestOwnerOf(request);
  const [loaded, { principal }, seller] = await Promise.all([
    readSchedule(owner, params.id ?? ''),
    readAccountUsage(owner, context.now),
    readSellerSummary(owner),
  ]);
  const { record: schedule } = loaded;
  if (!schedule) return undefined;
  const { query, errors } = parseListQuery(listOccurrencesQuery, request, ['before']);
  const [planned, { data, cursor }, invoice] = await Promise.all([
    previewSchedule({ ...principal, seller }, loaded, context.moment.account),
    listOccurrences(schedule, { ...query, limit: 20 }),
    showInvoice(request, loaded, seller),
  ]);
  const link = context.url(`/schedules/${schedule.id}`);
  const pages = renderCursorPages(
    (parameters) => listLink(link, parameters),
    { isLaterPage: query.before !== undefined, next: cursor.hasMore ? cursor.next : null },
    scheduleTexts.pages,
  );
  const [refused] = Object.values(errors);
  const hasPages = refused === undefined && (query.before !== undefined || cursor.hasMore);
  const history =
    refused === undefined && data.length > 0
      ? renderHistory(context, data)
      : html`<p class="soft">${refused ?? scheduleTexts.nothingHappened}</p>`;
  return {
    title: scheduleTexts.one,
    section: 'invoices',
    status: failure?.status ?? 200,
    aside: renderLinks(context, schedule),
    content: html`${renderFailure(failure)}${renderStop(schedule)}<section class="card"><h2>${everyText(schedule.every)} ${renderScheduleStatus(schedule)}</h2>
${renderActions(context, schedule)}${renderDefinitions(rowsOf(context, schedule))}</section>
<section class="card"><h2>${scheduleTexts.what}</h2>${invoice}</section>
<section class="card"><h2>${scheduleTexts.planned}</h2>${renderPlanned(context, schedule, loaded, planned.data)}</section>
<section class="card"><h2>${scheduleTexts.history}</h2>${history}${hasPages ? pages : ''}</section>`,
  };
}

/** Renders the invoice that a schedule makes, with what it comes to today. */
async function showInvoice(
  request: DashboardRequest,
  { template }: LoadedSchedule,
  seller: Parameters<typeof judgeDraft>[2],
): Promise<Markup> {
  const { context } = request;
  if (!template) return html`<p>${scheduleTexts.erased}</p>`;
  const owner: Owner = requestOwnerOf(request);
  const { totals } = await judgeDraft(owner, template, seller, context.moment.account);
  return showDraftSummary(context, template, totals);
}

/** Says why a schedule has stopped by itself, and what to do. */
function renderStop({ status, failure }: Schedule): Markup | '' {
  if (!failure || status === 'ended') return '';
  return html`<div class="alert"><p><strong>${scheduleTexts.stopped}</strong> ${failure.message}</p><p>${scheduleTexts.stoppedHint}</p></div>`;
}

function rowsOf(context: DashboardContext, schedule: Schedule): Parameters<typeof renderDefinitions>[0] {
  const { startOn, day, hour, timeZone, endOn, count, dueInDays, makes, late, nextAt } = schedule;
  return [
    [scheduleTexts.nextTime, nextAt === undefined ? scheduleTexts.none : renderTime(context, nextAt)],
    [scheduleFields.startOn.label, renderPlainDay(startOn)],
    day === undefined ? undefined : [scheduleFields.day.label, scheduleTexts.day(day)],
    [scheduleFields.hour.label, scheduleTexts.hourIn(hourText(hour), timeZone)],
    endOn === undefined ? undefined : [scheduleFields.endOn.label, renderPlainDay(endOn)],
    count === undefined ? undefined : [scheduleFields.count.label, String(count)],
    [scheduleFields.mode.label, choiceText(scheduleFields.mode.choices, makes)],
    [fieldNames.due, dueInDays === undefined ? scheduleTexts.dueAsAccount : scheduleTexts.dueIn(dueInDays)],
    [scheduleFields.late.label, choiceText(scheduleFields.late.choices, late)],
    [scheduleTexts.made, String(schedule.made)],
    [fieldNames.id, renderId(schedule.id)],
    [fieldNames.created, renderTime(context, schedule.createdAt)],
    [fieldNames.changed, renderTime(context, schedule.updatedAt)],
  ];
}

function renderLinks({ can, url }: DashboardContext, { id, status }: Schedule): Markup | undefined {
  if (status === 'ended' || !can('invoices:write')) return undefined;
  return html`<div class="buttons">${renderButtonLink(url(`/schedules/${id}/edit`), scheduleTexts.edit)}${renderButtonLink(url(`/schedules/${id}/end`), scheduleTexts.end)}</div>`;
}

/** Renders the buttons that change a schedule at once. Each names the version that the user sees. */
function renderActions(context: DashboardContext, schedule: Schedule): Markup | '' {
  const status = statusOf(schedule);
  if (status === 'ended' || !context.can('invoices:write')) return '';
  const button = (action: 'pause' | 'resume' | 'skip' | 'run') =>
    renderForm(context, {
      action: context.url(`/schedules/${schedule.id}/${action}`),
      submit: scheduleTexts[action],
      style: action === 'resume' ? undefined : 'plain',
      content: renderHiddenInput('seen', schedule.objectVersion),
    });
  const actions = status === 'paused' ? (['resume'] as const) : (['run', 'skip', 'pause'] as const);
  return html`<div class="buttons">${actions.map(button)}</div>`;
}

function renderPlanned(
  context: DashboardContext,
  schedule: Schedule,
  { template }: LoadedSchedule,
  planned: readonly PlannedOccurrence[],
): Markup {
  const status = statusOf(schedule);
  const isPaused = status === 'paused' && planned.length > 0;
  const hint =
    planned.length === 0 || isPaused ? html`<p class="soft">${scheduleTexts.nothingPlanned[status]}</p>` : '';
  if (planned.length === 0) return html`${hint}`;
  const currency = template?.content.currency;
  const columns = [
    { title: scheduleTexts.number },
    { title: scheduleTexts.at },
    { title: scheduleTexts.period },
    { title: fieldNames.due },
    { title: fieldNames.amount, isNumber: true as const },
  ];
  const rows = planned.map(({ number, at, period, dueDate, amount, problem }) => [
    scheduleTexts.through(number, number),
    renderShortTime(context, Date.parse(at)),
    periodText(period),
    dueDate === null ? '' : renderShortDueDate(context, dueDate),
    problem !== null || amount === null || !currency
      ? scheduleTexts.notPossible
      : formatAmount(amount, currency),
  ]);
  const problems = [...new Set(planned.flatMap(({ problem }) => problem ?? []))];
  return html`${hint}${problems.map((problem) => html`<p class="wrong">${problem}</p>`)}${renderTable(scheduleTexts.plannedTable, columns, rows)}`;
}

const periodText = ({ start, end }: PlannedOccurrence['period']): string =>
  scheduleTexts.days(shortDayText(start), shortDayText(end));

function renderHistory(context: DashboardContext, occurrences: readonly ShownOccurrence[]): Markup {
  const titles = [scheduleTexts.number, scheduleTexts.period, scheduleTexts.result, scheduleTexts.at];
  const rows = occurrences.map(({ number, through, period, invoiceId, draftId, reason, at }) => {
    const id = invoiceId ?? draftId;
    return [
      scheduleTexts.through(number, through),
      periodText(period),
      id === null ? (reason === null ? '' : textFor(skipReasonTexts, reason)) : renderMade(context, id),
      renderShortTime(context, Date.parse(at)),
    ];
  });
  return renderTable(
    scheduleTexts.historyTable,
    titles.map((title) => ({ title })),
    rows,
  );
}
