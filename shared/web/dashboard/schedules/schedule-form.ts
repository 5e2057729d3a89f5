/** Renders and reads the fields of a schedule in its forms. Those of its invoice are the fields of a new invoice. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { createScheduleBody, type Schedule, updateScheduleBody } from '../../../domain/schedules/schedule.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderField, renderSelect } from '../forms.ts';
import {
  type FieldErrors,
  lineOf,
  optionalLineOf,
  type SentFields,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import { scheduleFields } from './schedule-texts.ts';

/** The fields of a form that creates a schedule. */
export const newScheduleFieldNames: readonly string[] = Object.keys(scheduleFields);
/** The fields of a form that changes one. The days cannot change. */
export const changedScheduleFieldNames = [
  'hour',
  'timeZone',
  'endOn',
  'count',
  'dueInDays',
  'mode',
  'late',
] as const;

/** Evaluated on the first use, so that functions without forms do not build the schemas. */
const newSettings = () => v.omit(createScheduleBody, ['invoice']);
const changedSettings = () => v.pick(updateScheduleBody, [...changedScheduleFieldNames]);

/** What a form of a new schedule says beside the invoice. */
export type NewSettings = v.InferOutput<ReturnType<typeof newSettings>>;
/** What a form of a changed schedule says beside the invoice. */
export type ChangedSettings = v.InferOutput<ReturnType<typeof changedSettings>>;

/** Validates the fields of a new schedule, as the API does. */
export function readNewSchedule(fields: SentFields): ValidatedFields<NewSettings> {
  const input = {
    every: { n: wholeOf(fields, 'every'), unit: lineOf(fields, 'unit') },
    startOn: lineOf(fields, 'startOn'),
    day: wholeOf(fields, 'day'),
    ...settingsOf(fields),
  };
  const result = validateFields(newSettings(), input, scheduleFields);
  const isUnit = scheduleFields.unit.choices.some(([unit]) => unit === lineOf(fields, 'unit'));
  if (isUnit) return result;
  const { every: _, ...others } = result.ok ? {} : result.errors;
  return { ok: false, errors: { ...others, unit: scheduleFields.unit.message } };
}

/** Validates the fields of a changed schedule, as the API does. */
export const readChangedSchedule = (fields: SentFields): ValidatedFields<ChangedSettings> =>
  validateFields(changedSettings(), settingsOf(fields), scheduleFields);

const settingsOf = (fields: SentFields) => ({
  hour: wholeOf(fields, 'hour') ?? Number.NaN,
  timeZone: lineOf(fields, 'timeZone'),
  endOn: optionalLineOf(fields, 'endOn') ?? null,
  count: wholeOf(fields, 'count'),
  dueInDays: wholeOf(fields, 'dueInDays'),
  mode: lineOf(fields, 'mode'),
  late: lineOf(fields, 'late'),
});

/** Null: the field is empty. A text that is no whole number becomes NaN, which no schema accepts. */
function wholeOf(fields: SentFields, name: string): number | null {
  const text = optionalLineOf(fields, name);
  if (text === undefined) return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

/** The values of a form of a new schedule. */
export const newScheduleValues = (timeZone: string): Readonly<Record<string, string>> => ({
  every: '1',
  unit: 'month',
  hour: '9',
  timeZone,
  mode: 'issue',
  late: 'all',
});

/** The values of a form of a schedule that exists. */
export const scheduleValues = (schedule: Schedule): Readonly<Record<string, string>> => ({
  hour: String(schedule.hour),
  timeZone: schedule.timeZone,
  endOn: schedule.endOn ?? '',
  count: schedule.count === undefined ? '' : String(schedule.count),
  dueInDays: schedule.dueInDays === undefined ? '' : String(schedule.dueInDays),
  mode: schedule.makes,
  late: schedule.late,
});

type FieldName = keyof typeof scheduleFields;

/** Renders the fields of a schedule with the values that the user typed. @param isNew whether the form has the days, too */
export function renderScheduleFields(fields: URLSearchParams, errors: FieldErrors, isNew: boolean): Markup {
  const field = (name: FieldName, type?: 'date') => {
    const { label, ...texts } = scheduleFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    const shown = { name, label, hint, value: fields.get(name) ?? '', error: errors[name] };
    return 'choices' in texts
      ? renderSelect({ ...shown, choices: texts.choices })
      : renderField({ ...shown, ...(type && { type }) });
  };
  const days = html`<div class="pair">${field('every')}${field('unit')}</div>${field('startOn', 'date')}${field('day')}`;
  return html`${isNew ? days : ''}${field('hour')}${field('timeZone')}${field('mode')}${field('dueInDays')}${field('endOn', 'date')}${field('count')}${field('late')}`;
}
