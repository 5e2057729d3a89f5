/** Carries out what the forms of schedules ask for, with the transitions and the commit of the API. */
import type { AuditAction } from '../../../base/audit-origin.ts';
import { currencies } from '../../../base/money.ts';
import { withOwnTaxes } from '../../../domain/accounts/own-taxes-store.ts';
import type { CreateInvoice } from '../../../domain/invoices/invoice.ts';
import { readTaxedCustomer } from '../../../domain/invoices/invoice-store.ts';
import type { Schedule } from '../../../domain/schedules/schedule.ts';
import {
  createScheduleCommand,
  type LoadedSchedule,
  newTemplate,
  readSchedule,
  requireSchedule,
  runCommand,
  skipCommand,
  updateScheduleCommand,
} from '../../../domain/schedules/schedule-store.ts';
import { checkTemplate } from '../../../operations/schedules/prepare-occurrence.ts';
import type { Principal } from '../../../store/account-state.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { commitAttempt, commitCreation } from '../attempts/commit-attempt.ts';
import {
  type Failure,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf, type ValidatedFields } from '../input/form-fields.ts';
import { toMetadataUpdate } from '../input/metadata-field.ts';
import { failureOfStep, incomplete } from '../invoices/change-invoice.ts';
import { changedDraft, readDraftForm, type SentDraft } from '../invoices/draft-form.ts';
import { type InvoiceChoices, readInvoiceChoices } from '../invoices/invoice-choices.ts';
import type { ShownInvoiceForm } from '../invoices/invoice-form.ts';
import { lineFieldNames } from '../invoices/line-fields.ts';
import { partyFieldNames, type ReadForm, readNewInvoice } from '../invoices/read-invoice-form.ts';
import { readSentLines, type SentLines } from '../invoices/read-lines.ts';
import { totalFieldNames } from '../invoices/total-fields.ts';
import type { NoticeKey } from '../texts.ts';
import { showSchedulePage } from './schedule-detail.ts';
import { scheduleFailureOf } from './schedule-failures.ts';
import {
  changedScheduleFieldNames,
  newScheduleFieldNames,
  readChangedSchedule,
  readNewSchedule,
} from './schedule-form.ts';
import { findOpenSchedule } from './schedule-pages.ts';
import { scheduleTexts } from './schedule-texts.ts';
import { showNewScheduleForm, showScheduleEditForm, showScheduleEndForm } from './schedule-views.ts';

const invoiceFieldNames = ['customerId', 'amount', 'currency', 'description', 'metadata'];
const optionalFields = [...partyFieldNames, ...lineFieldNames, ...totalFieldNames, 'locale', 'acceptPartial'];

const create: DashboardAction = {
  path: '/schedules/new',
  ability: 'invoices:write',
  formPage: () => '/schedules/new',
  fields: [...newScheduleFieldNames, ...invoiceFieldNames],
  optionalFields,
  typed: {
    showAgain: async ({ context, form }, failure) => ({
      view: await showNewScheduleForm(context, { fields: form, failure }),
    }),
  },
  handle: async (request) => {
    const { context, form } = request;
    const now = context.moment.account;
    const showForm = async (shown: ShownInvoiceForm) => ({ view: await showNewScheduleForm(context, shown) });
    const lines = await linesOfForm(request);
    if (!lines) return showForm({ fields: form, failure: incomplete });
    const { result, totals } = await readInvoiceOf(request, lines);
    const showAgain = (failure: Failure | undefined) => showForm({ fields: lines.fields, totals, failure });
    if (lines.step) return showAgain(failureOfStep(lines, result));
    const settings = readNewSchedule(form);
    const invoice = readDraftForm(form, lines);
    if (!settings.ok || !result.ok || !invoice.ok) return showAgain(wrong(settings, result, invoice));
    const { seller } = await readInvoiceChoices(context);
    try {
      const { answer } = await commitCreation(
        await formAttemptOf(request, 'schedule.create', '', [settings.output, invoice.output]),
        'schedule',
        async () => undefined,
        (allocated) => {
          const principal = { ...allocated, seller };
          const { metadata } = invoice.output;
          const template = newTemplate({ ...repeatedOf(invoice.output.body), metadata });
          return createScheduleCommand(principal, settings.output, template, checkTemplate(principal, now), {
            timeZone: context.timeZone,
            now,
          });
        },
      );
      return { redirectTo: context.url(`/schedules/${answer.id}`), notice: 'schedule_created' };
    } catch (error) {
      const failure = scheduleFailureOf(error, lines);
      return failure && showAgain(failure);
    }
  },
};

