/**
 * Says which run this is. `npm test` covers each endpoint, rule and flow once, and `npm run test:all` covers every combination.
 * A file that is run by its path covers every combination, too.
 */
/** True if the run covers every combination. */
export const isExhaustive = process.env.REMIT_TESTS === 'all';
