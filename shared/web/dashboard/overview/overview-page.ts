/** Shows the overview of an account, and what to do next if it has no invoices. */
import { html } from 'hono/html';
import { env } from '../../../base/env.ts';
import { statuses } from '../../../base/statuses.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderEventTable } from '../events/event-pages.ts';
import { renderInvoiceTable } from '../invoices/invoice-list.ts';
import { renderPaymentTable } from '../payments/payment-list.ts';
import { listLink } from '../records/list-query.ts';
import { renderButtonLink, renderCopy } from '../records/record-elements.ts';
import { statusTexts } from '../records/record-texts.ts';
import { frameTexts } from '../texts.ts';
import { renderEndpointTable } from '../webhooks/webhook-list.ts';
import { renderDecisions } from './decision-card.ts';
import { renderMoney } from './money-cards.ts';
import { type Overview, readOverview } from './overview-query.ts';
import { overviewTexts } from './overview-texts.ts';

export const overviewPage: DashboardPage = {
  path: '',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const overview = await readOverview(requestOwnerOf(request), context.moment);
    const isEmpty = Object.values(overview.counts).every((count) => count === 0);
    return {
      title: frameTexts.sections.overview,
      section: 'overview',
      content: html`${renderDecisions(context, overview.decisions, overview.names)}${renderFailing(context, overview)}${isEmpty ? renderFirstSteps(context) : html`${renderMoney(context, overview.summary)}${renderCounts(context, overview)}`}
${renderRateLimit(overview)}${isEmpty ? '' : renderLatest(context, overview)}`,
    };
  },
};

function renderCounts({ url }: DashboardContext, { counts }: Overview): Markup {
  const links = statuses.invoice.map(
    (status) =>
      html`<li><a href="${listLink(url('/invoices'), { status })}"><strong>${format(counts[status])}</strong> ${statusTexts[status]}</a></li>`,
  );
  return html`<section class="card"><h2>${overviewTexts.counts}</h2><ul class="counts">${links}</ul></section>`;
}

function renderRateLimit({ rateLimit: { limit, used } }: Overview): Markup {
  return html`<section class="card"><h2 id="limit">${overviewTexts.limit}</h2><p><meter min="0" max="${limit}" high="${Math.floor(limit * 0.9)}" value="${used}" aria-labelledby="limit"></meter> ${overviewTexts.used(format(used), format(limit))}</p></section>`;
}

function renderFailing(context: DashboardContext, { failing }: Overview): Markup | '' {
  if (failing.length === 0) return '';
  return html`<section class="card failing"><h2>${overviewTexts.failing(failing.length)}</h2><p>${overviewTexts.failingHint}</p>${renderEndpointTable(context, failing)}</section>`;
}

function renderLatest(context: DashboardContext, overview: Overview): Markup {
  const { invoices, payments, names, numbers, events } = overview;
  const { url } = context;
  const card = (title: string, path: string, content: Markup) =>
    html`<section class="card"><div class="heading"><h2>${title}</h2><a href="${url(path)}">${overviewTexts.all}<span class="hidden">: ${title}</span></a></div>${content}</section>`;
  const none = (text: string) => html`<p class="soft">${text}</p>`;
  return html`${card(overviewTexts.invoices, '/invoices', renderInvoiceTable(context, invoices, names))}
${card(overviewTexts.payments, '/payments', payments.length === 0 ? none(overviewTexts.noPayments) : renderPaymentTable(context, payments, names, numbers))}
${card(overviewTexts.events, '/events', events.length === 0 ? none(overviewTexts.noEvents) : renderEventTable(context, events))}`;
}

/** Renders what a new account needs before its first money: for people, and the same with the API. */
function renderFirstSteps(context: DashboardContext): Markup {
  const { can, url } = context;
  const items = overviewTexts.people.map(
    ({ title, hint, path, link, ability }) =>
      html`<li><h3>${title}</h3><p class="soft">${hint}</p><p>${can(ability) ? renderButtonLink(url(path), link) : overviewTexts.notYours}${path === '/settings/account' && can('providers:write') ? html` ${renderButtonLink(url('/settings/providers'), overviewTexts.providers)}` : ''}</p></li>`,
  );
  return html`<section class="card"><h2>${overviewTexts.start}</h2><ol class="steps">${items}</ol>
<details><summary>${overviewTexts.api}</summary>${renderApiSteps(context)}</details></section>`;
}

function renderApiSteps({ mode, url }: DashboardContext): Markup {
  const api = env.baseUrl();
  const { key, keyHint, invoice, invoiceHint, pay, payHint } = overviewTexts.steps;
  const authorization = '-H "Authorization: Bearer $KEY"';
  const body = '{"customerId":"cust_1","amount":250000,"currency":"BTN","description":"Website design"}';
  const steps = [
    [key, keyHint, `KEY=sk_${mode}_…`],
    [
      invoice,
      invoiceHint,
      `curl ${api}/api/invoices ${authorization} -H 'Content-Type: application/json' -d '${body}'`,
    ],
    [pay, payHint[mode], `curl ${api}/api/events ${authorization}`],
  ] as const;
  const items = steps.map(
    ([title, hint, command]) =>
      html`<li><h3>${title}</h3><p class="soft">${hint}</p><p>${renderCopy(command, overviewTexts.command(title))}</p></li>`,
  );
  return html`<ol class="steps">${items}</ol><p>${renderButtonLink(url('/settings'), overviewTexts.settings)}</p>`;
}

const format = (count: number): string => count.toLocaleString('en-US');
