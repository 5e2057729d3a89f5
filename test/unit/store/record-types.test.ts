import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../../../infra/local/handler.ts';
import { deliveryType } from '../../../shared/domain/webhooks/record.ts';
import type { RecordBase, RecordType } from '../../../shared/store/records.ts';

const isRecordType = (value: unknown): value is RecordType<RecordBase> =>
  value instanceof Object && 'keyOf' in value && 'attributes' in value;

/** Returns the names of all exported record types that have the attribute. */
async function typesWith(attribute: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const file of globSync('shared/domain/**/{record,*-store}.ts', { cwd: repositoryRoot })) {
    const exported = Object.entries<unknown>(await import(join(repositoryRoot, file)));
    for (const [name, value] of exported)
      if (isRecordType(value) && value.attributes.includes(attribute)) names.push(name);
  }
  return names;
}

// DynamoDB deletes an item at its `expiresAt`, in seconds. A time of another name and unit deletes nothing.
test('only deliveries expire, and no other record has an attribute of the name', async () => {
  expect(await typesWith('createdAt')).toEqual(expect.arrayContaining(['checkoutType', 'exportType']));
  expect(await typesWith('expiresAt')).toEqual([]);
  expect(deliveryType('wh_1').attributes).toContain('expiresAt');
});
