/** Converts the items in records of the table's stream. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue as StreamValue } from 'aws-lambda';
import type { Item } from '../../store/records.ts';

/** Returns the item in an image of a stream record. Lambda passes binary values as base64. */
export function fromStreamImage(image: Readonly<Record<string, StreamValue>>): Item {
  return unmarshall(mapValues(image));
}

const mapValues = (values: Readonly<Record<string, StreamValue>>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fromStreamValue(value)]));

function fromStreamValue(value: StreamValue): AttributeValue {
  if (value.B !== undefined) return { B: Buffer.from(value.B, 'base64') };
  if (value.BS) return { BS: value.BS.map((text) => Buffer.from(text, 'base64')) };
  if (value.L) return { L: value.L.map(fromStreamValue) };
  if (value.M) return { M: mapValues(value.M) };
  return value as AttributeValue;
}
