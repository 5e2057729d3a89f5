/** Makes stacks run functions of the last release beside functions of this version. */
import { handlerLoader, importHandler } from '../../infra/local/handler.ts';
import { type LastRelease, openRelease } from './last-release.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * Which functions are of the last release:
 * - `api`: those behind the gateway.
 * - `background`: all others.
 * - `rollout`: each invocation chooses. The share of this version rises from 0 to 1 and falls to 0 again, repeatedly. So the releases
 *   meet in each order, as in a gradual deployment that is rolled back.
 */
export const releaseMixes = ['api', 'background', 'rollout'] as const;

/** The number of invocations in which the share of this version rises to 1 and falls to 0 again. */
const rolloutInvocations = 1_000;

type AnyHandler = (...parameters: unknown[]) => unknown;

export interface MixedReleases {
  /** How many invocations each release has handled. */
  readonly invocations: Readonly<Record<'last' | 'current', number>>;
  /** Ends the mix for all stacks that start afterwards. */
  restore(): void;
}

/** Mixes the releases in all stacks that start afterwards. */
export function mixReleases(
  release: LastRelease,
  mix: (typeof releaseMixes)[number],
  seed: number,
): MixedReleases {
  const { load } = handlerLoader;
  const loadLast = openRelease(release);
  const random = seededRandom(seed, 'rollout');
  const invocations = { last: 0, current: 0 };
  const choose = (file: string): keyof typeof invocations => {
    const isBackground = file.startsWith('functions/background/');
    if (mix !== 'rollout') return isBackground === (mix === 'background') ? 'last' : 'current';
    const phase = ((invocations.last + invocations.current) % rolloutInvocations) / rolloutInvocations;
    return random.chance(1 - Math.abs(2 * phase - 1)) ? 'current' : 'last';
  };
  handlerLoader.load = async (file) => {
    const [last, current] = (await Promise.all([loadLast(file), importHandler(file)])) as AnyHandler[];
    return (...parameters: unknown[]) => {
      const chosen = choose(file);
      invocations[chosen] += 1;
      return (chosen === 'current' ? current : last)?.(...parameters);
    };
  };
  return {
    invocations,
    restore: () => {
      handlerLoader.load = load;
    },
  };
}
