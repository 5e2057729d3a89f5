/** Serves the pages of schedules: the list, one schedule, and the forms. */
import { readDraft } from '../../../domain/drafts/draft-store.ts';
import { readInvoice } from '../../../domain/invoices/invoice-store.ts';
import { readSchedule } from '../../../domain/schedules/schedule-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardRequest, DashboardView } from '../definitions.ts';
import { draftValues } from '../invoices/draft-form.ts';
import { type InvoiceChoices, readInvoiceChoices } from '../invoices/invoice-choices.ts';
import { duplicateValues, newInvoiceValues } from '../invoices/invoice-form.ts';
import { schedulePage } from './schedule-detail.ts';
import { newScheduleValues } from './schedule-form.ts';
import { scheduleListPage } from './schedule-list.ts';
import {
  type OpenSchedule,
  showNewScheduleForm,
  showScheduleEditForm,
  showScheduleEndForm,
} from './schedule-views.ts';

const newSchedulePage: DashboardPage = {
  path: '/schedules/new',
  ability: 'invoices:write',
  handle: async (request) => {
    const { context } = request;
    const choices = await readInvoiceChoices(context);
    const fields = await invoiceValues(request, choices);
    if (!fields) return undefined;
    const values = Object.entries(newScheduleValues(context.timeZone));
    return showNewScheduleForm(context, { fields: new URLSearchParams([...fields, ...values]) });
  },
};

/** The values of the invoice: those of an invoice or draft to repeat, or none. Undefined: it does not exist. */
async function invoiceValues(
  request: DashboardRequest,
  choices: InvoiceChoices,
): Promise<URLSearchParams | undefined> {
  const { context, query } = request;
  const from = query.get('from');
  const owner = requestOwnerOf(request);
  if (from === null) return newInvoiceValues(query.get('customerId') ?? '', choices);
  if (!from.startsWith('drft_')) {
    const { record } = await readInvoice(owner, from);
    return record && withoutOwn(duplicateValues(context, record, choices));
  }
  const { record } = await readDraft(owner, from);
  if (record?.status !== 'open') return undefined;
  return withoutOwn(draftValues(record, { ...choices, timeZone: context.timeZone }));
}

/** Returns the values without those that only one invoice can have. */
function withoutOwn(fields: URLSearchParams): URLSearchParams {
  for (const name of ['dueDate', 'reference']) fields.delete(name);
  return fields;
}

/** Before the page of one schedule, because `new` is not an id. */
export const schedulePages: readonly DashboardPage[] = [
  scheduleListPage,
  newSchedulePage,
  formPage('/schedules/:id/edit', showScheduleEditForm),
  formPage('/schedules/:id/end', showScheduleEndForm),
  schedulePage,
];

function formPage(
  path: string,
  show: (context: DashboardContext, open: OpenSchedule) => Promise<DashboardView>,
): DashboardPage {
  return {
    path,
    ability: 'invoices:write',
    handle: async (request) => {
      const open = await findOpenSchedule(request);
      return open && show(request.context, open);
    },
  };
}

/** Reads a schedule that can be changed. Undefined: it does not exist, or has ended. */
export async function findOpenSchedule(request: DashboardRequest): Promise<OpenSchedule | undefined> {
  const { record, template } = await readSchedule(requestOwnerOf(request), request.params.id ?? '');
  return record?.status === 'open' && template ? { schedule: record, template } : undefined;
}
