/** Makes a stack run functions of the last release beside functions of this version. */
import { handlerLoader, importHandler } from '../../infra/local/handler.ts';
import { allowMissingFields } from '../support/document.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { stackDefaults } from '../support/stack.ts';
import { openLastRelease } from './last-release.ts';

/**
 * Which functions are of the last release:
 * - `api`: those behind the gateway.
 * - `background`: all others.
 * - `rollout`: each invocation chooses. The share of this version rises from 0 to 1 and falls back to 0, repeatedly. So
 *   releases meet in each order, as in a gradual deployment that is rolled back.
 */
export const releaseMixes = ['api', 'background', 'rollout'] as const;
export type ReleaseMix = (typeof releaseMixes)[number];

/** The number of invocations in which the share of this version rises to 1 and falls back to 0. */
const rolloutInvocations = 1_000;

type Handler = (...parameters: unknown[]) => unknown;

export interface MixedReleases {
  /** How many invocations each release has handled. */
  readonly invocations: { last: number; current: number };
  /** Ends the mix for all stacks that start afterwards. */
  restore(): void;
}

/** Mixes the releases in all stacks that start afterwards. */
export async function mixReleases(mix: ReleaseMix, seed: number): Promise<MixedReleases> {
  const { load } = handlerLoader;
  stackDefaults.hasSecretsOfLastRelease = true;
  const { STORAGE_FORMAT } = process.env;
  // The last release reads no other format.
  process.env.STORAGE_FORMAT = '1';
  allowMissingFields(['dispute', 'eventTypes', 'details', 'docUrl', 'location', 'previous']);
  const loadLast = await openLastRelease();
  const random = seededRandom(seed, 'rollout');
  const invocations = { last: 0, current: 0 };
  const choose = (file: string): keyof typeof invocations => {
    const isBackground = file.startsWith('functions/background/');
    if (mix !== 'rollout') return isBackground === (mix === 'background') ? 'last' : 'current';
    const phase = ((invocations.last + invocations.current) % rolloutInvocations) / rolloutInvocations;
    return random.chance(1 - Math.abs(2 * phase - 1)) ? 'current' : 'last';
  };
  handlerLoader.load = async (file) => {
    const [last, current] = (await Promise.all([loadLast(file), importHandler(file)])) as [Handler, Handler];
    return (...parameters: unknown[]) => {
      const release = choose(file);
      invocations[release] += 1;
      return release === 'current' ? current(...parameters) : last(...parameters);
    };
  };
  return {
    invocations,
    restore: () => {
      handlerLoader.load = load;
      stackDefaults.hasSecretsOfLastRelease = false;
      if (STORAGE_FORMAT) process.env.STORAGE_FORMAT = STORAGE_FORMAT;
      else delete process.env.STORAGE_FORMAT;
    },
  };
}
