/** Decides whether a reminder of the plan is still to be sent. A reminder that somebody asked for depends on no plan. */
import type { AccountTime } from '../../base/time.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { planOfInvoice, reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import { customerType } from '../../domain/customers/record.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { MailReason } from '../../domain/mails/mail.ts';
import type { FindCustomer } from '../../domain/mails/recipient.ts';
import { dueReminder } from '../../domain/mails/reminder-times.ts';

/** What the plan of an invoice follows from. */
interface PlanSources {
  readonly account: Account;
  readonly invoice: Invoice;
  readonly findCustomer: FindCustomer;
}

/**
 * Returns why a reminder of the plan is not the one to send. Undefined: it is. Of several that are due, such as after a long failure, only
 * the last goes out: the others have timers of their own, and find that they are not.
 * @param day from the due date
 * @param at the moment, in the time of the account
 */
export async function reasonOfPlan(
  day: number | undefined,
  { account, invoice, findCustomer }: PlanSources,
  at: AccountTime,
): Promise<MailReason | undefined> {
  const plan = reminderPlanOf(account);
  if (!plan) return 'switched_off';
  const own = planOfInvoice(plan, invoice);
  if (own.days.length === 0) return 'reminders_paused';
  if (day === undefined || !own.days.includes(day)) return 'not_planned';
  const due = dueReminder(own, invoice.dueDate, at);
  if (due?.day !== day) return due && due.day > day ? 'superseded' : 'rescheduled';
  return (await isPausedForCustomer(invoice, findCustomer)) ? 'reminders_paused' : undefined;
}

/** Whether the customer of an invoice gets no reminders. Only a customer of the customers API can have that. */
const isPausedForCustomer = async ({ customerId }: Invoice, findCustomer: FindCustomer): Promise<boolean> =>
  customerType.isId(customerId) && (await findCustomer(customerId))?.remindersPaused === true;
