/** The view of a list that index pages and volumes give: which numbers it contains, and with which status. */
import type { Resource } from '../../../base/ids.ts';
import type { StoredClock } from '../../../base/test-clock.ts';
import { volumeSize } from '../../keys.ts';
import type { RecordMatcher } from '../filters/record-matcher.ts';
import type { FoldableList } from '../volumes/fold-requests.ts';
import type { PackedStates, VolumeView } from '../volumes/volume-view.ts';
import { precedenceOf } from './index-pages.ts';

/** The statuses that a list contains. Undefined: all. */
export type StatusFilter = string | readonly string[] | undefined;

/** Which records of a list are first. */
export type ListOrder = 'newest' | 'oldest';

/** A page of a list. */
export interface Selection {
  readonly status: StatusFilter;
  /** The number of matching records to skip. */
  readonly offset: number;
  readonly limit: number;
  /** Absent: the newest records are first. */
  readonly order?: ListOrder | undefined;
}

/** Reads volumes of a list. Those that do not exist are left out. */
export type ReadVolumes = (volumes: readonly number[]) => Promise<ReadonlyMap<number, PackedStates>>;

/** The parts of a view that not every list has. */
interface ViewParts {
  readonly matcher?: RecordMatcher | undefined;
  readonly foldable?: readonly FoldableList[];
  readonly readVolumes?: ReadVolumes;
  /** Reads the list again, for records whose numbers and times are in a greater disorder, by some milliseconds. */
  readonly readAgain?: ((aheadMs: number) => Promise<IndexView>) | undefined;
}

/**
 * The status of every record of a list, as read from its index. A value set by `overlay` counts as if the index had
 * contained it. Of some volumes, only the counts may be read: `readFor` reads those that a page of the list needs.
 */
export class IndexView {
  readonly resource: Resource;
  /** The filters of the list. */
  readonly filterKeys: readonly string[];
  /** Decides which records match the other filters. Undefined if the list has no other filters. */
  readonly matcher: RecordMatcher | undefined;
  /** What is worth folding, as the read found it. */
  readonly foldable: readonly FoldableList[];
  /** By the number of the volume, newest first. */
  readonly #blocks: ReadonlyMap<number, VolumeView>;
  readonly #readVolumes: ReadVolumes | undefined;
  readonly #readAgain: ViewParts['readAgain'];
  #undecided: readonly number[] | undefined;

  constructor(
    resource: Resource,
    filterKeys: readonly string[],
    blocks: ReadonlyMap<number, VolumeView>,
    { matcher, foldable = [], readVolumes, readAgain }: ViewParts = {},
  ) {
    this.resource = resource;
    this.filterKeys = filterKeys;
    this.matcher = matcher;
    this.foldable = foldable;
    this.#blocks = blocks;
    this.#readVolumes = readVolumes;
    this.#readAgain = readAgain;
  }

  /**
   * Returns the list for an account with this clock. Where the clock is ahead, fewer times follow from the order of the numbers.
   * So a list of a range, which was read before the clock was known, is read again.
   */
  async atClock(clock: StoredClock | undefined): Promise<IndexView> {
    const aheadMs = Math.max(clock?.o ?? 0, clock?.t ?? 0);
    return aheadMs > 0 && this.#readAgain ? this.#readAgain(aheadMs) : this;
  }

  /**
   * Reads the volumes that a page of the list needs: those that contain rows, and those to which pages add. One call in sequence.
   * A further one if the additions move the rows to another volume.
   */
  async readFor(selection: Selection): Promise<void> {
    for (;;) {
      const unread = this.#unreadFor(selection);
      if (unread.length === 0) return;
      const found = await this.#readVolumes?.(unread.map(([volume]) => volume));
      for (const [volume, block] of unread) block.read(found?.get(volume));
    }
  }

