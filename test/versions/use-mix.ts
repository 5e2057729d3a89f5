/** Mixes the releases in each test file of `npm run test:versions`. REMIT_RELEASE_MIX names the mix. */
import { mixReleases } from './mixed-releases.ts';

const mix = process.env.REMIT_RELEASE_MIX;
if (mix !== 'api' && mix !== 'background') throw new Error('Set REMIT_RELEASE_MIX to api or background.');
await mixReleases(mix, 1);
