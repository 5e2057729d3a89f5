/**
 * The forms that create, change and delete the records of one kind, with the transitions and the commit of the API. A kind declares
 * its fields, its commands and its views.
 */
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { Ability } from '../../../domain/users/roles.ts';
import type { Principal } from '../../../store/account-state.ts';
import type { Command } from '../../../store/commit/command.ts';
import type { LoadedRecord, RecordBase } from '../../../store/records.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf, type SentFields, type ValidatedFields } from '../input/form-fields.ts';
import { commitAttempt, commitCreation } from './commit-attempt.ts';
import {
  type FailedForm,
  type Failure,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
} from './failed-attempt.ts';

/** A record that forms change. */
interface FormRecord extends RecordBase {
  readonly status: string;
  readonly objectVersion: number;
}

type Show<Args extends readonly unknown[]> = (
  context: DashboardContext,
  ...args: Args
) => DashboardView | Promise<DashboardView>;

/** A command of records of a kind, of which the form needs only the ID. */
// biome-ignore lint/suspicious/noExplicitAny: the shown form of a record differs by kind
type RecordCommand<R extends RecordBase> = Command<[R], any> | Promise<Command<[R], any>>;

/** What differs between the kinds. */
export interface RecordForms<R extends FormRecord, New, Edit> {
  readonly kind: 'customer' | 'product';
  /** The path of the list, to which the paths of the forms are added. */
  readonly path: '/customers' | '/products';
  readonly ability: Ability;
  readonly fields: { readonly new: readonly string[]; readonly edit: readonly string[] };
  /** How the forms name the fields. */
  readonly texts: Parameters<typeof failureOf>[1];
  /** Shown if the record differs from what the form showed. */
  readonly changed: string;
  readonly readNew: (fields: SentFields) => ValidatedFields<New>;
  readonly readEdit: (fields: SentFields) => ValidatedFields<Edit>;
  readonly read: (owner: Owner, id: string) => Promise<LoadedRecord<R>>;
  readonly create: (principal: Principal, sent: New, now: Instant) => RecordCommand<R>;
  /** @param require throws if the form does not fit the record */
  readonly update: (
    loaded: LoadedRecord<R>,
    sent: Edit,
    fields: SentFields,
    now: Instant,
    require: (record: R) => void,
  ) => RecordCommand<R>;
  readonly remove: (loaded: LoadedRecord<R>, now: Instant) => RecordCommand<R>;
  readonly views: {
    readonly new: Show<[FailedForm]>;
    readonly edit: Show<[R, FailedForm]>;
    readonly delete: Show<[R, FailedForm]>;
  };
}

/** Returns the actions of the three forms of a kind. */
export function recordActions<R extends FormRecord, New, Edit>(
  forms: RecordForms<R, New, Edit>,
): readonly DashboardAction[] {
  return [createAction(forms), updateAction(forms), deleteAction(forms)];
}

function createAction<R extends FormRecord, New, Edit>(forms: RecordForms<R, New, Edit>): DashboardAction {
  const { kind, path, ability, fields } = forms;
  const showAgain = async ({ context, form }: ActionRequest, failure: Failure) => ({
    view: await forms.views.new(context, { fields: form, failure }),
  });
  return {
    path: `${path}/new`,
    ability,
    formPage: () => `${path}/new`,
    fields: fields.new,
    typed: { showAgain },
    handle: async (request) => {
      const { context, form } = request;
      const sent = forms.readNew(form);
      if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
      const attempt = await formAttemptOf(request, `${kind}.create`, '', sent.output);
      try {
        const { answer } = await commitCreation(
          attempt,
          kind,
          async () => undefined,
          (principal) => forms.create(principal, sent.output, context.now),
        );
        return { redirectTo: context.url(`${path}/${answer.id}`), notice: `${kind}_created` };
      } catch (error) {
        const failure = failureOf(error, forms.texts);
        return failure && showAgain(request, failure);
      }
    },
  };
}

function updateAction<R extends FormRecord, New, Edit>(forms: RecordForms<R, New, Edit>): DashboardAction {
  const { kind, path, ability, fields } = forms;
  const showAgain = (request: ActionRequest, failure: Failure) =>
    showRecordAgain(forms, request, forms.views.edit, failure);
  return {
    path: `${path}/:id/edit`,
    ability,
    formPage: ({ id }) => `${path}/${id}/edit`,
    fields: [...fields.edit, 'seen'],
    typed: { showAgain },
    handle: async (request) => {
      const { context, form, params } = request;
      const { id = '' } = params;
      const sent = forms.readEdit(form);
      if (!sent.ok) return showAgain(request, { errors: sent.errors, status: 400 });
      const seen = Number(lineOf(form, 'seen'));
      const requireUnchanged = ({ objectVersion }: R) => {
        if (objectVersion !== seen) throw new RecordChangedError();
      };
      try {
        await commitAttempt(
          await formAttemptOf(request, `${kind}.update`, id, { ...sent.output, seen }),
          () => forms.read(requestOwnerOf(request), id),
          (loaded) => forms.update(loaded, sent.output, form, context.now, requireUnchanged),
        );
        return { redirectTo: context.url(`${path}/${id}`), notice: `${kind}_updated` };
      } catch (error) {
        const failure = failureOf(error, forms.texts, forms.changed);
        return failure && showAgain(request, failure);
      }
    },
  };
}

function deleteAction<R extends FormRecord, New, Edit>(forms: RecordForms<R, New, Edit>): DashboardAction {
  const { kind, path, ability } = forms;
  return {
    path: `${path}/:id/delete`,
    ability,
    formPage: ({ id }) => `${path}/${id}/delete`,
    handle: async (request) => {
      const { context, params } = request;
      const { id = '' } = params;
      try {
        await commitAttempt(
          await formAttemptOf(request, `${kind}.delete`, id, {}),
          () => forms.read(requestOwnerOf(request), id),
          (loaded) => forms.remove(loaded, context.now),
        );
        return { redirectTo: context.url(path), notice: `${kind}_deleted` };
      } catch (error) {
        const failure = failureOf(error, {});
        return failure && showRecordAgain(forms, request, forms.views.delete, failure);
      }
    },
  };
}

/** Shows a form again, with the record as it is now and the values that the user typed. */
async function showRecordAgain<R extends FormRecord, New, Edit>(
  { read }: RecordForms<R, New, Edit>,
  request: ActionRequest,
  show: Show<[R, FailedForm]>,
  failure: Failure,
): Promise<ActionResult | undefined> {
  const { record } = await read(requestOwnerOf(request), request.params.id ?? '');
  if (record?.status !== 'active') return undefined;
  return { view: await show(request.context, record, { fields: request.form, failure }) };
}
