/** Shows the money of the last 90 days in one currency: a bar for each day, and a table of the days on which something happened. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Currency, currencySchema } from '../../../base/money.ts';
import { dayIn } from '../../../domain/accounts/fiscal-year.ts';
import { addDays } from '../../../domain/journal/summarize.ts';
import type { Period } from '../../../domain/journal/summary.ts';
import { readSummary } from '../../../domain/journal/summary-store.ts';
import { formatSigned } from '../../charge-rows.ts';
import { formatDate } from '../../pages/dates.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderButtonLink, renderEmpty } from '../records/record-elements.ts';
import { renderBarChart } from './bar-chart.ts';
import { compactAmount, periodFigures, periodName } from './money-cards.ts';
import { moneyTexts } from './money-texts.ts';

const shownDays = 90;

export const daysPage: DashboardPage = {
  path: '/days',
  ability: 'account:read',
  handle: async (request) => {
    const { context, query } = request;
    const currency = query.get('currency');
    if (!v.is(currencySchema, currency)) return undefined;
    const { account: now } = context.moment;
    const from = addDays(dayIn(context.timeZone, now), 1 - shownDays);
    const range = { by: 'day', from, to: undefined, currency } as const;
    const { currencies, today, timeZone } = await readSummary(requestOwnerOf(request), range, now);
    const periods = currencies[0]?.periods ?? [];
    return {
      title: moneyTexts.daysTitle(currency),
      section: 'overview',
      aside: renderButtonLink(context.url(''), moneyTexts.back),
      content: html`<section class="card">${periods.length === 0 ? renderEmpty(moneyTexts.noDays) : renderDays(currency, periods, today)}
<p class="note">${moneyTexts.note(formatDate(Date.parse(today)), timeZone)}</p></section>`,
    };
  },
};

function renderDays(currency: Currency, periods: readonly Period[], today: string): Markup {
  const dateOf = ({ from }: Period) => formatDate(Date.parse(from));
  const nameOf = (period: Period) => periodName(dateOf(period), period, today);
  const groups = periods.map((period) => ({
    label: period.from.endsWith('-01') ? dateOf(period) : '',
    bars: [
      {
        value: Math.max(0, Number(period.received)),
        title: `${nameOf(period)}: ${formatSigned(period.received, currency)}`,
      },
    ],
  }));
  const columns = [
    { title: moneyTexts.day },
    ...periodFigures.map((name) => ({ title: moneyTexts[name], isNumber: true as const })),
  ];
  const rows = periods
    .filter((period) => periodFigures.some((name) => period[name] !== 0))
    .toReversed()
    .map((period) => [nameOf(period), ...periodFigures.map((name) => formatSigned(period[name], currency))]);
  return html`<div class="charts"><div><figure><figcaption class="legend"><span class="key-1">${moneyTexts.received}</span> <small>${moneyTexts.dayNotOver}</small></figcaption>${renderBarChart(`days-${currency}`, moneyTexts.daysTitle(currency), groups, (value) => compactAmount(value, currency))}</figure></div></div>
${renderTable(moneyTexts.daysTitle(currency), columns, rows)}`;
}
