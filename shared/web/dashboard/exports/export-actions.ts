/** Declares the form that creates an export, with the transition and the commit of the API. */
import { createExportCommand, readTakenSlots } from '../../../domain/exports/export-store.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type Failure, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { exportFormFields, kindOf, readNewExport } from './export-form.ts';
import { exportFields } from './export-texts.ts';
import { showExportForm } from './export-views.ts';

const path = '/exports/new';

const showAgain = async ({ context, form }: ActionRequest, failure: Failure): Promise<ActionResult> => ({
  view: showExportForm(context, kindOf(context, form), form, { fields: form, failure }),
});

const createAction: DashboardAction = {
  path,
  ability: 'records:export',
  formPage: () => path,
  fields: exportFormFields,
  typed: { showAgain },
  handle: async (request) => {
    const { context, form } = request;
    const kind = kindOf(context, form);
    if (kind === undefined) return undefined;
    const sent = readNewExport(kind, form);
    if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
    const attempt = await formAttemptOf(request, 'export.create', '', sent.output);
    try {
      const { answer } = await commitCreation(
        attempt,
        'export',
        () => readTakenSlots(requestOwnerOf(request)),
        (principal, taken) =>
          createExportCommand(principal, sent.output, {
            ...{ taken, timeZone: context.timeZone, now: context.moment.account },
          }),
      );
      return { redirectTo: context.url(`/exports/${answer.id}`) };
    } catch (error) {
      const failure = failureOf(error, exportFields);
      return failure && showAgain(request, failure);
    }
  },
};

export const exportActions: readonly DashboardAction[] = [createAction];