const update: DashboardAction = {
  path: '/schedules/:id/edit',
  ability: 'invoices:write',
  formPage: ({ id }) => `/schedules/${id}/edit`,
  fields: [...changedScheduleFieldNames, ...invoiceFieldNames, 'seen'],
  optionalFields,
  typed: {
    showAgain: (request, failure) => showEditAgain(request, { fields: request.form, failure }),
  },
  handle: async (request) => {
    const { context, form } = request;
    const { id = '' } = request.params;
    const lines = await linesOfForm(request);
    if (!lines) return showEditAgain(request, { fields: form, failure: incomplete });
    const { result, totals } = await readInvoiceOf(request, lines);
    const showAgain = (failure: Failure | undefined) =>
      showEditAgain(request, { fields: lines.fields, totals, failure });
    if (lines.step) return showAgain(failureOfStep(lines, result));
    const settings = readChangedSchedule(form);
    const invoice = readDraftForm(form, lines);
    if (!settings.ok || !result.ok || !invoice.ok) return showAgain(wrong(settings, result, invoice));
    const principal = await principalOf(request);
    const sent = [settings.output, invoice.output, form.get('seen')];
    const now = context.moment.account;
    try {
      await commitAttempt(
        await formAttemptOf(request, 'schedule.update', id, sent),
        () => readSchedule(requestOwnerOf(request), id),
        (loaded) =>
          updateScheduleCommand(
            loaded,
            settings.output,
            changedInvoice(invoice.output, form, loaded, { ...principal, timeZone: context.timeZone }),
            checkTemplate(principal, now),
            now,
            requireSeen(form),
          ),
      );
      return { redirectTo: context.url(`/schedules/${id}`), notice: 'schedule_updated' };
    } catch (error) {
      const failure = scheduleFailureOf(error, lines);
      return failure && showAgain(failure);
    }
  },
};

/** Reads the lines of the form, with the taxes of the account. Undefined: a line is incomplete. */
async function linesOfForm({ context, form }: ActionRequest): Promise<SentLines | undefined> {
  const currency = currencies.find((each) => each === form.get('currency'));
  return readSentLines(
    form,
    async () => ({ ...(await readInvoiceChoices(context)), currency }),
    (body) => withOwnTaxes(context.account, body, context.moment.account),
  );
}

/** Reads the invoice of the form as one that is created now: what it lacks, and what its lines come to. */
async function readInvoiceOf(request: ActionRequest, lines: SentLines): Promise<ReadForm<CreateInvoice>> {
  const { context, form } = request;
  const body = { customerId: lineOf(form, 'customerId'), lines: lines.lines.map(({ line }) => line) };
  const [{ seller }, customer] = await Promise.all([
    readInvoiceChoices(context),
    readTaxedCustomer(requestOwnerOf(request), body),
  ]);
  return readNewInvoice(form, lines, context.moment.account, { sellerState: seller?.state, customer });
}

const wrong = (...results: readonly ValidatedFields<unknown>[]): Failure => ({
  errors: Object.assign({}, ...results.map((result) => (result.ok ? {} : result.errors))),
  status: 400,
});

/** The invoices of a schedule get their due dates from it, and no reference of their own. */
function repeatedOf<Body extends Partial<SentDraft['body']>>({ dueDate: _, reference: __, ...others }: Body) {
  return others;
}

/** Returns the fields of the invoice that a form changes. */
function changedInvoice(
  sent: SentDraft,
  form: URLSearchParams,
  { template }: LoadedSchedule,
  choices: Parameters<typeof changedDraft>[3],
) {
  if (!template) return undefined;
  const metadata = toMetadataUpdate(template.metadata, sent.metadata);
  return { ...repeatedOf(changedDraft(sent, form, template, choices)), metadata };
}

