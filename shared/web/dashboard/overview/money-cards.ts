/** Renders what an account received and what is outstanding: a card for each currency, with charts and the tables behind them. */
import { html } from 'hono/html';
import type { Sum } from '../../../base/exact-sum.ts';
import type { Currency } from '../../../base/money.ts';
import type { Ages, CurrencySummary, Period, Summary } from '../../../domain/journal/summary.ts';
import { formatSigned } from '../../charge-rows.ts';
import { formatDate } from '../../pages/dates.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { renderDefinitions, renderTable } from '../elements.ts';
import { listLink } from '../records/list-query.ts';
import { renderBarChart } from './bar-chart.ts';
import { moneyTexts } from './money-texts.ts';

/** Renders the cards of an account, one for each currency that it has used. */
export const renderMoney = (context: Pick<DashboardContext, 'url'>, summary: Summary): Markup =>
  html`${summary.currencies.map((each) => renderCurrency(context, each, summary))}`;

function renderCurrency(
  { url }: Pick<DashboardContext, 'url'>,
  summary: CurrencySummary,
  { today, timeZone }: Summary,
): Markup {
  const { currency, outstanding, overdue, periods } = summary;
  const [before, present] = periods.slice(-2);
  const amount = (value: Sum) => html`<span class="amount">${formatSigned(value, currency)}</span>`;
  const received = (period: Period | undefined) => amount(period?.received ?? 0);
  return html`<section class="card"><h2>${moneyTexts.heading(currency)}</h2>
${renderDefinitions([
  [moneyTexts.receivedNow, html`<strong>${received(present)}</strong>`],
  [moneyTexts.receivedBefore, received(before)],
  [moneyTexts.outstanding, amount(outstanding)],
  [moneyTexts.overdue, overdue > 0 ? html`<strong>${amount(overdue)}</strong>` : amount(overdue)],
])}
<div class="charts"><div><h3>${moneyTexts.months}</h3>${renderMonths(currency, periods, today)}</div>
<div><h3>${moneyTexts.ages}</h3>${renderAges(currency, summary.ages)}</div></div>
<p><a href="${listLink(url('/days'), { currency })}">${moneyTexts.days}<span class="hidden">: ${currency}</span></a></p>
<p class="note">${moneyTexts.note(formatDate(Date.parse(today)), timeZone)}</p></section>`;
}

/** The figures of a period that tables show. */
export const periodFigures = ['received', 'refunded', 'fees', 'invoiced', 'cancelled'] as const;

/** Returns the name of a period, which says whether it has not ended. */
export const periodName = (name: string, { to }: Period, today: string): string =>
  to < today ? name : moneyTexts.soFar(name);

function renderMonths(currency: Currency, periods: readonly Period[], today: string): Markup {
  const nameOf = (period: Period) => periodName(monthOf(period.from, 'long'), period, today);
  const groups = periods.map((period) => ({
    label: monthOf(period.from, 'short'),
    bars: (
      [
        [moneyTexts.received, period.received],
        [moneyTexts.invoiced, period.invoiced],
      ] as const
    ).map(([name, value]) => ({
      value: Math.max(0, Number(value)),
      title: `${nameOf(period)}, ${name}: ${formatSigned(value, currency)}`,
    })),
  }));
  // A month without money has no row.
  const rows = periods
    .filter((period) => periodFigures.some((name) => period[name] !== 0))
    .map((period) => [nameOf(period), ...periodFigures.map((name) => formatSigned(period[name], currency))]);
  const { received, invoiced } = moneyTexts;
  const columns = [
    { title: moneyTexts.month },
    ...periodFigures.map((name) => ({ title: moneyTexts[name], isNumber: true as const })),
  ];
  return html`<figure><figcaption class="legend"><span class="key-1">${received}</span> <span class="key-2">${invoiced}</span> <small>${moneyTexts.monthNotOver}</small></figcaption>${renderBarChart(`months-${currency}`, moneyTexts.monthsOf(currency), groups, (value) => compactAmount(value, currency))}</figure>
<details><summary>${moneyTexts.table}</summary>${renderTable(moneyTexts.monthsOf(currency), columns, rows)}</details>`;
}

function renderAges(currency: Currency, ages: Ages): Markup {
  const named = (Object.keys(moneyTexts.ageNames) as (keyof Ages)[]).map(
    (name) => [moneyTexts.ageNames[name], ages[name]] as const,
  );
  const groups = named.map(([label, value]) => ({
    label: label.replace(/ days$/, ''),
    bars: [{ value: Math.max(0, Number(value)), title: `${label}: ${formatSigned(value, currency)}` }],
  }));
  const rows = named.map(([name, value]) => [name, formatSigned(value, currency)]);
  const columns = [{ title: moneyTexts.age }, { title: moneyTexts.outstanding, isNumber: true as const }];
  return html`<figure>${renderBarChart(`ages-${currency}`, moneyTexts.agesOf(currency), groups, (value) => compactAmount(value, currency))}</figure>
<details><summary>${moneyTexts.table}</summary>${renderTable(moneyTexts.agesOf(currency), columns, rows)}</details>`;
}

/** Formats an amount at an axis, in units of the currency. */
export const compactAmount = (amountMinor: number, currency: Currency): string =>
  `${currency} ${new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(amountMinor / 100)}`;

/** Returns the month of a day. */
const monthOf = (day: string, month: 'short' | 'long'): string =>
  new Intl.DateTimeFormat('en', {
    timeZone: 'UTC',
    month,
    ...(month === 'long' && { year: 'numeric' }),
  }).format(Date.parse(day));
