/** Carries out what the forms of customers ask for, with the transitions and the commit of the API. */
import type { Customer } from '../../../domain/customers/customer.ts';
import {
  createCustomerCommand,
  deleteCustomerCommand,
  readCustomer,
  requireCustomer,
  updateCustomerCommand,
} from '../../../domain/customers/customer-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf } from '../input/form-fields.ts';
import { customerFieldNames, customerFormTexts, readCustomerForm, updateOfForm } from './customer-form.ts';
import { customerTexts } from './customer-texts.ts';
import { showCustomerDeleteForm, showCustomerEditForm, showNewCustomerForm } from './customer-views.ts';
import { pauseCustomerReminders } from './pause-reminders.ts';

const create: DashboardAction = {
  path: '/customers/new',
  ability: 'customers:write',
  formPage: () => '/customers/new',
  fields: customerFieldNames,
  typed: {
    showAgain: async (request, failure) => showNewFormAgain(request, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const sent = readCustomerForm(form);
    if (!sent.ok) return showNewFormAgain(request, { errors: sent.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'customer.create', '', sent.output);
    try {
      const { answer } = await commitCreation(
        attempt,
        'customer',
        async () => undefined,
        (principal) => createCustomerCommand(principal, sent.output, context.now),
      );
      return { redirectTo: context.url(`/customers/${answer.id}`), notice: 'customer_created' };
    } catch (error) {
      const failure = failureOf(error, customerFormTexts);
      return failure && showNewFormAgain(request, failure);
    }
  },
};

const update: DashboardAction = {
  path: '/customers/:id/edit',
  ability: 'customers:write',
  formPage: ({ id }) => `/customers/${id}/edit`,
  fields: [...customerFieldNames, 'seen'],
  typed: {
    showAgain: (request, failure) => showFormAgain(request, showCustomerEditForm, failure),
  },
  handle: async (request) => {
    const { context, form, params } = request;
    const { id = '' } = params;
    const sent = readCustomerForm(form);
    if (!sent.ok) return showFormAgain(request, showCustomerEditForm, { errors: sent.errors, status: 400 });
    const seen = Number(lineOf(form, 'seen'));
    const requireUnchanged = ({ objectVersion }: Customer) => {
      if (objectVersion !== seen) throw new RecordChangedError();
    };
    try {
      await commitAttempt(
        await formAttemptOf(request, 'customer.update', id, { ...sent.output, seen }),
        () => readCustomer(requestOwnerOf(request), id),
        (loaded) =>
          updateCustomerCommand(
            loaded,
            updateOfForm(requireCustomer(loaded), form, sent.output),
            context.now,
            requireUnchanged,
          ),
      );
      return { redirectTo: context.url(`/customers/${id}`), notice: 'customer_updated' };
    } catch (error) {
      const failure = failureOf(error, customerFormTexts, customerTexts.changed);
      return failure && showFormAgain(request, showCustomerEditForm, failure);
    }
  },
};

const remove: DashboardAction = {
  path: '/customers/:id/delete',
  ability: 'customers:write',
  formPage: ({ id }) => `/customers/${id}/delete`,
  handle: async (request) => {
    const { context, params } = request;
    const { id = '' } = params;
    try {
      await commitAttempt(
        await formAttemptOf(request, 'customer.delete', id, {}),
        () => readCustomer(requestOwnerOf(request), id),
        (loaded) => deleteCustomerCommand(loaded, context.now),
      );
      return { redirectTo: context.url('/customers'), notice: 'customer_deleted' };
    } catch (error) {
      const failure = failureOf(error, {});
      return failure && showFormAgain(request, showCustomerDeleteForm, failure);
    }
  },
};

export const customerActions: readonly DashboardAction[] = [create, update, remove, pauseCustomerReminders];

const showNewFormAgain = ({ context, form }: ActionRequest, failure: Failure): ActionResult => ({
  view: showNewCustomerForm(context, { fields: form, failure }),
});

type ShowForm = (context: DashboardContext, customer: Customer, failed: FailedForm) => DashboardView;

/** Shows a form again, with the customer as it is now and the values that the user typed. */
async function showFormAgain(
  request: ActionRequest,
  show: ShowForm,
  failure: Failure,
): Promise<ActionResult | undefined> {
  const { record } = await readCustomer(requestOwnerOf(request), request.params.id ?? '');
  if (record?.status !== 'active') return undefined;
  return { view: show(request.context, record, { fields: request.form, failure }) };
}
