/** Has tests that only `npm run test:all` runs. Programs outside of Jest import `run.ts` alone. */
import { test } from '@jest/globals';
import { isExhaustive } from './run.ts';

/** A test of a rule that another test of `npm test` covers in part, or that sends hundreds of requests. */
export const exhaustiveTest = isExhaustive ? test : test.skip;
