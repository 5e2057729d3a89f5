/** Events that no change has announced, about resources that look like real ones. */
import { type EventType, eventOf } from '../../shared/events/event.ts';
import type { Owner } from '../../shared/ids.ts';
import { eventExamples } from '../../shared/openapi/examples.ts';
import type { EventDraft } from '../../shared/store/outbox.ts';
import { now } from '../../shared/time.ts';

const freeTexts = ['description', 'reference', 'reason'];
let resources = 0;

/** A new event of that kind, about a resource of its own, with text in it that is not ASCII. */
export function sampleEvent(type: EventType, { mode }: Owner): EventDraft {
  const { data } = eventExamples[type];
  const id = data.id.replace(/(?<=_).*/, String(++resources).padStart(26, '0'));
  const texts = freeTexts.filter((field) => field in data).map((field) => [field, 'Grüße, བརྡ་']);
  return eventOf(type, { id, objectVersion: 1, mode }, now(), { ...data, id, ...Object.fromEntries(texts) });
}
