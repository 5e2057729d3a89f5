/** Makes a stack run functions of the last release beside functions of this version. */
import { handlerLoader, importHandler } from '../../infra/local/handler.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { type LoadHandler, openLastRelease } from './last-release.ts';

/**
 * Which functions are of the last release:
 * - `api`: those behind the gateway.
 * - `background`: all others.
 * - `rollout`: each invocation chooses. The share of this version rises from 0 to 1 and falls back to 0, repeatedly. So
 *   releases meet in each order, as in a gradual deployment that is rolled back.
 */
export type ReleaseMix = 'api' | 'background' | 'rollout';

/** The number of invocations in which the share of this version rises to 1 and falls back to 0. */
const rolloutInvocations = 1_000;

type Handler = (...parameters: unknown[]) => unknown;

export interface MixedReleases {
  /** How many invocations each release has handled, in a rollout. */
  readonly invocations: { last: number; current: number };
  /** Ends the mix for all stacks that start afterwards. */
  restore(): void;
}

/** Mixes the releases in all stacks that start afterwards. */
export async function mixReleases(mix: ReleaseMix, seed: number): Promise<MixedReleases> {
  const { load } = handlerLoader;
  const loadLast = await openLastRelease();
  const invocations = { last: 0, current: 0 };
  handlerLoader.load =
    mix === 'rollout'
      ? loadBoth(loadLast, seededRandom(seed, 'rollout'), invocations)
      : loadSide(loadLast, mix);
  return {
    invocations,
    restore: () => {
      handlerLoader.load = load;
    },
  };
}

function loadSide(loadLast: LoadHandler, side: 'api' | 'background'): LoadHandler {
  return (file) => {
    const isBackground = file.startsWith('functions/background/');
    return isBackground === (side === 'background') ? loadLast(file) : importHandler(file);
  };
}

function loadBoth(
  loadLast: LoadHandler,
  random: Random,
  invocations: MixedReleases['invocations'],
): LoadHandler {
  return async (file) => {
    const [last, current] = (await Promise.all([loadLast(file), importHandler(file)])) as [Handler, Handler];
    return (...parameters: unknown[]) => {
      const count = invocations.last + invocations.current;
      const phase = (count % rolloutInvocations) / rolloutInvocations;
      const shareOfCurrent = 1 - Math.abs(2 * phase - 1);
      const release = random.chance(shareOfCurrent) ? 'current' : 'last';
      invocations[release] += 1;
      return release === 'current' ? current(...parameters) : last(...parameters);
    };
  };
}
