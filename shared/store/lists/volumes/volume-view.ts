/** The view of one volume of a list: which numbers exist, and with which status. Volume and pages together give it. */
import { volumeSize } from '../../keys.ts';

/** The statuses of a stored volume, which are decompressed when they are needed. */
export interface PackedStates {
  /** How many numbers have each precedence above 0. */
  readonly counts: readonly number[];
  /** Returns the precedence of each number. */
  readonly unpack: () => Uint8Array;
}

/** The precedence of each number of a volume: what the volume holds, and what its pages add. */
export class VolumeView {
  #packed: PackedStates | undefined;
  #precedences: Uint8Array | undefined;
  #counts: readonly number[] | undefined;
  /** What pages add to a volume that is not read yet. */
  #additions: (readonly [first: number, precedences: Uint8Array])[] = [];
  #isRead: boolean;

  /** @param states those of the volume, if it exists. Without `unpack`, the volume is not read yet. */
  constructor(states?: PackedStates | Pick<PackedStates, 'counts'>) {
    this.#packed = states && 'unpack' in states ? states : undefined;
    this.#counts = states?.counts;
    this.#isRead = states === undefined || this.#packed !== undefined;
  }

  /** Whether more than the counts of the volume is known. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Whether the counts are exact. They are not if pages add to a volume that is not read. */
  get isCounted(): boolean {
    return this.#additions.length === 0;
  }

  /** Sets what the volume holds. Pages still add to it what they have added. @param states undefined if it does not exist */
  read(states: PackedStates | undefined): void {
    this.#isRead = true;
    this.#packed = states;
    this.#counts = states?.counts;
    for (const [first, precedences] of this.#additions.splice(0)) this.raise(first, precedences);
  }

  /** The precedence of each number. Do not change it. */
  get precedences(): Uint8Array {
    if (!this.#isRead) throw new Error('This volume is not read yet.');
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
    if (!this.#isRead) {
      if (precedences.some((precedence) => precedence > 0)) this.#additions.push([first, precedences]);
      return;
    }
    const own = this.precedences;
    for (let low = 0; low < precedences.length; low++) {
      const precedence = precedences[low] as number;
      if (precedence > (own[first + low] as number)) own[first + low] = precedence;
    }
    this.#counts = undefined;
  }

  /** Keeps the numbers that both views contain, each with the higher of its two precedences. */
  intersect(other: VolumeView): void {
    const own = this.precedences;
    const others = other.precedences;
    for (let low = 0; low < volumeSize; low++) {
      const [one, two] = [own[low] as number, others[low] as number];
      own[low] = one === 0 || two === 0 ? 0 : Math.max(one, two);
    }
    this.#counts = undefined;
  }
}
