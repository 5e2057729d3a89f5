/**
 * Makes each stack of a test file run the mix of releases that `REMIT_RELEASE_MIX` names. The imports are dynamic, because
 * the log level must be set before `shared/log.ts` is loaded.
 */
process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
const { mixReleases, releaseMixes } = await import('./mixed-releases.ts');

const mix = releaseMixes.find((name) => name === process.env.REMIT_RELEASE_MIX);
if (!mix) throw new Error(`Set REMIT_RELEASE_MIX to one of: ${releaseMixes.join(', ')}.`);
await mixReleases(mix, Number(process.env.HISTORY_SEED ?? 1));
