/** Runs the functions that do work on work that they cannot read. */
import { expect } from '@jest/globals';
import { triggers } from '../../infra/triggers.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { padMinute, tableKeys, timerPartition } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import { type ObservedFunctions, queueEvent, streamEvent } from './observed-calls.ts';

interface Driver {
  readonly run: ObservedFunctions['run'];
  readonly table: TestTable;
  readonly owner: Owner;
  readonly now: () => number;
}

/** Gives each function work that it sets aside. */
export async function driveSetAside({ run, table, owner, now }: Driver): Promise<void> {
  for (const trigger of Object.values(triggers)) {
    if (trigger.kind !== 'queue') continue;
    expect(await run(trigger.handler, queueEvent({}))).toEqual({ batchItemFailures: [] });
  }
  const outboxItem = (at: number) => ({ ...tableKeys.outbox(owner, at, 'malformed'), ...owner });
  const relayed = streamEvent([outboxItem(now())]);
  expect(await run(triggers.publishOutbox.handler, relayed)).toEqual({ batchItemFailures: [] });
  const minute = Math.floor(now() / 60_000);
  await table.delete(tableKeys.watermark);
  await table.put({ ...tableKeys.watermark, closed: minute - 2, done: minute - 2 });
  await table.put({ pk: timerPartition(minute, 0), sk: `${padMinute(minute)}#malformed` });
  await table.put(outboxItem(now() - 120_000));
  await run(triggers.sweep.handler, {});
  expect((await table.all('SETASIDE')).length).toBeGreaterThan(8);
  await table.delete(tableKeys.watermark);
}
