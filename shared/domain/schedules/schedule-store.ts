/** Reads schedules, and creates the commands that create and change them. */
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { mergeMetadata } from '../../base/metadata.ts';
import type { AccountTime } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import { type Change, Command, type Reservation, requireNew } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import { fromItem, type LoadedRecord, readItems } from '../../store/records.ts';
import type { Filled } from '../charges/line.ts';
import { noContent } from '../drafts/draft.ts';
import { contentWith } from '../drafts/transitions.ts';
import { requirePlaceholders } from './placeholders.ts';
import { fromTemplateItem, scheduleType, toOccurrenceItem, toTemplateItem } from './record.ts';
import {
  type CreateSchedule,
  type Occurrence,
  type Schedule,
  type ScheduleTemplate,
  type ShownSchedule,
  showSchedule,
  type UpdateSchedule,
} from './schedule.ts';
import { createSchedule, runNow, type ScheduleChange, skipTime, updateSchedule } from './transitions.ts';

/** A schedule with the invoice that it makes. */
export interface LoadedSchedule extends LoadedRecord<Schedule> {
  /** Undefined: an erasure has removed it. */
  readonly template: ScheduleTemplate | undefined;
}

/**
 * Reads a schedule with its invoice. One call, strongly consistent.
 * @param owner undefined: of any account, on behalf of the service itself
 * @throws MalformedItemError
 */
export async function readSchedule(owner: Owner | undefined, id: string): Promise<LoadedSchedule> {
  const keys = [tableKeys.record(id), tableKeys.scheduleTemplate(id)];
  const items = isRecordId('schedule', id) ? await readItems(keys) : [];
  const itemOf = (index: number) => items.find(({ sk }) => sk === keys[index]?.sk);
  const item = itemOf(0);
  const own = owner ?? ({ account: item?.account, mode: item?.mode } as Owner);
  const record = fromItem(scheduleType, own, item);
  const template = itemOf(1);
  return {
    type: scheduleType,
    owner: own,
    id,
    record,
    template: record && template && fromTemplateItem(template),
  };
}

/** Returns the schedule of a loaded record. @throws ApiError `schedule_not_found` */
export function requireSchedule({ record }: Pick<LoadedRecord<Schedule>, 'record'>): Schedule {
  if (!record) throw new ApiError('schedule_not_found');
  return record;
}

/** Returns the invoice of a new schedule as the service stores it. @throws ApiError `invalid_metadata` or `invalid_invoice` */
export const newTemplate = (sent: Filled<CreateSchedule['invoice']>): ScheduleTemplate =>
  changedTemplate({ content: noContent }, sent);

/** Returns the invoice of a schedule with the fields that a client sends. @throws ApiError `invalid_metadata` or `invalid_invoice` */
export function changedTemplate(
  template: ScheduleTemplate,
  { metadata, ...sent }: Filled<NonNullable<UpdateSchedule['invoice']>>,
): ScheduleTemplate {
  const content = contentWith(template.content, sent);
  requirePlaceholders(content);
  return { content, metadata: mergeMetadata(template.metadata, metadata) };
}

/** Checks that a schedule can make its next invoice. It throws an `ApiError` if it cannot. */
export type CheckTemplate = (schedule: Schedule, template: ScheduleTemplate) => Promise<void>;

/**
 * Prepares the command that creates a schedule, with the sequence number that authorization allocated.
 * @param check rejects before anything is stored
 * @param timeZone the time zone of a schedule that names none
 * @throws ApiError as `createSchedule` and `check`
 */
export async function createScheduleCommand(
  { owner, idKeys, seq }: Pick<Principal, 'owner' | 'idKeys' | 'seq'>,
  body: Omit<CreateSchedule, 'invoice'>,
  template: ScheduleTemplate,
  check: CheckTemplate,
  { timeZone, now }: { readonly timeZone: string; readonly now: AccountTime },
): Promise<Command<[Schedule], ShownSchedule>> {
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'schedule' }, seq);
  const change = createSchedule({ ...owner, id, seq }, body, timeZone, now);
  await check(change.record, template);
  return new Command([{ type: scheduleType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    return {
      changes: [change],
      answer: showSchedule(change.record, template),
      puts: [toTemplateItem(owner, id, template)],
    };
  });
}

/** The schedule has changed after its invoice was read. Nobody sees this error. */
class ChangedMeanwhile extends Error {}

/** What a command decides about a schedule. */
interface ScheduleDecision {
  readonly change: Change<Schedule> | undefined;
  readonly occurrences?: readonly Occurrence[];
  readonly template?: ScheduleTemplate | undefined;
}

