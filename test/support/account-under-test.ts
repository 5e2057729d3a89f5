/** An account whose records a test checks. */
import type { Api } from './api.ts';
import type { TestTable } from './table.ts';

export interface AccountUnderTest {
  /** `account#mode`. */
  readonly owner: string;
  readonly api: Api;
  readonly table: TestTable;
  readonly now: () => number;
}
