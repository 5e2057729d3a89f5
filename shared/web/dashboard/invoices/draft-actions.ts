/** Carries out what the forms of drafts ask for, with the transitions and the commit of the API. */
import { currencies } from '../../../base/money.ts';
import { withOwnTaxes } from '../../../domain/accounts/own-taxes-store.ts';
import type { Draft } from '../../../domain/drafts/draft.ts';
import {
  createDraftCommand,
  deleteDraftCommand,
  finalizeDraftCommand,
  readDraft,
  requireCurrency,
  requireDraft,
  updateDraftCommand,
} from '../../../domain/drafts/draft-store.ts';
import { createInvoiceBody, type ScheduledBy } from '../../../domain/invoices/invoice.ts';
import { prepareInvoice, readTaxedCustomer } from '../../../domain/invoices/invoice-store.ts';
import { newInvoiceId } from '../../../domain/invoices/new-identity.ts';
import { fillLines } from '../../../domain/products/fill-lines.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import type { Principal } from '../../../store/account-state.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type Failure,
  FieldsError,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
  type ShownForm,
} from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf, validateFields } from '../input/form-fields.ts';
import { toMetadataUpdate } from '../input/metadata-field.ts';
import { inAccountZone } from '../input/zoned-times.ts';
import { failureOfStep, incomplete } from './change-invoice.ts';
import { changedDraft, draftValues, judgeDraft, readDraftForm } from './draft-form.ts';
import { draftTexts } from './draft-texts.ts';
import { showDraftDeleteForm, showDraftEditForm, showFinalizeForm } from './draft-views.ts';
import { readInvoiceChoices } from './invoice-choices.ts';
import { lineFieldNames } from './line-fields.ts';
import { toFormError } from './party-errors.ts';
import { newInvoiceFields, partyFieldNames, readNewInvoice } from './read-invoice-form.ts';
import { readSentLines, type SentLines } from './read-lines.ts';
import { totalFieldNames } from './total-fields.ts';

/**
 * Saves the form of a new invoice as a draft.
 * @param showAgain shows the form again with a failure
 */
export async function saveNewDraft(
  request: ActionRequest,
  lines: SentLines,
  showAgain: (failure: Failure) => Promise<ActionResult>,
): Promise<ActionResult | undefined> {
  const { context, form } = request;
  const sent = readDraftForm(inAccountZone(form, context), lines);
  if (!sent.ok) return showAgain({ errors: sent.errors, status: 400 });
  const { body, metadata } = sent.output;
  try {
    const { answer } = await commitCreation(
      await formAttemptOf(request, 'draft.create', '', sent.output),
      'draft',
      async () => undefined,
      (principal) => createDraftCommand(principal, { ...body, metadata }, context.moment.account),
    );
    return { redirectTo: context.url(`/drafts/${answer.id}`), notice: 'draft_saved' };
  } catch (error) {
    const failure = failureOf(toFormError(error), newInvoiceFields);
    return failure && showAgain(failure);
  }
}

const update: DashboardAction = {
  path: '/drafts/:id/edit',
  ability: 'invoices:write',
  formPage: ({ id }) => `/drafts/${id}/edit`,
  fields: ['customerId', 'amount', 'currency', 'description', 'dueDate', 'reference', 'metadata', 'seen'],
  optionalFields: [...partyFieldNames, ...lineFieldNames, ...totalFieldNames, 'locale', 'acceptPartial'],
  typed: {
    showAgain: (request, failure) =>
      showDraftAgain(request, showDraftEditForm, { fields: request.form, failure }),
  },
  handle: async (request) => {
    const { context, form } = request;
    const { id = '' } = request.params;
    const owner = requestOwnerOf(request);
    const currency = currencies.find((each) => each === form.get('currency'));
    const choices = async () => ({ ...(await readInvoiceChoices(context)), currency });
    const lines = await readSentLines(form, choices, (body) =>
      withOwnTaxes(context.account, body, context.moment.account),
    );
    if (!lines) return showDraftAgain(request, showDraftEditForm, { fields: form, failure: incomplete });
    if (lines.step) return showTotals(request, lines);
    const sent = readDraftForm(inAccountZone(form, context), lines);
    const showAgain = (failure: Failure) =>
      showDraftAgain(request, showDraftEditForm, { fields: lines.fields, failure });
    if (!sent.ok) return showAgain({ errors: sent.errors, status: 400 });
    try {
      const { seller } = await readInvoiceChoices(context);
      await commitAttempt(
        await formAttemptOf(request, 'draft.update', id, { ...sent.output, seen: form.get('seen') }),
        () => readDraft(owner, id),
        (loaded) => {
          const draft = requireDraft(loaded);
          const metadata = toMetadataUpdate(draft.metadata, sent.output.metadata);
          const body = {
            ...changedDraft(sent.output, form, draft, { seller, timeZone: context.timeZone }),
            metadata,
          };
          return updateDraftCommand({ seller }, loaded, body, context.moment.account, requireSeen(form));
        },
      );
      return { redirectTo: context.url(`/drafts/${id}`), notice: 'draft_saved' };
    } catch (error) {
      const failure = failureOf(toFormError(error), newInvoiceFields, draftTexts.changed);
      return failure && showAgain(failure);
    }
  },
};

