/**
 * Reads a JPEG (ITU-T T.81, https://www.w3.org/Graphics/JPEG/itu-t81.pdf) and leaves out what no picture needs: metadata, color
 * profiles and comments. Pure.
 *
 * - Frames, tables and scans are checked. The coded pixels are not decoded: only their markers and their least size are checked.
 */
import { damagedProblem, type LogoPicture, sizeProblemOf } from './logo-picture.ts';

interface Component {
  readonly id: number;
  /** The horizontal and vertical sampling factor: how many blocks a unit of several components has. */
  readonly across: number;
  readonly down: number;
  readonly quantization: number;
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  readonly components: readonly Component[];
}

/** What is known before a segment. */
interface Progress {
  readonly kept: Buffer[];
  frame: Frame | undefined;
  /** The defined tables: `q0` for quantization, `d0` and `a0` for the codes of DC and AC coefficients. */
  readonly tables: Set<string>;
  /** The ids of the components that have been scanned. */
  readonly scanned: Set<number>;
  scans: number;
}

/** The kinds of frames that every decoder knows: baseline, extended and progressive, with Huffman coding. */
const knownFrames = new Set([0xc0, 0xc1, 0xc2]);
/** All markers that begin a frame. `C4`, `C8` and `CC` are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** `DRI`, and the segments of JFIF and Adobe, which say what the colors mean. */
const otherNeeded = new Set([0xdd, 0xe0, 0xee]);
/** A progressive picture has some ten scans. A decoder works through the whole picture for each, however small it is. */
const maxScans = 64;
const endOfImage = 0xd9;

type Problem = { readonly problem: string };

/** Reads a JPEG. */
export function readJpeg(bytes: Buffer): LogoPicture {
  const progress: Progress = {
    kept: [bytes.subarray(0, 2)],
    frame: undefined,
    tables: new Set(),
    scanned: new Set(),
    scans: 0,
  };
  for (let start = 2; start + 2 <= bytes.length; ) {
    const marker = bytes[start] === 0xff ? (bytes[start + 1] ?? 0) : 0;
    // A marker can have any number of fill bytes before it.
    if (marker === 0xff) {
      start += 1;
      continue;
    }
    if (marker === endOfImage) return pictureOf(progress, bytes.subarray(start, start + 2));
    const end = start + 4 <= bytes.length ? start + 2 + bytes.readUInt16BE(start + 2) : bytes.length + 1;
    if (marker < 0xc0 || end < start + 4 || end > bytes.length) return damagedProblem;
    const next = marker === 0xda ? endOfScan(bytes, end) : end;
    if (next === undefined) return damagedProblem;
    const problem = readSegment(progress, marker, bytes.subarray(start, end), next - end);
    if (problem) return problem;
    if (isNeeded(marker)) progress.kept.push(bytes.subarray(start, next));
    start = next;
  }
  return damagedProblem;
}

/** `C4`: codes. `DA`: a scan. `DB`: quantization. */
const isNeeded = (marker: number): boolean =>
  isFrame(marker) || [0xc4, 0xda, 0xdb].includes(marker) || otherNeeded.has(marker);

function pictureOf({ kept, frame, scanned }: Progress, end: Buffer): LogoPicture {
  if (!frame?.components.every(({ id }) => scanned.has(id))) return damagedProblem;
  const { width, height } = frame;
  return { type: 'image/jpeg', width, height, bytes: Buffer.concat([...kept, end]) };
}

/**
 * Adds a segment to what is known. Returns what is wrong with it.
 * @param segment begins with its marker
 * @param scanBytes how many bytes of coded pixels follow it
 */
function readSegment(
  progress: Progress,
  marker: number,
  segment: Buffer,
  scanBytes: number,
): Problem | undefined {
  if (marker === 0xe1) return isTurned(segment) ? turnedProblem : undefined;
  if (marker === 0xc4) return readCodes(progress.tables, segment.subarray(4));
  if (marker === 0xdb) return readQuantization(progress.tables, segment.subarray(4));
  if (marker === 0xda) return readScan(progress, segment, scanBytes);
  if (!isFrame(marker)) return undefined;
  const frame = progress.frame ? damagedProblem : readFrame(segment, marker);
  if ('problem' in frame) return frame;
  progress.frame = frame;
  return undefined;
}

function readFrame(segment: Buffer, marker: number): Frame | Problem {
  if (segment.length < 10) return damagedProblem;
  const [depth, height, width] = [segment[4], segment.readUInt16BE(5), segment.readUInt16BE(7)];
  const count = segment[9] ?? 0;
  const problem = sizeProblemOf(width, height);
  if (problem) return problem;
  if (!knownFrames.has(marker) || depth !== 8 || (count !== 1 && count !== 3))
    return {
      problem: 'The logo is a JPEG of a kind that not all programs can show. Save it with RGB colors.',
    };
  if (segment.length !== 10 + 3 * count) return damagedProblem;
  const components = Array.from({ length: count }, (_, index): Component => {
    const [id = 0, factors = 0, quantization = 0] = segment.subarray(10 + 3 * index);
    return { id, across: factors >> 4, down: factors & 15, quantization };
  });
  const isValid = components.every(
    ({ across, down, id }) =>
      Math.min(across, down) >= 1 &&
      Math.max(across, down) <= 4 &&
      components.filter((other) => other.id === id).length === 1,
  );
  return isValid ? { width, height, isProgressive: marker === 0xc2, components } : damagedProblem;
}

