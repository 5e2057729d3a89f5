/** The English texts of the page of the clock of test mode. */

export const clockTexts = {
  title: 'Clock of test mode',
  about:
    'The clock decides when due dates pass in test mode. Move it forward to see what happens then. It only moves forward, at most two years ahead of the real time.',
  names: { time: 'Time', ahead: 'Ahead of the real time', status: 'Status' },
  statuses: { ready: 'Ready', advancing: 'Advancing' },
  notAhead: 'Not ahead',
  moving:
    'The clock moves, and what becomes due is done in its order. Each time this page opens, the clock continues. The page opens itself again every few seconds.',
  paused: 'The service is in maintenance. The clock continues when you open this page after its end.',
  refresh: 'Refresh',
  forward: 'Move by a step',
  steps: [
    ['86400', 'Forward by a day'],
    ['604800', 'Forward by a week'],
    ['2678400', 'Forward by a month (31 days)'],
  ],
  toTitle: 'Move to a time',
  to: 'Move the clock',
  resetTitle: 'Return to the real time',
  resetHint: 'This is possible only if nothing was made or changed since the clock was first moved.',
  reset: 'Return to the real time',
} as const;

/** The fields of the forms. */
export const clockFields = {
  to: {
    label: 'Date and time',
    message:
      'Enter a date and time after the present time of the clock, and at most two years ahead of the real time.',
  },
} as const;