/** Throws if a schedule does not meet a further condition of a command. */
type RequireSchedule = (schedule: Schedule) => void;

interface ChangeChecks {
  readonly require?: RequireSchedule | undefined;
  /** Reads what the decision needs, again if another command was faster. */
  readonly prepare?: (present: LoadedSchedule) => Promise<void>;
}

/** Creates a command on a schedule and its invoice. If another one changes them first, both are read again. */
function changeCommand(
  loaded: LoadedSchedule,
  decide: (schedule: Schedule, template: ScheduleTemplate | undefined) => ScheduleDecision,
  { require, prepare = async () => {} }: ChangeChecks = {},
): Command<[Schedule], ShownSchedule> {
  const { owner, id } = loaded;
  let present = loaded;
  return new Command<[Schedule], ShownSchedule>(
    [loaded],
    (record) => {
      const schedule = requireSchedule({ record });
      require?.(schedule);
      if (schedule.version !== present.record?.version) throw new ChangedMeanwhile();
      const { change, occurrences = [], template = present.template } = decide(schedule, present.template);
      const isOther = template !== undefined && template !== present.template;
      return {
        changes: [change],
        answer: showSchedule(change?.record ?? schedule, template),
        ...(isOther && { puts: [toTemplateItem(owner, id, template)] }),
        reserves: occurrences.map((each) => reserveOccurrence(owner, id, each)),
      };
    },
    {
      resolveRefusal: async (refusal) => {
        if (!(refusal instanceof ChangedMeanwhile)) return false;
        present = await readSchedule(owner, id);
        await prepare(present);
        return true;
      },
    },
  );
}

/** Returns the item that only one transaction can put: what came of a time. */
export function reserveOccurrence(owner: Owner, id: string, occurrence: Occurrence): Reservation {
  return {
    item: toOccurrenceItem(owner, id, occurrence),
    // Only a change of the schedule puts it, so this is a version conflict, or somebody has edited the table.
    refuse: () => new ApiError('internal_error'),
  };
}

/**
 * Prepares the command that changes a schedule. The command throws the errors of `updateSchedule`.
 * @param invoice the fields of the invoice that change. Undefined: none
 * @param check rejects before anything is stored
 * @param require checks a further condition on the schedule, and throws if the schedule does not meet it
 * @throws ApiError as `changedTemplate` and `check`
 */
export async function updateScheduleCommand(
  loaded: LoadedSchedule,
  body: Omit<UpdateSchedule, 'invoice'>,
  invoice: Filled<NonNullable<UpdateSchedule['invoice']>> | undefined,
  check: CheckTemplate,
  now: AccountTime,
  require?: RequireSchedule,
): Promise<Command<[Schedule], ShownSchedule>> {
  let changed: ScheduleTemplate | undefined;
  const prepare = async ({ record, template }: LoadedSchedule) => {
    changed = undefined;
    if (!template || record?.status !== 'open') return;
    const next = invoice ? changedTemplate(template, invoice) : template;
    const isOther = !isSameTemplate(next, template);
    const beginsToSend = body.mode === 'send' && record.makes !== 'send';
    if (!isOther && !beginsToSend) return;
    const after = updateSchedule(record, body, isOther, now)?.change.record ?? record;
    if (after.status === 'open') await check(after, next);
    if (isOther) changed = next;
  };
  await prepare(loaded);
  return changeCommand(
    loaded,
    (schedule) => ({
      change: undefined,
      ...updateSchedule(schedule, body, changed !== undefined, now),
      template: changed,
    }),
    { require, prepare },
  );
}

const isSameTemplate = (one: ScheduleTemplate, other: ScheduleTemplate): boolean =>
  JSON.stringify([one.content, one.metadata]) === JSON.stringify([other.content, other.metadata]);

/** Creates the command that skips the next time. The command throws the errors of `skipTime`. */
export const skipCommand = (
  loaded: LoadedSchedule,
  now: AccountTime,
  require?: RequireSchedule,
): Command<[Schedule], ShownSchedule> =>
  changeCommand(loaded, (schedule): ScheduleChange => skipTime(schedule, now), { require });

/** Creates the command that makes the next invoice due now. The command throws the errors of `runNow`. */
export const runCommand = (
  loaded: LoadedSchedule,
  now: AccountTime,
  require?: RequireSchedule,
): Command<[Schedule], ShownSchedule> =>
  changeCommand(loaded, (schedule) => ({ change: runNow(schedule, now) }), { require });
