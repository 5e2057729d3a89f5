/** Shows the next reminder of an invoice, and carries out the button that pauses or resumes its reminders. */
import { html } from 'hono/html';
import type { AccountTime } from '../../../base/time.ts';
import { planOfInvoice, type ReminderPlan } from '../../../domain/accounts/reminder-plan.ts';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { readInvoice, updateInvoiceCommand } from '../../../domain/invoices/invoice-store.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { nextReminder } from '../../../domain/mails/reminder-times.ts';
import type { Markup } from '../../pages/markup.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardAction } from '../definitions.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderTime } from '../times.ts';
import { nextReminderText, reminderDayText, reminderTexts } from './mail-texts.ts';

/**
 * Returns the row with the next reminder of an open invoice, and the button that pauses or resumes its reminders.
 * @param plan that of the account. Undefined: it sends no reminders, and there is no row
 */
export function reminderRow(
  context: DashboardContext,
  invoice: Invoice,
  plan: ReminderPlan | undefined,
  now: AccountTime,
): readonly [string, Markup] | undefined {
  if (!plan || !isPayable(invoice)) return undefined;
  const isPaused = invoice.reminders?.length === 0;
  const next = nextReminder(planOfInvoice(plan, invoice), invoice.dueDate, now);
  if (!isPaused && !next) return undefined;
  const when = next
    ? html`${renderTime(context, next.at)}, ${reminderDayText(next.day)}`
    : html`${reminderTexts.paused}`;
  const action = context.url(`/invoices/${invoice.id}/reminders`);
  const submit = isPaused ? reminderTexts.resume : reminderTexts.pause;
  const content = renderHiddenInput('reminders', isPaused ? 'on' : 'off');
  const form = context.can('invoices:write') ? renderForm(context, { action, submit, content }) : '';
  return [nextReminderText, html`${when}${form}`];
}

export const pauseReminders: DashboardAction = {
  path: '/invoices/:id/reminders',
  ability: 'invoices:write',
  formPage: ({ id }) => `/invoices/${id}`,
  fields: ['reminders'],
  handle: async (request) => {
    const { params, form, context } = request;
    const id = params.id ?? '';
    const { record } = await readInvoice(requestOwnerOf(request), id);
    if (!record || !isPayable(record)) return undefined;
    const isPause = form.get('reminders') === 'off';
    const body = { reminders: isPause ? [] : null };
    await commitAttempt(
      await formAttemptOf(request, 'invoice.update', id, body),
      () => readInvoice(requestOwnerOf(request), id),
      (invoice) => updateInvoiceCommand(invoice, body, context.moment.account, { customer: undefined }),
    );
    const notice = isPause ? 'reminders_paused' : 'reminders_resumed';
    return { redirectTo: context.url(`/invoices/${id}`), notice };
  },
};