/** Returns who changes a schedule, with what the check of its invoice needs. */
async function principalOf(request: ActionRequest): Promise<Principal & Pick<InvoiceChoices, 'seller'>> {
  const { context } = request;
  const [{ principal }, { seller }] = await Promise.all([
    readAccountUsage(requestOwnerOf(request), context.now),
    readInvoiceChoices(context),
  ]);
  return { ...principal, seller };
}

/** Refuses a schedule that differs from what the page showed, for example because its next invoice is made meanwhile. */
const requireSeen =
  (form: URLSearchParams) =>
  ({ objectVersion }: Schedule): void => {
    if (objectVersion !== Number(form.get('seen'))) throw new RecordChangedError();
  };

/** Shows the form that changes a schedule again. One that has ended meanwhile has no more forms: its page says so. */
async function showEditAgain(
  request: ActionRequest,
  shown: ShownInvoiceForm,
): Promise<ActionResult | undefined> {
  const open = await findOpenSchedule(request);
  if (open) return { view: await showScheduleEditForm(request.context, open, shown) };
  const { record } = await readSchedule(requestOwnerOf(request), request.params.id ?? '');
  return record && { redirectTo: request.context.url(`/schedules/${record.id}`) };
}

interface Button {
  readonly name: 'pause' | 'resume' | 'skip' | 'run' | 'end';
  readonly action: AuditAction;
  readonly notice: NoticeKey;
  readonly command: (
    loaded: LoadedSchedule,
    request: ActionRequest,
  ) => ReturnType<typeof updateScheduleCommand> | ReturnType<typeof runCommand>;
}

/** Changes the status of a schedule. Its invoice stays, so it is not checked. */
const setStatus =
  (status: 'active' | 'paused' | 'ended'): Button['command'] =>
  (loaded, { context, form }) =>
    updateScheduleCommand(
      loaded,
      { status },
      undefined,
      async () => {},
      context.moment.account,
      requireSeen(form),
    );

const buttons: readonly Button[] = [
  { name: 'pause', action: 'schedule.update', notice: 'schedule_paused', command: setStatus('paused') },
  { name: 'resume', action: 'schedule.update', notice: 'schedule_resumed', command: setStatus('active') },
  {
    name: 'skip',
    action: 'schedule.skip',
    notice: 'schedule_skipped',
    command: (loaded, { context, form }) => skipCommand(loaded, context.moment.account, requireSeen(form)),
  },
  {
    name: 'run',
    action: 'schedule.run',
    notice: 'schedule_run',
    command: (loaded, { context, form }) => runCommand(loaded, context.moment.account, requireSeen(form)),
  },
  { name: 'end', action: 'schedule.update', notice: 'schedule_ended', command: setStatus('ended') },
];

const buttonAction = ({ name, action, notice, command }: Button): DashboardAction => ({
  path: `/schedules/:id/${name}`,
  ability: 'invoices:write',
  formPage: ({ id }) => (name === 'end' ? `/schedules/${id}/end` : `/schedules/${id}`),
  fields: ['seen'],
  handle: async (request) => {
    const { context, form } = request;
    const { id = '' } = request.params;
    const seen = form.get('seen');
    try {
      await commitAttempt(
        await formAttemptOf(request, action, id, { name, seen }),
        () => readSchedule(requestOwnerOf(request), id),
        (loaded) => {
          requireSchedule(loaded);
          return command(loaded, request);
        },
      );
      return { redirectTo: context.url(`/schedules/${id}`), notice };
    } catch (error) {
      const failure = failureOf(error, {}, scheduleTexts.changed);
      return failure && showButtonAgain(request, name, failure);
    }
  },
});

/** Shows the page of the button again, with the schedule as it is now. */
async function showButtonAgain(
  request: ActionRequest,
  name: Button['name'],
  failure: Failure,
): Promise<ActionResult | undefined> {
  const open = name === 'end' ? await findOpenSchedule(request) : undefined;
  const view = open
    ? await showScheduleEndForm(request.context, open, { fields: request.form, failure })
    : await showSchedulePage(request, failure);
  return view && { view };
}

export const scheduleActions: readonly DashboardAction[] = [create, update, ...buttons.map(buttonAction)];
