/** Tests that the page of the dashboard says what each role and each permission may do. It takes 3 s of CPU. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { dashboardFile, readDefinitions, withAbilityTables } from './ability-table.ts';

test('the tables of roles and permissions are current: run npm run docs:roles after a change', async () => {
  const definitions = await readDefinitions();
  const text = await readFile(dashboardFile, 'utf8');
  expect(text).toBe(withAbilityTables(text, definitions));
  expect(definitions.filter(({ isAction }) => isAction).length).toBeGreaterThan(60);
});
