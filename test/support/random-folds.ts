/** Folds index pages while a run under faults goes on, also those that are too small to be worth it. */
import type { Owner, Resource } from '../../shared/base/ids.ts';
import { resources } from '../../shared/operations/reconciliation/facts.ts';
import { pagesPerVolume } from '../../shared/store/keys.ts';
import { foldVolume } from '../../shared/store/lists/volumes/fold-volume.ts';
import { foldStoreOf } from '../../shared/store/lists/volumes/volume-store.ts';
import { runAsInvocation } from './invocations.ts';
import type { Random } from './seeded-random.ts';
import type { TestTable } from './table.ts';

export interface RandomFolds {
  /**
   * Continues to fold volumes once. Each one is an invocation that meets the fault layer.
   * Never rejects.
   * @param most how many volumes, chosen at random: one can be chosen twice, which two folders then fold at the same time. The
   *   default is all, each once.
   */
  fold(most?: number): Promise<void>;
  /** The number of volumes that were worked on, and of those that crashed. */
  readonly counts: { volumes: number; crashed: number };
}

/** A scan of the table takes DynamoDB Local as long as some hundred calls. So a few folds choose from the volumes of one scan. */
const callsPerScan = 8;

const pagePattern = new RegExp(`^INDEX#(acct_\\w+)#(test|live)#(${resources.join('|')})(#.*)?$`);

/** @param now the time of the run, in milliseconds since 1970 */
export function randomFolds(table: TestTable, now: () => number, random: Random): RandomFolds {
  const counts = { volumes: 0, crashed: 0 };
  const foldOne = async (owner: Owner, resource: Resource, filterKey: string, volume: number) => {
    counts.volumes += 1;
    const store = foldStoreOf(owner, resource, filterKey);
    await runAsInvocation(`fold-${counts.volumes}`, () => foldVolume(store, resource, volume, now, 1)).catch(
      () => {
        counts.crashed += 1;
      },
    );
  };
  const readVolumes = async () => {
    const volumes = new Map<string, () => Promise<void>>();
    for (const { pk, sk } of await table.all('INDEX#')) {
      const [, account = '', mode, resource, filterKey = ''] = pagePattern.exec(pk) ?? [];
      if (!mode || !String(sk).startsWith('PAGE#')) continue;
      const volume = Math.floor(Number(String(sk).slice('PAGE#'.length)) / pagesPerVolume);
      const owner = { account, mode } as Owner;
      volumes.set(`${pk} ${volume}`, () => foldOne(owner, resource as Resource, filterKey, volume));
    }
    return volumes;
  };
  let known: Awaited<ReturnType<typeof readVolumes>> = new Map();
  let calls = 0;
  return {
    counts,
    fold: async (most = Number.POSITIVE_INFINITY) => {
      if (most === Number.POSITIVE_INFINITY || calls++ % callsPerScan === 0) known = await readVolumes();
      const open = [...known.values()];
      const chosen = open.length > most ? Array.from({ length: most }, () => random.pick(open)) : open;
      await Promise.all(chosen.map((work) => work?.()));
    },
  };
}
