/** Tests when reminders are due: days from the due date, time zones, changes of the clocks, and days off. */
import { describe, expect, test } from '@jest/globals';
import {
  areDaysOff,
  formatReminderDays,
  parseDaysOff,
  parseReminderDays,
  planOfInvoice,
  type ReminderPlan,
  reminderPlanOf,
} from '../../../shared/domain/accounts/reminder-plan.ts';
import { dueReminder, nextReminder, remindersBetween } from '../../../shared/domain/mails/reminder-times.ts';

const plan = (fields: Partial<ReminderPlan> = {}): ReminderPlan => ({
  days: [-3, 0, 3, 14],
  hour: 9,
  daysOff: [],
  timeZone: 'Asia/Thimphu',
  ...fields,
});
const all = (of: ReminderPlan, dueDate: string) =>
  remindersBetween(of, dueDate, 0, Date.UTC(2100, 0)).map(
    ({ day, at }) => `${day} ${new Date(at).toISOString()}`,
  );

describe('times', () => {
  test('are at the hour of the time zone, on days from the day that pages show', () => {
    const expected = [
      '-3 2026-12-12T03:00:00.000Z',
      '0 2026-12-15T03:00:00.000Z',
      '3 2026-12-18T03:00:00.000Z',
      '14 2026-12-29T03:00:00.000Z',
    ];
    // A plain date is its day in every zone. An instant has the day of the zone.
    expect(all(plan(), '2026-12-15T23:59:59.999Z')).toEqual(expected);
    expect(all(plan(), '2026-12-14T18:00:00.000Z')).toEqual(expected);
    expect(all(plan({ timeZone: 'Unknown/Zone' }), '2026-12-15T23:59:59.999Z')[1]).toBe(
      '0 2026-12-15T09:00:00.000Z',
    );
  });

  test('follow the clocks of the zone when they change', () => {
    const berlin = plan({ days: [0, 1, 2], timeZone: 'Europe/Berlin', hour: 9 });
    expect(all(berlin, '2027-03-27T23:59:59.999Z')).toEqual([
      '0 2027-03-27T08:00:00.000Z',
      '1 2027-03-28T07:00:00.000Z',
      '2 2027-03-29T07:00:00.000Z',
    ]);
    // The clocks skip this hour.
    const skipped = all({ ...berlin, hour: 2 }, '2027-03-27T23:59:59.999Z')[1];
    expect(['1 2027-03-28T01:00:00.000Z', '1 2027-03-28T00:00:00.000Z']).toContain(skipped);
  });

  test('are on the next day that is not off', () => {
    // 2026-12-12 is a Saturday.
    const off = plan({ days: [0, 1, 2, 3], daysOff: ['saturday', 'sunday', 'monday'] });
    expect(all(off, '2026-12-12T23:59:59.999Z').map((each) => each.slice(0, 12))).toEqual([
      '0 2026-12-15',
      '1 2026-12-15',
      '2 2026-12-15',
      '3 2026-12-15',
    ]);
    // Of reminders of one day, only the last goes out.
    expect(dueReminder(off, '2026-12-12T23:59:59.999Z', Date.UTC(2026, 11, 15, 12))?.day).toBe(3);
    const six = plan({
      days: [0],
      daysOff: ['saturday', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday'],
    });
    expect(all(six, '2026-12-12T23:59:59.999Z')).toEqual(['0 2026-12-18T03:00:00.000Z']);
  });

  test('are found from any moment: the last that is due, and the next', () => {
    const dueDate = '2026-12-15T23:59:59.999Z';
    const at = (day: number, hour: number) => Date.UTC(2026, 11, day, hour);
    expect(dueReminder(plan(), dueDate, at(12, 2))).toBeUndefined();
    expect(dueReminder(plan(), dueDate, at(12, 3))?.day).toBe(-3);
    expect(dueReminder(plan(), dueDate, at(28, 23))?.day).toBe(3);
    expect(dueReminder(plan(), dueDate, Date.UTC(2099, 0))?.day).toBe(14);
    expect(nextReminder(plan(), dueDate, at(12, 2))?.day).toBe(-3);
    expect(nextReminder(plan(), dueDate, at(12, 3))?.day).toBe(0);
    expect(nextReminder(plan(), dueDate, at(29, 3))).toBeUndefined();
  });
});

describe('plans', () => {
  test.each([
    ['-3, 0, 3, 14', [-3, 0, 3, 14]],
    ['14,+3,0,-3', [-3, 0, 3, 14]],
    ['-0', [0]],
    ['', []],
    ['-61', undefined],
    ['366', undefined],
    ['1,1', undefined],
    ['1.5', undefined],
    ['1,,2', undefined],
    ['a', undefined],
    ['1,2,3,4,5,6,7,8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['1,2,3,4,5,6,7,8,9', undefined],
  ])('%s is read as %p', (text, days) => {
    expect(parseReminderDays(text)).toEqual(days);
  });

  test('days off are at most six days of the week', () => {
    expect(parseDaysOff('Sunday, saturday')).toEqual(['sunday', 'saturday']);
    for (const text of ['sun', 'sunday,sunday', 'someday']) expect(parseDaysOff(text)).toBeUndefined();
    const week = 'monday,tuesday,wednesday,thursday,friday,saturday';
    expect(areDaysOff(week.split(','))).toBe(true);
    expect(parseDaysOff(`${week},sunday`)).toBeUndefined();
  });

  test('an invoice can have days of its own, or none', () => {
    const dueDate = '2026-12-15T23:59:59.999Z';
    expect(planOfInvoice(plan(), {})).toEqual(plan());
    expect(planOfInvoice(plan(), { reminders: [1] })).toEqual(plan({ days: [1] }));
    const paused = planOfInvoice(plan(), { reminders: [] });
    expect(all(paused, dueDate)).toEqual([]);
    expect(nextReminder(paused, dueDate, 0)).toBeUndefined();
    expect(dueReminder(paused, dueDate, Date.UTC(2099, 0))).toBeUndefined();
  });

  test('an account without days has no plan', () => {
    const none = { mailReminders: undefined, mailReminderHour: undefined, mailDaysOff: undefined };
    expect(reminderPlanOf({ ...none, timeZone: undefined })).toBeUndefined();
    const stored = { ...none, mailReminders: formatReminderDays([3, -3]) ?? '', timeZone: 'Asia/Thimphu' };
    expect(reminderPlanOf(stored)).toEqual(plan({ days: [-3, 3] }));
    expect(formatReminderDays([])).toBeNull();
  });
});
