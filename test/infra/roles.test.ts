/** Tests that the threat model names what each function may do, as the template of `prod` defines it. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { roleSettings, threatModelFile, withRoleTable } from './role-table.ts';
import { synthesize } from './template.ts';

test('the table of roles in the threat model is current: run npm run docs:roles after a change', async () => {
  const text = await readFile(threatModelFile, 'utf8');
  expect(text).toBe(withRoleTable(text, await synthesize(roleSettings)));
  expect(
    text.match(/^\| `(background|dashboard|events|invoices|meta|pay|payments|refunds|webhooks)\//gm)?.length,
  ).toBeGreaterThan(30);
});
