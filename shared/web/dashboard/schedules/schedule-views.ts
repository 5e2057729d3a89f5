/** Renders the pages with the forms of schedules. A failed action shows the same form again, with the errors. */
import { html } from 'hono/html';
import type { Schedule, ScheduleTemplate } from '../../../domain/schedules/schedule.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { readFoundCustomers } from '../invoices/customer-finder.ts';
import { draftValues } from '../invoices/draft-form.ts';
import { showDraftSummary } from '../invoices/draft-views.ts';
import { readInvoiceChoices } from '../invoices/invoice-choices.ts';
import { renderNewInvoiceFields, type ShownInvoiceForm } from '../invoices/invoice-form.ts';
import { renderLineButtons } from '../invoices/line-fields.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { renderScheduleFields, scheduleValues } from './schedule-form.ts';
import { everyText, scheduleTexts } from './schedule-texts.ts';

/** A schedule that goes on, and its invoice. */
export interface OpenSchedule {
  readonly schedule: Schedule;
  readonly template: ScheduleTemplate;
}

const repeats = { descriptionHint: scheduleTexts.descriptionHint };

/** Shows the form of a new schedule. */
export async function showNewScheduleForm(
  context: DashboardContext,
  shown: ShownInvoiceForm,
): Promise<DashboardView> {
  const action = context.url('/schedules/new');
  const content = await renderContent(context, shown, true, {});
  const form = renderForm(context, {
    action,
    submit: scheduleTexts.create,
    content,
    others: renderLineButtons(action),
    hasButtons: true,
  });
  return viewOf(scheduleTexts.create, shown, form);
}

/** Shows the form that changes a schedule. */
export async function showScheduleEditForm(
  context: DashboardContext,
  { schedule, template }: OpenSchedule,
  shown?: ShownInvoiceForm,
): Promise<DashboardView> {
  const choices = await readInvoiceChoices(context);
  const present = shown ?? {
    fields: new URLSearchParams([
      ...draftValues(template, { ...choices, timeZone: context.timeZone }),
      ...Object.entries(scheduleValues(schedule)),
    ]),
  };
  const action = context.url(`/schedules/${schedule.id}/edit`);
  const seen = renderHiddenInput('seen', seenVersion(shown, String(schedule.objectVersion)));
  const content = html`${seen}${await renderContent(context, present, false, { stored: template.metadata })}`;
  const form = renderForm(context, {
    action,
    submit: scheduleTexts.save,
    content,
    others: renderLineButtons(action),
    hasButtons: true,
  });
  const hint = html`<p>${everyText(schedule.every)}. ${scheduleTexts.editHint}</p>`;
  return viewOf(scheduleTexts.editTitle, shown, html`${hint}${form}${renderBack(context, schedule)}`);
}

/** Shows the page that asks for confirmation before a schedule ends. */
export async function showScheduleEndForm(
  context: DashboardContext,
  { schedule, template }: OpenSchedule,
  failed?: FailedForm,
): Promise<DashboardView> {
  const form = renderForm(context, {
    action: context.url(`/schedules/${schedule.id}/end`),
    submit: scheduleTexts.end,
    style: 'danger',
    content: renderHiddenInput('seen', seenVersion(failed, String(schedule.objectVersion))),
  });
  const content = html`<h2>${everyText(schedule.every)}</h2>${await showDraftSummary(context, template)}<p>${scheduleTexts.endHint}</p>${form}${renderBack(context, schedule, scheduleTexts.keep)}`;
  return viewOf(scheduleTexts.endTitle, failed, content);
}

async function renderContent(
  context: DashboardContext,
  shown: ShownInvoiceForm,
  isNew: boolean,
  stored: { readonly stored?: ScheduleTemplate['metadata'] },
): Promise<Markup> {
  const [choices, found] = await Promise.all([
    readInvoiceChoices(context),
    readFoundCustomers(context, shown.fields),
  ]);
  const errors = shown.failure?.errors ?? {};
  return html`<h2>${scheduleTexts.when}</h2>${renderScheduleFields(shown.fields, errors, isNew)}
<h2>${scheduleTexts.what}</h2><p class="hint">${scheduleTexts.invoiceHint}</p>${renderNewInvoiceFields(context, shown, { ...choices, found }, { ...stored, repeats })}`;
}

const viewOf = (
  title: string,
  shown: ShownInvoiceForm | FailedForm | undefined,
  content: Markup,
): DashboardView => ({
  title,
  section: 'invoices',
  status: shown?.failure?.status ?? 200,
  content: html`${renderFailure(shown?.failure)}<section class="card">${content}</section>`,
});

const renderBack = (context: DashboardContext, { id }: Schedule, text: string = scheduleTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/schedules/${id}`), text)}</p>`;
