/**
 * Reads a PNG (https://www.w3.org/TR/png-3/) and leaves out what no picture needs: metadata, color profiles and the further frames of
 * an animation. Pure.
 */
import { crc32, inflateSync } from 'node:zlib';
import { damagedProblem, type LogoPicture, sizeProblemOf } from './logo-picture.ts';

export const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** What the picture consists of. All other chunks are metadata, and `acTL` and `fdAT` are those of an animation. */
const neededChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** The channels of each color type, with the bit depths that it can have. */
const colorTypes: Readonly<
  Record<number, { readonly channels: number; readonly depths: readonly number[] }>
> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

/** Reads a PNG. The size is checked before anything is unpacked. */
export function readPng(bytes: Buffer): LogoPicture {
  const chunks = chunksOf(bytes);
  const [header] = chunks ?? [];
  if (!chunks || header?.name !== 'IHDR' || header.data.length !== 13) return damagedProblem;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const problem = sizeProblemOf(width, height);
  if (problem) return problem;
  const needed = chunks.filter(({ name }) => neededChunks.has(name));
  if (chunks.some(({ name }) => isCritical(name) && !neededChunks.has(name))) return damagedProblem;
  if (!hasAllRows(needed, header.data, width, height)) return damagedProblem;
  return {
    type: 'image/png',
    width,
    height,
    bytes: Buffer.concat([pngStart, ...needed.map(({ whole }) => whole)]),
  };
}

/** A decoder must know a chunk whose name begins with an upper-case letter. */
const isCritical = (name: string): boolean => /^[A-Z]/.test(name);

/** Returns the chunks up to the end of the picture. Undefined: a chunk is cut off or differs from its checksum. */
function chunksOf(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  for (let start = pngStart.length; start + 12 <= bytes.length; ) {
    const end = start + 12 + bytes.readUInt32BE(start);
    if (end > bytes.length) return undefined;
    const named = bytes.subarray(start + 4, end - 4);
    if (crc32(named) !== bytes.readUInt32BE(end - 4)) return undefined;
    const name = named.toString('latin1', 0, 4);
    chunks.push({ name, data: named.subarray(4), whole: bytes.subarray(start, end) });
    if (name === 'IEND') return chunks;
    start = end;
  }
  return undefined;
}

/** Decides whether the pixels are all there. Unpacks no more than a picture of this size has: at most 32 MB. */
function hasAllRows(chunks: readonly Chunk[], header: Buffer, width: number, height: number): boolean {
  const [depth = 0, color = 0, compression, filter, interlace = 0] = header.subarray(8);
  const { channels, depths } = colorTypes[color] ?? { channels: 0, depths: [] };
  if (!depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return false;
  const count = (wanted: string) => chunks.filter(({ name }) => name === wanted).length;
  if (count('IHDR') !== 1 || count('PLTE') > 1 || count('tRNS') > 1) return false;
  if (!hasPalette(chunks, color, depth) || !hasTransparency(chunks, color)) return false;
  const passes = interlace === 1 ? adam7(width, height) : [{ width, height }];
  const rowBytes = (pixels: number) => 1 + Math.ceil((pixels * channels * depth) / 8);
  const wanted = passes.reduce((sum, pass) => sum + pass.height * rowBytes(pass.width), 0);
  try {
    const packed = Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data));
    const rows = inflateSync(packed, { maxOutputLength: wanted });
    if (rows.length !== wanted) return false;
    let start = 0;
    return passes.every((pass) =>
      Array.from({ length: pass.height }).every(() => {
        const kind = rows[start] ?? 5;
        start += rowBytes(pass.width);
        return kind <= 4;
      }),
    );
  } catch {
    return false;
  }
}

/** A picture with a palette has one, before its pixels, that is not larger than its bit depth can use. Gray ones have none. */
function hasPalette(chunks: readonly Chunk[], color: number, depth: number): boolean {
  const names = chunks.map(({ name }) => name);
  const palette = chunks.find(({ name }) => name === 'PLTE');
  if (!palette) return color !== 3;
  const { length } = palette.data;
  const most = color === 3 ? 2 ** depth : 256;
  const isBefore = names.indexOf('PLTE') < names.indexOf('IDAT');
  return isBefore && color !== 0 && color !== 4 && length > 0 && length % 3 === 0 && length / 3 <= most;
}

/** The bytes of the transparent color. A picture with a palette has one byte for each color of it at most. */
const transparencyBytes: Readonly<Record<number, number>> = { 0: 2, 2: 6 };

/** Pictures with an alpha channel have no transparent color. */
function hasTransparency(chunks: readonly Chunk[], color: number): boolean {
  const names = chunks.map(({ name }) => name);
  const at = names.indexOf('tRNS');
  const length = chunks[at]?.data.length;
  if (length === undefined) return true;
  if (at > names.indexOf('IDAT') || at < names.indexOf('PLTE')) return false;
  const colors = (chunks.find(({ name }) => name === 'PLTE')?.data.length ?? 0) / 3;
  return color === 3 ? length <= colors : length === transparencyBytes[color];
}

/** The passes of an interlaced picture: where each begins, and its steps. A pass without pixels has no rows. */
function adam7(width: number, height: number) {
  return [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ].flatMap(([x = 0, y = 0, stepX = 1, stepY = 1]) => {
    const pass = {
      width: Math.ceil(Math.max(0, width - x) / stepX),
      height: Math.ceil(Math.max(0, height - y) / stepY),
    };
    return pass.width > 0 && pass.height > 0 ? [pass] : [];
  });
}