/** Reads tables of Huffman codes (T.81, B.2.4.2): how many codes each length has, and their values. */
function readCodes(tables: Set<string>, data: Buffer): Problem | undefined {
  for (let start = 0; start < data.length; ) {
    const [kind = 0] = data.subarray(start);
    const counts = data.subarray(start + 1, start + 17);
    const values = counts.reduce((sum, count) => sum + count, 0);
    // Each code of a length takes its part of all codes, and the code of ones alone is not used.
    const share = counts.reduce((sum, count, index) => sum + count * 2 ** (15 - index), 0);
    start += 17 + values;
    if (kind >> 4 > 1 || (kind & 15) > 3 || start > data.length || share > 65_535) return damagedProblem;
    tables.add(`${kind >> 4 === 0 ? 'd' : 'a'}${kind & 15}`);
  }
  return undefined;
}

/** Reads tables of quantization (T.81, B.2.4.1): 64 numbers of one or two bytes. */
function readQuantization(tables: Set<string>, data: Buffer): Problem | undefined {
  for (let start = 0; start < data.length; ) {
    const [kind = 0] = data.subarray(start);
    start += 1 + 64 * (1 + (kind >> 4));
    if (kind >> 4 > 1 || (kind & 15) > 3 || start > data.length) return damagedProblem;
    tables.add(`q${kind & 15}`);
  }
  return undefined;
}

/** Reads the header of a scan (T.81, B.2.3): which components and coefficients it has, and by which tables. */
function readScan(progress: Progress, segment: Buffer, scanBytes: number): Problem | undefined {
  const { frame, tables } = progress;
  const count = segment[4] ?? 0;
  progress.scans += 1;
  if (!frame || progress.scans > maxScans || segment.length !== 8 + 2 * count) return damagedProblem;
  const [first = 0, last = 0, approximation = 0] = segment.subarray(5 + 2 * count);
  const isFirstOfDc = first === 0 && (!frame.isProgressive || approximation >> 4 === 0);
  const hasAc = !frame.isProgressive || first > 0;
  if (frame.isProgressive && (last > 63 || first > last || (first === 0 ? last !== 0 : count !== 1)))
    return damagedProblem;
  const scanned: Component[] = [];
  for (let index = 0; index < count; index++) {
    const [id, selectors = 0] = segment.subarray(5 + 2 * index);
    const component = frame.components.find((each) => each.id === id);
    if (!component || scanned.includes(component) || !tables.has(`q${component.quantization}`))
      return damagedProblem;
    if (isFirstOfDc && !tables.has(`d${selectors >> 4}`)) return damagedProblem;
    if (hasAc && !tables.has(`a${selectors & 15}`)) return damagedProblem;
    scanned.push(component);
    if (isFirstOfDc) progress.scanned.add(component.id);
  }
  // A block takes a bit for its DC coefficient, and one for the end of the others. A progressive scan ends many blocks at once.
  const bits = (isFirstOfDc ? 1 : 0) + (frame.isProgressive ? 0 : 1);
  const isComplete = scanned.length > 0 && scanBytes * 8 >= bits * blocksOf(frame, scanned);
  return isComplete ? undefined : damagedProblem;
}

/** Returns how many blocks of 8 × 8 values a scan has (T.81, A.2). */
function blocksOf({ width, height, components }: Frame, scanned: readonly Component[]): number {
  const across = Math.max(...components.map((each) => each.across));
  const down = Math.max(...components.map((each) => each.down));
  const [only] = scanned;
  if (scanned.length === 1 && only) {
    const columns = Math.ceil(Math.ceil((width * only.across) / across) / 8);
    return columns * Math.ceil(Math.ceil((height * only.down) / down) / 8);
  }
  const units = Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
  return units * scanned.reduce((sum, each) => sum + each.across * each.down, 0);
}

/** Returns where the coded pixels end that begin at `start`: at the first marker that is no restart. Undefined: nowhere. */
function endOfScan(bytes: Buffer, start: number): number | undefined {
  let restarts = 0;
  for (let at = bytes.indexOf(0xff, start); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1] ?? 0;
    // A zero after the byte FF makes it a part of the pixels. A marker can have fill bytes before it.
    if (marker === 0xff) at += 1;
    else if (marker === 0) at += 2;
    else if (marker < 0xd0 || marker > 0xd7) return at === start ? undefined : at;
    else if (marker !== 0xd0 + (restarts++ % 8)) return undefined;
    else at += 2;
  }
  return undefined;
}

const turnedProblem = {
  problem: 'The logo is stored turned or mirrored, as photos of phones are. Save it again upright.',
};

/**
 * Decides whether a segment is the EXIF data of a picture that viewers turn. Not all programs turn it, so documents would differ.
 * The orientation is tag 274 of the first directory (TIFF 6.0, pages 14 and 36), and 1 is upright.
 */
function isTurned(segment: Buffer): boolean {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return false;
  const data = segment.subarray(10);
  const isLittle = data.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) =>
    at + 2 <= data.length ? (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at)) : 0;
  const read32 = (at: number) =>
    at + 4 <= data.length ? (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at)) : 0;
  const directory = read32(4);
  for (let index = 0; index < read16(directory); index++) {
    const entry = directory + 2 + 12 * index;
    if (read16(entry) === 274) return read16(entry + 8) > 1;
  }
  return false;
}
