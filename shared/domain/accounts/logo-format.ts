/**
 * Reads the file of a logo before anything shows it. Pure.
 *
 * - A small file can describe a huge picture. So the size is checked first, and what is unpacked to check it is bounded by that size.
 * - Every part is checked that a decoder would stumble over. The pixels of a JPEG are not: a decoder shows damaged ones somehow, and
 *   the seller sees it in the dashboard.
 * - Libraries that only read the size of a picture, such as `image-size`, check no other part and leave the metadata in. A decoder would
 *   do more than is needed, because nothing here needs the pixels. So the parts of both formats are read here.
 */
import { readJpeg } from './logo-jpeg.ts';
import type { LogoPicture } from './logo-picture.ts';
import { pngStart, readPng } from './logo-png.ts';

const kindProblem = {
  problem: 'The logo must be a PNG or a JPEG file. Other kinds, such as SVG, are not supported.',
};

/** Reads a picture. @param file of at most 200 KB, because all of it is read several times */
export function readLogoPicture(file: Uint8Array): LogoPicture {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.subarray(0, pngStart.length).equals(pngStart)) return readPng(bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff ? readJpeg(bytes) : kindProblem;
}
