/**
 * Reads the body of PutEvents, and decides about each entry as AWS documents it:
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
import { TargetDoubleError } from './target-error.ts';

/** An entry of a request. */
export interface EventEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly EventBusName: string;
  readonly Resources: readonly string[];
}

/** Why an entry is refused: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html */
export interface EntryRefusal {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

const fields = ['Detail', 'DetailType', 'EventBusName', 'Resources', 'Source', 'Time', 'TraceHeader'];
const maxEntries = 10;
const maxDetailType = 128;
/** AWS accepts 1 MB since January 2026. The pages of the API still say 256 KB, so the double accepts no more. */
const maxBytes = 262_144;

/** Reads the entries. @throws TargetDoubleError `ValidationException` if AWS would refuse the whole request */
export function readEntries(body: string): (EventEntry | EntryRefusal)[] {
  const { Entries: entries, ...others } = toObject(parse(body));
  const [unknown] = Object.keys(others).filter((name) => name !== 'EndpointId');
  if (unknown !== undefined) throw invalid(`Unknown field ${unknown}.`);
  if (!Array.isArray(entries) || entries.length < 1 || entries.length > maxEntries)
    throw invalid(`Entries must have 1 to ${maxEntries} members.`);
  const read = entries.map((entry) => readEntry(toObject(entry)));
  // "If you submit a request in which none of the entries have each of these properties, EventBridge fails the entire request."
  if (read.every((each) => 'ErrorCode' in each && each.ErrorMessage.startsWith(missing)))
    throw invalid('Parameter Source, DetailType or Detail is not valid.');
  if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > maxBytes)
    throw invalid('Total size of the entries in the request is over the limit.');
  return read;
}

const missing = 'Missing';

function readEntry(entry: Readonly<Record<string, unknown>>): EventEntry | EntryRefusal {
  const unknown = Object.keys(entry).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw invalid(`Unknown field ${unknown}.`);
  const { Source, DetailType, Detail, EventBusName = 'default', Resources = [] } = entry;
  for (const [name, value] of Object.entries({ Source, DetailType, Detail }))
    if (typeof value !== 'string' || value === '')
      return { ErrorCode: 'InvalidArgument', ErrorMessage: `${missing} ${name}.` };
  if (String(DetailType).length > maxDetailType)
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'DetailType is too long.' };
  // AWS services alone have sources with this beginning.
  if (String(Source).startsWith('aws.'))
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' };
  if (!isJsonObject(String(Detail)))
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  if (!Array.isArray(Resources) || Resources.some((each) => typeof each !== 'string'))
    throw invalid('Resources must be a list of texts.');
  return { Source, DetailType, Detail, EventBusName, Resources } as EventEntry;
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/events/CalculatePutEventsEntrySize.html */
function sizeOf({
  Time,
  Source,
  DetailType,
  Detail,
  Resources = [],
}: Readonly<Record<string, unknown>>): number {
  const texts = [Source, DetailType, Detail, ...(Resources as unknown[])];
  const bytes = texts.reduce<number>((sum, text) => sum + Buffer.byteLength(String(text ?? '')), 0);
  return bytes + (Time === undefined ? 0 : 14);
}

function isJsonObject(text: string): boolean {
  const value = parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new TargetDoubleError('SerializationException', 400, 'The request is not a JSON object.');
}

const invalid = (message: string) => new TargetDoubleError('ValidationException', 400, message);
