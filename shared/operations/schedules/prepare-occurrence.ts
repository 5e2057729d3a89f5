/** Prepares the invoice that a schedule makes at one of its times, as the endpoint prepares that of a request. */
import { requireValid } from '../../api/http/validate.ts';
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner } from '../../base/ids.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { endOfDayIn } from '../../domain/accounts/fiscal-year.ts';
import type { MailSettings } from '../../domain/accounts/mail-settings.ts';
import { withOwnTaxes } from '../../domain/accounts/own-taxes-store.ts';
import { readCustomer } from '../../domain/customers/customer-store.ts';
import { requireCurrency } from '../../domain/drafts/draft-store.ts';
import { invoiceFieldsOf } from '../../domain/drafts/transitions.ts';
import {
  type CreateInvoice,
  createInvoiceBody,
  type Invoice,
  type ScheduledBy,
} from '../../domain/invoices/invoice.ts';
import { prepareInvoice, readTaxedCustomer } from '../../domain/invoices/invoice-store.ts';
import { requireSendable } from '../../domain/mails/sendable.ts';
import { customerIdWith } from '../../domain/parties/buyer.ts';
import { fillLines } from '../../domain/products/fill-lines.ts';
import { fillPlaceholders } from '../../domain/schedules/placeholders.ts';
import { periodOfTime } from '../../domain/schedules/recurrence.ts';
import type { Schedule, ScheduleTemplate } from '../../domain/schedules/schedule.ts';
import type { CheckTemplate } from '../../domain/schedules/schedule-store.ts';
import type { Principal } from '../../store/account-state.ts';
import type { Creation } from '../../store/commit/command.ts';
import { asInvoiceError } from './fill-invoice.ts';

/** A time of a schedule, and the moment at which its invoice is made. */
export interface OccurrenceTime {
  readonly number: number;
  readonly at: AccountTime;
}

/** Returns the content of the invoice of a time: with its period in the texts, and its due date. */
export function contentOf(
  schedule: Schedule,
  template: ScheduleTemplate,
  { number, at }: OccurrenceTime,
): ScheduleTemplate {
  const { dueInDays, timeZone } = schedule;
  const content = fillPlaceholders(template.content, periodOfTime(schedule, number));
  const dueDate = dueInDays === undefined ? null : toTimestamp(endOfDayIn(timeZone, at, dueInDays));
  return { ...template, content: { ...content, dueDate } };
}

/** Returns what the invoice or draft of a time shows of its schedule. */
export const scheduledBy = (schedule: Schedule, { number }: OccurrenceTime): ScheduledBy => ({
  scheduleId: schedule.id,
  period: periodOfTime(schedule, number),
});

/** An invoice that can be created, and the body that a request would send for it. */
export interface PreparedInvoice {
  readonly body: CreateInvoice;
  readonly creation: Creation<Invoice>;
}

/**
 * Prepares the invoice of a time, with the sequence number of an invoice that the principal has.
 * @throws ApiError as a request that creates the invoice, and `invalid_customer` if its customer is deleted
 */
export async function prepareScheduled(
  principal: Principal,
  schedule: Schedule,
  template: ScheduleTemplate,
  time: OccurrenceTime,
): Promise<PreparedInvoice> {
  const { owner } = principal;
  const fields = invoiceFieldsOf(contentOf(schedule, template, time));
  const sent = requireValid(createInvoiceBody, fields);
  await requireCustomer(principal, sent.customerId ?? '');
  const filled = fillLines(sent, 'incomplete', new Map(), requireCurrency);
  const body = await withOwnTaxes(owner.account, filled, time.at);
  const customer = await readTaxedCustomer(owner, body);
  const creation = await prepareInvoice(principal, body, time.at, customer, scheduledBy(schedule, time));
  return { body, creation };
}

/** A customer of the customers API must not be deleted. Other IDs need not be known. */
async function requireCustomer({ owner }: Principal, customerId: string): Promise<void> {
  if (!isRecordId('customer', customerId)) return;
  const { record } = await readCustomer(owner, customerId);
  if (record?.status !== 'deleted') return;
  const message = 'The customer of the invoice is deleted. Name another customer.';
  throw new ApiError('invalid_customer', { field: 'customerId', message });
}

/**
 * Checks that the invoice of a schedule can go to its customer by mail.
 * @param settings those of the account. Undefined: it sends no mails
 * @throws ApiError as a request that creates the invoice and sends it
 */
export async function requireMail(
  owner: Owner,
  body: CreateInvoice,
  settings: MailSettings | undefined,
): Promise<void> {
  const findCustomer = async (id: string) => (await readCustomer(owner, id)).record;
  const addressed = { ...body, customerId: customerIdWith(body.customerId, body.buyer) };
  await requireSendable(addressed, { settings, findCustomer });
}

const modeRemedies: Readonly<Partial<Record<string, string>>> = {
  mail_off: 'This deployment sends no mail. Set mode to issue or draft.',
  mail_kind_off:
    'Mails with invoices are off. Switch them on in the settings of the account, or set mode to issue or draft.',
  no_recipient:
    'The invoice has no email address. Add one to its buyer or customer, or set mode to issue or draft.',
};

/** Checks that a schedule can send its invoice by mail. @throws ApiError `invalid_mode` */
export async function requireSendMode(
  owner: Owner,
  body: CreateInvoice,
  settings: MailSettings | undefined,
): Promise<void> {
  try {
    await requireMail(owner, body, settings);
  } catch (error) {
    const message = error instanceof ApiError ? modeRemedies[error.code] : undefined;
    throw message === undefined ? error : new ApiError('invalid_mode', { field: 'mode', message });
  }
}

/**
 * Returns the check that a schedule can make its next invoice, and send it if it should.
 * @param principal the number that it has is not used
 */
export const checkTemplate =
  (principal: Principal, now: AccountTime): CheckTemplate =>
  async (schedule, template) => {
    const { owner } = principal;
    const time = { number: schedule.next, at: schedule.nextAt ?? now };
    const { body } = await asInvoiceError(() =>
      prepareScheduled({ ...principal, seq: 1 }, schedule, template, time),
    );
    if (schedule.makes === 'send') await requireSendMode(owner, body, await readAccount(owner.account));
  };
