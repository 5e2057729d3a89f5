/**
 * Says which run this is. `npm test` covers each endpoint, rule and flow once, and `npm run test:all` covers every combination.
 * A file that is run by its path covers every combination, too.
 */
import { test } from '@jest/globals';

/** True if the run covers every combination. */
export const isExhaustive = process.env.REMIT_TESTS === 'all';

/** A test of a rule that another test of `npm test` covers in part, or that sends hundreds of requests. */
export const exhaustiveTest = isExhaustive ? test : test.skip;
