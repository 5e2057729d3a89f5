/** Creates events that no change announced, about resources that look real. */

import { eventExamples } from '../../shared/api/openapi/event-examples.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { draftEvent, type EventType } from '../../shared/domain/events/event.ts';
import type { EventDraft } from '../../shared/store/commit/outbox-item.ts';

const freeTexts = ['description', 'reference', 'reason'];
let resources = 0;

/** Returns a new event of a type, about a new resource, with text that is not ASCII. */
export function sampleEvent(type: EventType, { mode }: Owner): EventDraft {
  const { data } = eventExamples[type];
  const id = data.id.replace(/(?<=_).*/, String(++resources).padStart(26, '0'));
  const texts = freeTexts.filter((field) => field in data).map((field) => [field, 'Grüße, བརྡ་']);
  return draftEvent(type, { id, objectVersion: 1, mode }, now(), {
    ...data,
    id,
    ...Object.fromEntries(texts),
  });
}
