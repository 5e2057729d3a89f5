/** Shows whether a customer gets reminders, and carries out the button that pauses or resumes them. */
import { html } from 'hono/html';
import type { Customer } from '../../../domain/customers/customer.ts';
import { readCustomer, updateCustomerCommand } from '../../../domain/customers/customer-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import { formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardAction } from '../definitions.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { customerTexts } from './customer-texts.ts';

/** Returns the row about reminders, with its button. */
export function customerReminderRow(
  context: DashboardContext,
  { id, remindersPaused }: Customer,
): readonly [string, Markup] {
  const { reminders, remindersOn, remindersOff, pauseReminders: pause, resumeReminders } = customerTexts;
  const action = context.url(`/customers/${id}/reminders`);
  const content = renderHiddenInput('reminders', remindersPaused ? 'on' : 'off');
  const submit = remindersPaused ? resumeReminders : pause;
  const form = context.can('customers:write') ? renderForm(context, { action, submit, content }) : '';
  return [reminders, html`${remindersPaused ? remindersOff : remindersOn}${form}`];
}

export const pauseCustomerReminders: DashboardAction = {
  path: '/customers/:id/reminders',
  ability: 'customers:write',
  formPage: ({ id }) => `/customers/${id}`,
  fields: ['reminders'],
  handle: async (request) => {
    const { params, form, context } = request;
    const id = params.id ?? '';
    const owner = requestOwnerOf(request);
    const { record } = await readCustomer(owner, id);
    if (record?.status !== 'active') return undefined;
    const isPause = form.get('reminders') === 'off';
    const body = { remindersPaused: isPause };
    await commitAttempt(
      await formAttemptOf(request, 'customer.update', id, body),
      () => readCustomer(owner, id),
      (customer) => updateCustomerCommand(customer, body, context.moment.account),
    );
    const notice = isPause ? 'customer_reminders_paused' : 'customer_reminders_resumed';
    return { redirectTo: context.url(`/customers/${id}`), notice };
  },
};
