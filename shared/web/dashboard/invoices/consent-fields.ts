/** The fields with which a user goes on although something speaks against it. Forms offer them only then. */
import { html } from 'hono/html';
import type { Markup } from '../../pages/markup.ts';
import type { Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderHiddenInput } from '../forms.ts';
import { invoiceTexts } from './invoice-texts.ts';

/** The box of other money under a reference that another payment has. */
export const allowField = 'allowDuplicateReference';

/** Renders the box. @param label says what the user allows */
export const renderAllow = (label: string): Markup =>
  html`<p><label class="choice"><input type="checkbox" name="${allowField}" value="yes">${label}</label></p>`;

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
