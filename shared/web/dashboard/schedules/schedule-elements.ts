/** Renders what several pages of schedules show. */
import { html } from 'hono/html';
import { type Schedule, statusOf } from '../../../domain/schedules/schedule.ts';
import { formatDate, formatShortDate } from '../../pages/dates.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { renderIdLink, renderShortIdLink, renderStatus } from '../records/record-elements.ts';
import { scheduleStatusTexts } from './schedule-texts.ts';

/** Renders the status. A schedule that has stopped by itself is more than paused. */
export function renderScheduleStatus(schedule: Schedule): Markup {
  const status = statusOf(schedule);
  return renderStatus(status === 'paused' && schedule.failure ? 'stopped' : status, scheduleStatusTexts);
}

const pathOfMade = (id: string): string => (id.startsWith('drft_') ? '/drafts' : '/invoices');

/** Renders a link to the invoice or draft that a schedule has made. */
export const renderMade = (context: Pick<DashboardContext, 'url'>, id: string): Markup =>
  renderIdLink(context, pathOfMade(id), id);

/** Renders the same link in a table. */
export const renderShortMade = (context: Pick<DashboardContext, 'url'>, id: string): Markup =>
  renderShortIdLink(context, pathOfMade(id), id);

/** Renders a day, `YYYY-MM-DD`, which is the same in all time zones. */
export const renderPlainDay = (day: string): Markup =>
  html`<time datetime="${day}">${formatDate(Date.parse(day))}</time>`;

/** Returns a day in a table. */
export const shortDayText = (day: string): string => formatShortDate(Date.parse(day));
