/**
 * Sends, reminds of or cancels the invoices that a user has selected in the list, each one as its own page does.
 *
 * - Each invoice is an attempt of its own, whose id follows from that of the form. So a form that is sent twice, also after a crash in its
 *   middle, has one effect for each invoice.
 * - One that is refused changes nothing for the others. The answer says what happened to each.
 */
import { html } from 'hono/html';
import { limitConcurrency } from '../../../base/limit-concurrency.ts';
import { readInvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { invoiceType } from '../../../domain/invoices/record.ts';
import { failureOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderForm, renderHiddenInput } from '../forms.ts';
import { renderButtonLink, renderEmpty } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { cancelOne } from './cancel-invoice.ts';
import { renderInvoiceLink, renderInvoiceTable } from './invoice-list.ts';
import { readSelectedInvoices } from './invoice-queries.ts';
import { selectedTexts as texts } from './selected-texts.ts';
import { sendOne } from './send-invoice.ts';

const path = '/invoices/selected';
/** As many as a page of the list has. */
const maxSelected = 20;
/** How many are changed at the same time. A request ends within seconds also if a provider is slow. */
const atOnce = 5;
const idsField = 'invoices';

type SelectedAction = 'send' | 'remind' | 'cancel';

/** Returns the ids that were sent, each once. */
const idsOf = (sent: readonly string[]): string[] =>
  [...new Set(sent)].filter((id) => invoiceType.isId(id)).slice(0, maxSelected);

export const selectedInvoicesPage: DashboardPage = {
  path,
  ability: 'invoices:write',
  handle: async (request) => {
    const { context, query } = request;
    const ids = idsOf(query.getAll('id'));
    const invoices = ids.length === 0 ? [] : await readSelectedInvoices(requestOwnerOf(request), ids);
    const back = renderButtonLink(context.url('/invoices'), texts.back);
    if (invoices.length === 0)
      return {
        title: texts.title,
        section: 'invoices',
        content: html`<section class="card">${renderEmpty(texts.none, back)}</section>`,
      };
    const names = await readCustomerNames(requestOwnerOf(request), invoices);
    const field = renderHiddenInput(idsField, invoices.map(({ id }) => id).join(' '));
    const form = (action: SelectedAction) =>
      renderForm(context, {
        action: context.url(`${path}/${action}`),
        submit: texts[action],
        content: field,
        ...(action === 'cancel' && { style: 'danger' as const }),
      });
    return {
      title: texts.title,
      section: 'invoices',
      content: html`<section class="card">${renderInvoiceTable(context, invoices, names)}</section>
<section class="card"><p>${texts.sendHint}</p>${form('send')}</section>
<section class="card"><p>${texts.remindHint}</p>${form('remind')}</section>
<section class="card"><p>${texts.cancelHint}</p>${form('cancel')}</section><p>${back}</p>`,
    };
  },
};

/** Changes one invoice. @throws what `failureOf` knows */
type ChangeOne = (request: ActionRequest, id: string) => Promise<unknown>;

function actionOnAll(name: SelectedAction, done: string, change: ChangeOne): DashboardAction {
  return {
    path: `${path}/${name}`,
    ability: 'invoices:write',
    fields: [idsField],
    formPage: () => '/invoices',
    handle: async (request) => {
      const ids = idsOf((request.form.get(idsField) ?? '').split(' '));
      if (ids.length === 0) return undefined;
      const limited = limitConcurrency(atOnce);
      const results = await Promise.all(
        ids.map((id) => limited(async () => [id, await outcomeOf(request, id, change)] as const)),
      );
      return showResults(request, new Map(results.map(([id, text]) => [id, text ?? done])));
    },
  };
}

/** Returns why an invoice was left out. Undefined: the change is done. */
async function outcomeOf(request: ActionRequest, id: string, change: ChangeOne): Promise<string | undefined> {
  try {
    await change({ ...request, attempt: `${request.attempt}:${id}` }, id);
    return undefined;
  } catch (error) {
    const failure = failureOf(error, {});
    return failure?.alert ?? texts.unknown;
  }
}

async function showResults(
  request: ActionRequest,
  outcomes: ReadonlyMap<string, string>,
): Promise<ActionResult> {
  const { context } = request;
  const numbers = await readInvoiceNumbers(requestOwnerOf(request), [...outcomes.keys()]);
  const rows = [...outcomes].map(([id, text]) => [
    renderInvoiceLink(context, { id, number: numbers.get(id) ?? null }),
    text,
  ]);
  const columns = [{ title: fieldNames.invoice }, { title: texts.result }];
  return {
    view: {
      title: texts.results,
      section: 'invoices',
      content: html`<section class="card">${renderTable(texts.results, columns, rows)}</section><p>${renderButtonLink(context.url('/invoices'), texts.back)}</p>`,
    },
  };
}

export const selectedInvoicesActions: readonly DashboardAction[] = [
  actionOnAll('send', texts.queued, (request, id) => sendOne(request, id, {})),
  actionOnAll('remind', texts.reminded, (request, id) => sendOne(request, id, { kind: 'reminder' })),
  actionOnAll('cancel', texts.cancelled, (request, id) =>
    cancelOne(request, id, { isForced: false, payments: undefined }),
  ),
];