/** Shows the form of a draft with what its lines come to. Nothing is saved. */
async function showTotals(request: ActionRequest, lines: SentLines): Promise<ActionResult | undefined> {
  const { context, form } = request;
  const owner = requestOwnerOf(request);
  const { seller } = await readInvoiceChoices(context);
  const body = { customerId: lineOf(form, 'customerId'), lines: lines.lines.map(({ line }) => line) };
  const customer = await readTaxedCustomer(owner, body);
  const known = { sellerState: seller?.state, customer };
  const { result, totals } = readNewInvoice(
    inAccountZone(form, context),
    lines,
    context.moment.account,
    known,
  );
  const failure = failureOfStep(lines, result);
  return showDraftAgain(request, showDraftEditForm, { fields: lines.fields, failure, totals });
}

const remove: DashboardAction = {
  path: '/drafts/:id/delete',
  ability: 'invoices:write',
  formPage: ({ id }) => `/drafts/${id}/delete`,
  handle: async (request) => {
    const { context, form } = request;
    const { id = '' } = request.params;
    try {
      await commitAttempt(
        await formAttemptOf(request, 'draft.delete', id, {}),
        () => readDraft(requestOwnerOf(request), id),
        (loaded) => deleteDraftCommand(loaded, context.moment.account),
      );
      return { redirectTo: context.url('/drafts'), notice: 'draft_deleted' };
    } catch (error) {
      const failure = failureOf(error, {});
      return failure && showDraftAgain(request, showDraftDeleteForm, { fields: form, failure });
    }
  },
};

const finalize: DashboardAction = {
  path: '/drafts/:id/finalize',
  ability: 'invoices:write',
  formPage: ({ id }) => `/drafts/${id}/finalize`,
  fields: ['seen'],
  handle: async (request) => {
    const { context, form } = request;
    const { id = '' } = request.params;
    const owner = requestOwnerOf(request);
    const now = context.moment.account;
    try {
      const { answer } = await commitCreation(
        await formAttemptOf(request, 'draft.finalize', id, { seen: form.get('seen') }),
        'invoice',
        () => readDraft(owner, id),
        (principal, loaded) =>
          finalizeDraftCommand(
            principal,
            loaded,
            { id: newInvoiceId(principal), toInvoice: (...draft) => toInvoice(request, principal, ...draft) },
            now,
            requireSeen(form),
          ),
      );
      return { redirectTo: context.url(`/invoices/${answer.id}`), notice: 'draft_finalized' };
    } catch (error) {
      const failure = failureOf(toFormError(error), newInvoiceFields, draftTexts.changed);
      if (!failure?.errors)
        return failure && showDraftAgain(request, showFinalizeForm, { fields: form, failure });
      return showMissing(request, failure);
    }
  },
};

export const draftActions: readonly DashboardAction[] = [update, finalize, remove];

/** Prepares the invoice of a draft. @param fields as in the body of a request that creates it. The lines say everything themselves */
async function toInvoice(
  { context }: ActionRequest,
  principal: Principal,
  fields: object,
  scheduled: ScheduledBy | undefined,
) {
  const valid = validateFields(createInvoiceBody, fields, newInvoiceFields);
  if (!valid.ok) throw new FieldsError(valid.errors);
  const filled = fillLines(valid.output, 'incomplete', new Map(), requireCurrency);
  const body = await withOwnTaxes(context.account, filled, context.moment.account);
  const customer = await readTaxedCustomer(principal.owner, body);
  return prepareInvoice(principal, body, context.moment.account, customer, scheduled);
}

/** Shows the form that changes the draft, with what is wrong beside each field. */
async function showMissing(request: ActionRequest, failure: Failure): Promise<ActionResult | undefined> {
  const owner = requestOwnerOf(request);
  const seller = await readSellerSummary(owner);
  const { record: draft } = await readDraft(owner, request.params.id ?? '');
  if (draft?.status !== 'open') return undefined;
  const { result, totals } = await judgeDraft(owner, draft, seller, request.context.moment.account);
  const errors = result.ok ? failure.errors : result.errors;
  const fields = draftValues(draft, { seller, timeZone: request.context.timeZone });
  fields.set('seen', String(draft.objectVersion));
  const shown = { fields, totals, failure: { ...failure, errors: errors ?? {} } };
  return { view: await showDraftEditForm(request.context, draft, shown) };
}

/** Refuses a draft that differs from what the form showed. */
const requireSeen =
  (form: URLSearchParams) =>
  ({ objectVersion }: Draft): void => {
    if (objectVersion !== Number(form.get('seen'))) throw new RecordChangedError();
  };

/** Shows a form again, with the draft as it is now. One that has become an invoice has no more forms: its page says so. */
async function showDraftAgain<Shown extends ShownForm<URLSearchParams>>(
  request: ActionRequest,
  show: (context: DashboardContext, draft: Draft, shown: Shown) => DashboardView | Promise<DashboardView>,
  shown: Shown,
): Promise<ActionResult | undefined> {
  const { record: draft } = await readDraft(requestOwnerOf(request), request.params.id ?? '');
  if (!draft || draft.status === 'deleted') return undefined;
  if (draft.status !== 'open') return { redirectTo: request.context.url(`/drafts/${draft.id}`) };
  return { view: await show(request.context, draft, shown) };
}
