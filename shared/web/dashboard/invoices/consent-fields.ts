/** The fields with which a user goes on although something speaks against it. Forms offer them only then. */
import { html } from 'hono/html';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm, Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderHiddenInput } from '../forms.ts';
import { invoiceTexts, overTexts } from './invoice-texts.ts';

/** The box of other money under a reference that another payment has. */
export const allowField = 'allowDuplicateReference';
/** The box of money above the amount due, which is kept as credit. */
export const acceptOverField = 'acceptOver';

/** Renders a box. @param label says what the user allows */
const renderBox = (name: string, label: string, isTicked = false): Markup =>
  html`<p><label class="choice"><input type="checkbox" name="${name}" value="yes"${isTicked && ' checked'}>${label}</label></p>`;

/** Renders the box of other money. @param label says what the user allows */
export const renderAllow = (label: string, isTicked = false): Markup =>
  renderBox(allowField, label, isTicked);

/** Renders the box of money above the amount due, if a form was refused because of it, or had it ticked. Undefined: neither. */
export const renderAcceptOver = (failed: FailedForm | undefined): Markup | undefined => {
  const { errors, alert } = failed?.failure ?? {};
  const isTicked = failed?.fields.get(acceptOverField) === 'yes';
  return errors?.amount === overTexts.error || alert === overTexts.error || isTicked
    ? renderBox(acceptOverField, overTexts.accept, isTicked)
    : undefined;
};

/** The field with which a user goes on without the outcome of a payment. */
export const forceField = 'force';

/** Returns whether the form offers to go on without the outcome of a payment, and what it contains for that. */
export function forceOf({ can }: DashboardContext, failure: Failure | undefined) {
  const isOffered = failure?.isInProgress !== undefined && can('invoices:force');
  const content = isOffered
    ? html`<p>${invoiceTexts.forceHint}</p>${renderHiddenInput(forceField, 'payment_in_progress')}`
    : undefined;
  return { isOffered, content };
}