  #unreadFor(selection: Selection): [number, VolumeView][] {
    const isWanted = this.#matchOf(selection.status);
    const { offset, limit } = this.#fromNewest(selection);
    const unread: [number, VolumeView][] = [];
    let before = 0;
    for (const [volume, block] of this.#blocks) {
      const total = before + countMatches(block, isWanted);
      const hasRows = total > offset && before < offset + limit && total > before;
      if (!block.isRead && (hasRows || !block.isCounted)) unread.push([volume, block]);
      before = total;
    }
    return unread;
  }

  /** Returns where the rows of a page are in the list with the newest records first. */
  #fromNewest({ status, offset, limit, order }: Selection): { offset: number; limit: number } {
    if (order !== 'oldest') return { offset, limit };
    const isWanted = this.#matchOf(status);
    const total = [...this.#blocks.values()].reduce((sum, block) => sum + countMatches(block, isWanted), 0);
    const end = Math.max(0, total - offset);
    const start = Math.max(0, end - limit);
    return { offset: start, limit: end - start };
  }

  /** The precedence of the record with number `seq`. 0 if the view does not contain it. */
  precedenceAt(seq: number): number {
    return this.#blocks.get(Math.floor(seq / volumeSize))?.precedences[seq % volumeSize] ?? 0;
  }

  /** Replaces the precedence of a record of the view. Use 0 for a record that does not exist. */
  overlay(seq: number, precedence: number): void {
    if (this.precedenceAt(seq) !== precedence)
      this.#blocks.get(Math.floor(seq / volumeSize))?.set(seq % volumeSize, precedence);
  }

  /**
   * Leaves out the records that do not match the filters.
   * @param status see `select`
   * @returns the records of this status for which that is not known yet, newest first. Until it is, the view contains them.
   */
  leaveOutOthers(status: StatusFilter): readonly number[] {
    const { matcher } = this;
    if (!matcher) return [];
    this.#undecided = (this.#undecided ?? [...this.#numbersToDecide(matcher)]).filter((seq) => {
      if (this.precedenceAt(seq) === 0) return false;
      const verdict = matcher.verdictOf(seq);
      if (verdict === 'no match') this.overlay(seq, 0);
      return verdict === 'time unknown' || verdict === 'currency unknown';
    });
    const isWanted = this.#matchOf(status);
    return this.#undecided.filter((seq) => isWanted(this.precedenceAt(seq)));
  }

  /** The numbers of the blocks whose records do not match all. */
  *#numbersToDecide(matcher: RecordMatcher): Generator<number> {
    for (const [volume, block] of this.#blocks) {
      const first = volume * volumeSize;
      if (matcher.matchesAll(first, first + volumeSize - 1)) continue;
      const { precedences } = block;
      for (let low = volumeSize - 1; low >= 0; low--) if (precedences[low]) yield first + low;
    }
  }

  #matchOf(status: StatusFilter): (precedence: number) => boolean {
    if (status === undefined) return (precedence) => precedence > 0;
    const wanted = [status].flat().map((each) => precedenceOf(this.resource, each));
    return (precedence) => wanted.includes(precedence);
  }

  /**
   * Selects the rows of one page of the list.
   * @param status selects records of this status, or of one of several. Undefined selects all records.
   * @param skipped the number of matching records to skip
   * @param order which records are first
   * @returns the exact number of matches, and the sequence numbers of at most `max` of them, in this order
   */
  select(
    status: StatusFilter,
    skipped: number,
    max: number,
    order: ListOrder = 'newest',
  ): { total: number; seqs: number[] } {
    const selection = { status, offset: skipped, limit: max, order };
    if (this.#unreadFor(selection).length > 0)
      throw new Error('The volumes of this page of the list are not read yet.');
    const isWanted = this.#matchOf(status);
    const { offset, limit } = this.#fromNewest(selection);
    const seqs: number[] = [];
    let total = 0;
    for (const [volume, block] of this.#blocks) {
      const matches = countMatches(block, isWanted);
      if (matches > 0 && seqs.length < limit && total + matches > offset) {
        const { precedences } = block;
        let position = total;
        for (let low = volumeSize - 1; low >= 0 && seqs.length < limit; low--) {
          if (!isWanted(precedences[low] as number)) continue;
          if (position >= offset) seqs.push(volume * volumeSize + low);
          position += 1;
        }
      }
      total += matches;
    }
    return { total, seqs: order === 'oldest' ? seqs.reverse() : seqs };
  }
}

function countMatches({ counts }: VolumeView, isWanted: (precedence: number) => boolean): number {
  let matches = 0;
  for (const [precedence, count] of counts.entries())
    if (precedence > 0 && isWanted(precedence)) matches += count;
  return matches;
}
