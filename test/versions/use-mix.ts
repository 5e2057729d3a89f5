/** Mixes the releases in a test file, as the environment variable REMIT_RELEASE_MIX says. */
import { mixReleases } from './mixed-releases.ts';

await mixReleases(process.env.REMIT_RELEASE_MIX as 'api' | 'background', 1);
