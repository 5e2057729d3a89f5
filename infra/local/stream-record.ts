/**
 * Converts a record of the stream API into the record that Lambda passes to a function: binary values become base64,
 * times become epoch seconds, and the ARN of the stream is added. It also applies Lambda's event filter.
 */
import type { _Record as ApiRecord, AttributeValue as ApiValue } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { Trigger } from '../triggers.ts';

export type StreamFilter = Extract<Trigger, { kind: 'stream' }>['filter'];

/** Returns true if the record passes the trigger's filter. */
export function matches(record: ApiRecord, { eventName, pkPrefix }: StreamFilter): boolean {
  return record.eventName === eventName && (record.dynamodb?.Keys?.pk?.S ?? '').startsWith(pkPrefix);
}

/** Returns the Lambda record. */
export function toLambdaRecord(record: ApiRecord, streamArn: string, region: string): DynamoDBRecord {
  const { ApproximateCreationDateTime, Keys, NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    eventSourceARN: streamArn,
    dynamodb: {
      ...rest,
      ...(ApproximateCreationDateTime && {
        ApproximateCreationDateTime: Math.floor(ApproximateCreationDateTime.getTime() / 1000),
      }),
      ...(Keys && { Keys: toLambdaItem(Keys) }),
      ...(NewImage && { NewImage: toLambdaItem(NewImage) }),
      ...(OldImage && { OldImage: toLambdaItem(OldImage) }),
    },
  };
}

function toLambdaItem(item: Readonly<Record<string, ApiValue>>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toLambdaValue(value)]));
}

function toLambdaValue(value: ApiValue): AttributeValue {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(toLambdaValue) };
  if (value.M) return { M: toLambdaItem(value.M) };
  return value as AttributeValue;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
