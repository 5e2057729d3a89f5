/**
 * Turns a record as the stream's API returns it into the record that Lambda hands to a function: binary as
 * base64, times in epoch seconds, the source's ARN added. Also Lambda's filter on event name and partition key.
 */
import type { _Record as ApiRecord, AttributeValue as ApiValue } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { Trigger } from '../triggers.ts';

export type StreamFilter = Extract<Trigger, { kind: 'stream' }>['filter'];

/** True if the trigger's function is to see the record. */
export function matches(record: ApiRecord, { eventName, pkPrefix }: StreamFilter): boolean {
  return record.eventName === eventName && (record.dynamodb?.Keys?.pk?.S ?? '').startsWith(pkPrefix);
}

/** The record as Lambda would pass it on. */
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
