/**
 * Shows the clock of test mode, with the forms that move it. While the clock moves, each request for the page advances it, as
 * each request of the API for the clock does.
 */
import { html } from 'hono/html';
import type { ShownClock } from '../../../base/test-clock.ts';
import { readClock } from '../../../operations/clock/changes.ts';
import { readPrincipalOfClock } from '../../../store/account-clock.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderBadge, renderDefinitions } from '../elements.ts';
import { renderButtonsForm, renderField, renderForm } from '../forms.ts';
import { clockPath } from '../links.ts';
import { renderButtonLink, renderFailure } from '../records/record-elements.ts';
import { renderTime, type ZoneContext } from '../times.ts';
import { clockFields, clockTexts } from './clock-texts.ts';

/** How long a browser waits before it opens the page of a moving clock again, in seconds. */
const refreshSeconds = 2;

export const clockPage: DashboardPage = {
  path: clockPath,
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    if (!context.clock) return undefined;
    if (context.clock.status === 'ready' || context.isInMaintenance)
      return showClockForms(context, context.clock);
    return showClockForms(context, await readClock(await readPrincipalOfClock(requestOwnerOf(request))));
  },
};

/** Shows a clock. Its forms are shown to users who may move it, while it does not move. */
export function showClockForms(
  context: DashboardContext,
  clock: ShownClock,
  failed?: FailedForm,
): DashboardView {
  const isMoving = clock.status === 'advancing';
  const canMove = context.can('clock:write') && !isMoving;
  return {
    title: clockTexts.title,
    clock,
    status: failed?.failure.status ?? 200,
    refreshSeconds: isMoving && !failed && !context.isInMaintenance ? refreshSeconds : undefined,
    content: html`${renderFailure(failed?.failure)}<section class="card"><p>${clockTexts.about}</p>${renderState(context, clock)}
${isMoving ? renderProgress(context) : ''}</section>${canMove ? renderMoves(context, clock, failed) : ''}`,
  };
}

function renderState(zone: ZoneContext, { now, offsetSeconds, status }: ShownClock): Markup {
  const { names, statuses, notAhead } = clockTexts;
  return renderDefinitions([
    [names.time, renderTime(zone, Date.parse(now))],
    [names.ahead, offsetSeconds > 0 ? formatDuration(offsetSeconds) : notAhead],
    [names.status, renderBadge(statuses[status], status === 'ready' ? 'good' : 'warn')],
  ]);
}

function renderProgress({ url, isInMaintenance }: DashboardContext): Markup {
  return html`<p role="status">${isInMaintenance ? clockTexts.paused : clockTexts.moving}</p><p>${renderButtonLink(url(clockPath), clockTexts.refresh)}</p>`;
}

function renderMoves(
  context: DashboardContext,
  { offsetSeconds }: ShownClock,
  failed: FailedForm | undefined,
): Markup {
  const steps = clockTexts.steps.map(
    ([seconds, text]) =>
      html`<button class="plain" name="advanceSeconds" value="${seconds}">${text}</button>`,
  );
  const to = renderField({
    name: 'to',
    type: 'datetime-local',
    label: clockFields.to.label,
    value: failed?.fields.get('to') ?? '',
    error: failed?.failure.errors?.to,
  });
  const toForm = { action: context.url(`${clockPath}/to`), submit: clockTexts.to, content: to };
  const resetForm = {
    action: context.url(`${clockPath}/reset`),
    submit: clockTexts.reset,
    style: 'danger',
  } as const;
  return html`<section class="card"><h2>${clockTexts.forward}</h2>${renderButtonsForm(context, context.url(`${clockPath}/forward`), html`<div class="buttons">${steps}</div>`)}</section>
<section class="card"><h2>${clockTexts.toTitle}</h2>${renderForm(context, toForm)}</section>
${
  offsetSeconds > 0 &&
  html`<section class="card"><h2>${clockTexts.resetTitle}</h2><p>${clockTexts.resetHint}</p>${renderForm(context, resetForm)}</section>`
}`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a number of seconds: `31 days, 2 hours`. Less than a second becomes one second. */
function formatDuration(seconds: number): string {
  let rest = Math.max(1, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
  }
  return parts.join(', ');
}
