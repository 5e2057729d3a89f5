/** Renders points in time, in the time zone of the account. The title says the time in UTC. */
import { html } from 'hono/html';
import { parseDueDate } from '../../base/due-date.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import {
  formatDueDate,
  formatMoment,
  formatShortDate,
  formatShortDueDate,
  formatShortMoment,
} from '../pages/dates.ts';
import type { Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';

export type ZoneContext = Pick<DashboardContext, 'timeZone'>;

/** For pages that belong to no account. */
export const inUtc: ZoneContext = { timeZone: 'UTC' };

/** Renders a point in time in words, with its zone. */
export const renderTime = ({ timeZone }: ZoneContext, instant: Instant): Markup =>
  render(instant, formatMoment(instant, timeZone));

/** Renders a point in time in a table. The foot of the page names the zone. */
export const renderShortTime = ({ timeZone }: ZoneContext, instant: Instant): Markup =>
  render(instant, formatShortMoment(instant, timeZone));

/** Renders the day of a point in time in a table. */
export const renderDay = ({ timeZone }: ZoneContext, instant: Instant): Markup =>
  render(instant, formatShortDate(instant, timeZone));

/** Renders a due date: without the time of day if it is the end of a day. */
export function renderDueDate({ timeZone }: ZoneContext, dueDate: string): Markup {
  const instant = dueInstantOf(dueDate);
  return render(instant, formatDueDate(instant, timeZone));
}

/** Renders a due date in a table, as `renderDueDate`. */
export function renderShortDueDate({ timeZone }: ZoneContext, dueDate: string): Markup {
  const instant = dueInstantOf(dueDate);
  return render(instant, formatShortDueDate(instant, timeZone));
}

const dueInstantOf = (dueDate: string): Instant => parseDueDate(dueDate)?.instant ?? 0;

function render(instant: Instant, text: string): Markup {
  const exact = toTimestamp(instant);
  return html`<time datetime="${exact}" title="${exact}">${text}</time>`;
}
