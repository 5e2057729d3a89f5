/** Makes PNG files. */
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A part of a PNG with a name of four letters. */
export const chunk = (name: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([number(data.length), named, number(crc32(named))]);
};
const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export interface Picture {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly color?: number;
  readonly interlace?: 0 | 1;
  readonly rows?: Buffer;
  readonly more?: Buffer;
}

/** A PNG. The default is a gray one of 4 × 2 pixels. */
export const png = ({ width = 4, height = 2, depth = 8, color = 0, interlace = 0, ...data }: Picture = {}) =>
  Buffer.concat([
    start,
    chunk(
      'IHDR',
      Buffer.concat([number(width), number(height), Buffer.from([depth, color, 0, 0, interlace])]),
    ),
    data.more ?? Buffer.alloc(0),
    chunk('IDAT', deflateSync(data.rows ?? Buffer.alloc(height * (1 + width)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);

/**
 * A PNG of some 30 KB whose document has a PDF of more than 4 MB: each row is the same noise more than the row above it. PNG stores only
 * these equal differences, and a PDF stores the pixels.
 */
export function growingPng(): Buffer {
  const [width, height] = [2_000, 800];
  const noise = createHash('shake256', { outputLength: 3 * width })
    .update('logo')
    .digest();
  const row = Buffer.concat([Buffer.from([2]), noise]);
  return png({ width, height, color: 2, rows: Buffer.concat(Array.from({ length: height }, () => row)) });
}
