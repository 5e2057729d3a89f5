/** Serves the list of schedules. */
import { html } from 'hono/html';
import { readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { listSchedulesQuery } from '../../../domain/schedules/schedule.ts';
import { readScheduleIndex, readSchedulePage } from '../../../domain/schedules/schedule-list-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { customerOfDraft } from '../invoices/draft-views.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { parseListQuery } from '../records/list-query.ts';
import { renderButtonLink, renderShortIdLink } from '../records/record-elements.ts';
import { offsetPartOf, renderList } from '../records/record-list.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { renderScheduleStatus, renderShortMade } from './schedule-elements.ts';
import { everyText, scheduleTexts } from './schedule-texts.ts';

export const scheduleListPage: DashboardPage = {
  path: '/schedules',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { query, errors } = parseListQuery(listSchedulesQuery, request, ['offset']);
    const owner = requestOwnerOf(request);
    const [{ principal }, view] = await Promise.all([
      readAccountUsage(owner, context.now),
      readScheduleIndex(owner),
    ]);
    const { offset, limit } = query;
    const { data, pagination } = await readSchedulePage(principal, view, { offset, limit, isReadOnly: true });
    const customers = data.map(({ template }) => template && customerOfDraft(template.content));
    const names = await readCustomerNames(
      owner,
      customers.filter((each) => each !== undefined),
    );
    const columns = [
      scheduleTexts.one,
      fieldNames.customer,
      scheduleTexts.repeats,
      fieldNames.status,
      scheduleTexts.nextTime,
      scheduleTexts.lastMade,
    ];
    const rows = data.map(({ schedule }, index) => {
      const { id, every, nextAt, last } = schedule;
      const customer = customers[index];
      return [
        renderShortIdLink(context, '/schedules', id),
        customer ? renderCustomerName(context, names, customer) : '',
        everyText(every),
        renderScheduleStatus(schedule),
        nextAt === undefined ? scheduleTexts.none : renderShortTime(context, nextAt),
        last
          ? html`<span>${renderShortTime(context, last.at)} ${renderShortMade(context, last.id)}</span>`
          : scheduleTexts.nothingMade,
      ];
    });
    const table = renderTable(
      scheduleTexts.table,
      columns.map((title) => ({ title })),
      rows,
    );
    return {
      title: scheduleTexts.title,
      section: 'invoices',
      aside: context.can('invoices:write')
        ? renderButtonLink(context.url('/schedules/new'), scheduleTexts.create, '')
        : undefined,
      content: renderList({
        link: context.url('/schedules'),
        filters: {},
        errors,
        ...offsetPartOf(data, pagination, table),
        empty: scheduleTexts.empty,
        noMatch: scheduleTexts.empty,
      }),
    };
  },
};
