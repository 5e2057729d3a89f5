/** The view of a list that index pages and volumes give: which numbers it contains, and with which status. */
import type { Resource } from '../../ids.ts';
import { volumeSize } from '../keys.ts';
import type { FoldableList } from './fold-requests.ts';
import { precedenceOf } from './index-pages.ts';
import type { RecordMatcher } from './record-matcher.ts';

/** The statuses that a list contains. Undefined: all. */
export type StatusFilter = string | readonly string[] | undefined;

/** The statuses of a stored volume, which are decompressed when they are needed. */
export interface PackedStates {
  /** How many numbers have each precedence above 0. */
  readonly counts: readonly number[];
  /** Returns the precedence of each number. */
  readonly unpack: () => Uint8Array;
}

/** The precedence of each number of a volume: what the volume holds, and what its pages add. */
export class Block {
  #packed: PackedStates | undefined;
  #precedences: Uint8Array | undefined;
  #counts: readonly number[] | undefined;

  constructor(packed?: PackedStates) {
    this.#packed = packed;
    this.#counts = packed?.counts;
  }

  /** The precedence of each number. Do not change it. */
  get precedences(): Uint8Array {
    this.#precedences ??= this.#packed?.unpack() ?? new Uint8Array(volumeSize);
    this.#packed = undefined;
    return this.#precedences;
  }

  /** How many numbers have each precedence. Index 0 is not meaningful. */
  get counts(): readonly number[] {
    if (!this.#counts) {
      const counts = new Array<number>(256).fill(0);
      for (const precedence of this.precedences) counts[precedence] = (counts[precedence] as number) + 1;
      this.#counts = counts;
    }
    return this.#counts;
  }

  set(low: number, precedence: number): void {
    this.precedences[low] = precedence;
    this.#counts = undefined;
  }

  /** Adds the precedences of consecutive numbers. Each number keeps its higher precedence. */
  raise(first: number, precedences: Uint8Array): void {
    const own = this.precedences;
    for (let low = 0; low < precedences.length; low++) {
      const precedence = precedences[low] as number;
      if (precedence > (own[first + low] as number)) own[first + low] = precedence;
    }
    this.#counts = undefined;
  }

  /** Keeps the numbers that both blocks contain, each with the higher of its two precedences. */
  intersect(other: Block): void {
    const own = this.precedences;
    const others = other.precedences;
    for (let low = 0; low < volumeSize; low++) {
      const [one, two] = [own[low] as number, others[low] as number];
      own[low] = one === 0 || two === 0 ? 0 : Math.max(one, two);
    }
    this.#counts = undefined;
  }
}

/**
 * The status of every record of a list, as read from its index. A value set by `overlay` counts as if the index had
 * contained it.
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
  readonly #blocks: ReadonlyMap<number, Block>;
  #undecided: readonly number[] | undefined;

  constructor(
    resource: Resource,
    filterKeys: readonly string[],
    blocks: ReadonlyMap<number, Block>,
    matcher?: RecordMatcher,
    foldable: readonly FoldableList[] = [],
  ) {
    this.resource = resource;
    this.filterKeys = filterKeys;
    this.matcher = matcher;
    this.foldable = foldable;
    this.#blocks = blocks;
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
   * @param offset the number of matching records to skip, newest first
   * @returns the exact number of matches, and the sequence numbers of at most `limit` of them, newest first
   */
  select(status: StatusFilter, offset: number, limit: number): { total: number; seqs: number[] } {
    const isWanted = this.#matchOf(status);
    const seqs: number[] = [];
    let total = 0;
    for (const [volume, block] of this.#blocks) {
      let matches = 0;
      for (const [precedence, count] of block.counts.entries())
        if (precedence > 0 && isWanted(precedence)) matches += count;
      if (seqs.length < limit && total + matches > offset) {
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
    return { total, seqs };
  }
}
