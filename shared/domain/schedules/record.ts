/**
 * Defines how schedules are stored.
 *
 * - The record is small, because the transaction of each invoice writes it. The invoice that the schedule makes is beside it.
 * - What came of a time is an item of its own, which only one transaction can put. So no time makes two invoices.
 */
import { modes, type Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { defineNumberedType, type Item } from '../../store/records.ts';
import {
  arrayOf,
  compressibleText,
  count,
  defineItem,
  instant,
  jsonObject,
  objectOf,
  oneOf,
  optional,
  parseJson,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { type StoredText, toStoredText } from '../../store/stored-text.ts';
import type { DraftContent } from '../drafts/draft.ts';
import { storedContent } from '../drafts/record.ts';
import type {
  LastMade,
  Occurrence,
  Schedule,
  ScheduleFailure,
  ScheduleTemplate,
  TimeRange,
} from './schedule.ts';

export const scheduleType = defineNumberedType<Schedule>('schedule', {
  attributes: {
    every: objectOf<Schedule['every']>({ n: positive, unit: textOf<Schedule['every']['unit']>() }),
    startOn: text,
    day: optional(positive),
    hour: count,
    timeZone: text,
    endOn: optional(text),
    count: optional(positive),
    dueInDays: optional(count),
    makes: textOf<Schedule['makes']>(),
    late: textOf<Schedule['late']>(),
    pausedFrom: optional(positive),
    skips: optional(arrayOf(objectOf<TimeRange>({ number: positive, through: positive }))),
    failure: optional(objectOf<ScheduleFailure>({ code: text, message: text, at: instant })),
    next: positive,
    nextAt: optional(instant),
    made: count,
    last: optional(objectOf<LastMade>({ id: text, at: instant, isMailed: optional(oneOf(true)) })),
    createdAt: instant,
    updatedAt: instant,
  },
});

type TemplateItem = Owner & { readonly content: string; readonly metadata?: string | undefined };

const parseTemplate = defineItem<TemplateItem>(({ pk }) => `the invoice of ${pk}`, {
  account: text,
  mode: oneOf(...modes),
  content: compressibleText,
  metadata: optional(jsonObject),
});

/** Returns the item that stores the invoice of a schedule, beside its record. */
export function toTemplateItem(
  { account, mode }: Owner,
  id: string,
  { content, metadata }: ScheduleTemplate,
): Item {
  return {
    ...tableKeys.scheduleTemplate(id),
    account,
    mode,
    content: toStoredText(JSON.stringify(content)),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Returns the invoice of a schedule in an item. @throws MalformedItemError */
export function fromTemplateItem(item: Item): ScheduleTemplate {
  const { content, metadata } = parseTemplate(item);
  const parsed = parseJson(
    `the invoice of ${item.pk}`,
    'content',
    content as unknown as StoredText,
    storedContent as never,
  );
  return { content: parsed as DraftContent, metadata };
}

type OccurrenceItem = Owner & Occurrence;

const parseOccurrence = defineItem<OccurrenceItem>(({ pk, sk }) => `${pk} ${sk}`, {
  account: text,
  mode: oneOf(...modes),
  number: positive,
  through: positive,
  status: textOf<Occurrence['status']>(),
  reason: optional(textOf<NonNullable<Occurrence['reason']>>()),
  record: optional(text),
  at: instant,
});

/** Returns the item that stores what came of a time. */
export function toOccurrenceItem({ account, mode }: Owner, id: string, occurrence: Occurrence): Item {
  const present = Object.entries(occurrence).filter(([, value]) => value !== undefined);
  return {
    ...tableKeys.occurrence(id, occurrence.number),
    account,
    mode,
    ...Object.fromEntries(present),
  };
}

/** Returns what came of a time. @throws MalformedItemError */
export const fromOccurrenceItem = (item: Item): Occurrence => parseOccurrence(item);
