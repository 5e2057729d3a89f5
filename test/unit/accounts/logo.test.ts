/** Tests which files a seller can use as logo, before anything shows them. */
import { describe, expect, test } from '@jest/globals';
import { maxLogoBytes } from '../../../shared/domain/accounts/logo.ts';
import { changedLogo } from '../../../shared/domain/accounts/logo-change.ts';
import { readLogoPicture } from '../../../shared/domain/accounts/logo-format.ts';
import { renderDocument } from '../../../shared/web/documents/render-document.ts';
import { chunk, type Picture, png } from '../../support/pictures.ts';
import { bhutan } from '../documents/sample-documents.ts';
import { samples } from './logo-samples.ts';

const fileOf = (name: keyof typeof samples) => Buffer.from(samples[name], 'base64');
const damaged = { problem: expect.stringContaining('damaged') };

describe('PNG', () => {
  test('metadata and the frames of an animation are left out', () => {
    const plain = png();
    expect(readLogoPicture(plain)).toEqual({ type: 'image/png', width: 4, height: 2, bytes: plain });
    const more = Buffer.concat([chunk('acTL', Buffer.alloc(8)), chunk('tEXt', Buffer.from('Author'))]);
    expect(readLogoPicture(png({ more }))).toEqual({ type: 'image/png', width: 4, height: 2, bytes: plain });
  });

  test.each(['palette', 'transparent'] as const)('a picture with a palette is accepted: %s', (name) => {
    const file = fileOf(name);
    expect(readLogoPicture(file)).toEqual({ type: 'image/png', width: 48, height: 20, bytes: file });
  });

  test.each<[string, Picture]>([
    // The passes of 9 × 9 pixels have 2 × 2, 1 × 2, 3 × 1, 2 × 3, 5 × 2, 4 × 5 and 9 × 4 pixels.
    [
      'of 9 × 9 pixels',
      { width: 9, height: 9, rows: Buffer.alloc(2 * 3 + 2 * 2 + 4 + 3 * 3 + 2 * 6 + 5 * 5 + 4 * 10) },
    ],
    ['with passes without pixels', { width: 1, height: 3, rows: Buffer.alloc(2 + 2 + 2) }],
  ])('an interlaced picture is accepted: %s', async (_, picture) => {
    const file = png({ interlace: 1, ...picture });
    expect(readLogoPicture(file)).toMatchObject({ type: 'image/png', bytes: file });
    expect(await lacksLogo(file)).toBe(false);
    expect(readLogoPicture(png({ ...picture, interlace: 1, height: 16 }))).toEqual(damaged);
  });

  test('at most 2000 pixels wide and high', () => {
    expect(readLogoPicture(png({ width: 2_000, height: 2_000 }))).toMatchObject({
      width: 2_000,
      height: 2_000,
    });
    for (const size of [{ width: 2_001 }, { height: 2_001 }])
      expect(readLogoPicture(png(size))).toEqual({ problem: expect.stringContaining('2001') });
  });

  test('at most 200 KB', () => {
    const rest = maxLogoBytes - png({ more: chunk('tEXt', Buffer.alloc(0)) }).length;
    const changeTo = (bytes: number) =>
      changedLogo(null, {
        data: png({ more: chunk('tEXt', Buffer.alloc(rest + bytes)) }).toString('base64'),
      });
    expect(changeTo(0)).toMatchObject({ logo: { width: 4, height: 2 } });
    expect(changeTo(1)).toEqual({ problem: expect.stringContaining(String(maxLogoBytes + 1)) });
  });

  test.each<[string, Buffer]>([
    ['cut off', png().subarray(0, -6)],
    ['a wrong checksum', Buffer.from(png().fill(9, 20, 21))],
    ['no pixels', png({ width: 0 })],
    ['fewer pixels than the header says', png({ height: 3, rows: Buffer.alloc(2 * 5) })],
    ['a bomb: more pixels than the header says', png({ rows: Buffer.alloc(50_000_000) })],
    ['a bomb of the largest size', png({ width: 2_000, height: 2_000, rows: Buffer.alloc(50_000_000) })],
    ['an unknown filter', png({ rows: Buffer.alloc(10, 7) })],
    ['an unknown depth', png({ depth: 3 })],
    ['no palette', png({ color: 3 })],
    ['a palette for gray pixels', png({ more: chunk('PLTE', Buffer.alloc(3)) })],
    ['a transparent color of another kind', png({ more: chunk('tRNS', Buffer.alloc(6)) })],
    ['an unknown part that a decoder needs', png({ more: chunk('NEED', Buffer.alloc(1)) })],
  ])('is refused with %s', (_, file) => {
    expect(readLogoPicture(file)).toEqual(damaged);
  });
});

describe('JPEG', () => {
  test.each(['baseline', 'progressive', 'gray', 'restarts'] as const)('%s is accepted', async (name) => {
    const file = fileOf(name);
    expect(readLogoPicture(file)).toEqual({ type: 'image/jpeg', width: 48, height: 20, bytes: file });
    expect(await lacksLogo(file)).toBe(false);
  });

  test('EXIF data and comments are left out', () => {
    const picture = readLogoPicture(fileOf('upright'));
    expect(picture).toMatchObject({ type: 'image/jpeg', width: 48, height: 20 });
    expect(picture).toMatchObject({ bytes: fileOf('baseline') });
  });

  test('the end is the one after all scans, not that in a comment', () => {
    const file = fileOf('progressive');
    const scan = file.lastIndexOf(Buffer.from([0xff, 0xda]));
    const tables = file.lastIndexOf(Buffer.from([0xff, 0xc4]), scan);
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xd9]);
    const commented = Buffer.concat([file.subarray(0, tables), comment, file.subarray(tables)]);
    expect(readLogoPicture(commented)).toMatchObject({ bytes: file });
    expect(readLogoPicture(Buffer.concat([file, Buffer.from('more')]))).toMatchObject({ bytes: file });
  });

  test.each<[string, Buffer, string]>([
    ['turned by its EXIF data', fileOf('turned'), 'turned'],
    ['of the colors of a printer', fileOf('cmyk'), 'RGB'],
    ['larger than 2000 pixels', sized(2_001), '2001'],
    ['larger than its pixels', sized(2_000), 'damaged'],
    ['with too many scans', manyScans(), 'damaged'],
    ['without tables', without(0xdb), 'damaged'],
    ['without codes', without(0xc4), 'damaged'],
    ['without a scan', without(0xda), 'damaged'],
    ['without its end', fileOf('baseline').subarray(0, -2), 'damaged'],
    ['of two frames', twoFrames(), 'damaged'],
  ])('%s is refused', (_, file, problem) => {
    expect(readLogoPicture(file)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test.each(['baseline', 'progressive', 'upright'] as const)(
    'no part of a file passes, and none fails: %s',
    (name) => {
      const file = fileOf(name);
      for (let length = 0; length < file.length; length++)
        expect(readLogoPicture(file.subarray(0, length))).toEqual({ problem: expect.any(String) });
      for (let at = 2; at < file.length; at++)
        for (const value of [0, 1, 0x80, 0xd9, 0xff]) {
          const changed = Buffer.from(file);
          changed[at] = value;
          expect(() => readLogoPicture(changed)).not.toThrow();
        }
    },
  );

  test('a document shows damaged pixels, and lacks nothing else', async () => {
    const file = fileOf('baseline');
    const pixels = file.indexOf(Buffer.from([0xff, 0xda])) + 14;
    file.fill(0x55, pixels, file.length - 2);
    expect(readLogoPicture(file)).toMatchObject({ type: 'image/jpeg' });
    await expect(renderWith(file)).resolves.toMatchObject({ missing: [] });
  });
});

test('another kind of file is refused, such as SVG', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect(readLogoPicture(svg)).toEqual({ problem: expect.stringContaining('must be a PNG or a JPEG') });
});

test('a logo as a response shows it changes nothing, and another one is refused', () => {
  const { logo } = changedLogo(null, { data: samples.baseline }) as { logo: NonNullable<unknown> };
  expect(changedLogo(logo as never, logo)).toEqual({ logo });
  expect(changedLogo(logo as never, { sha256: '0'.repeat(64) })).toEqual({ problem: expect.any(String) });
  expect(changedLogo(null, logo)).toEqual({ problem: expect.any(String) });
  expect(changedLogo(logo as never, undefined)).toEqual({ logo });
  expect(changedLogo(logo as never, null)).toEqual({ logo: null });
});

test('a document shows its logo, always with the same bytes, and without it if the file is lost', async () => {
  const file = fileOf('progressive');
  const shown = await renderWith(file);
  expect(shown.lacksLogo).toBe(false);
  const lost = await renderWith(undefined);
  expect(lost.lacksLogo).toBe(true);
  const again = await renderWith(file);
  expect(Buffer.from(again.pdf).equals(shown.pdf)).toBe(true);
  expect(Buffer.from(lost.pdf).equals(shown.pdf)).toBe(false);
});

const lacksLogo = async (file: Buffer) => (await renderWith(file)).lacksLogo;

/** Renders a document whose seller has the picture of `file` as logo. */
function renderWith(file: Buffer | undefined) {
  const picture = file && readLogoPicture(file);
  const { type, width, height } =
    picture && 'type' in picture ? picture : { type: 'image/png' as const, width: 4, height: 2 };
  const logo = { sha256: 'a'.repeat(64), type, width, height };
  const content = { ...bhutan, seller: { ...bhutan.seller, logo } };
  return renderDocument(content, {
    paper: 'a4',
    locale: 'en',
    watermark: undefined,
    qr: undefined,
    logo: file,
  });
}

/** The baseline picture, with another width and height in its frame. */
function sized(pixels: number): Buffer {
  const file = fileOf('baseline');
  const frame = file.indexOf(Buffer.from([0xff, 0xc0]));
  file.writeUInt16BE(pixels, frame + 5);
  file.writeUInt16BE(pixels, frame + 7);
  return file;
}

function segmentsOf(file: Buffer): { readonly marker: number; readonly bytes: Buffer }[] {
  const segments = [];
  for (let at = 2; at < file.length - 2; ) {
    const marker = file[at + 1] ?? 0;
    let end = at + 2 + file.readUInt16BE(at + 2);
    if (marker === 0xda) while (file[end] !== 0xff || file[end + 1] === 0) end += 1;
    segments.push({ marker, bytes: file.subarray(at, end) });
    at = end;
  }
  return segments;
}

function jpeg(segments: readonly { readonly bytes: Buffer }[]): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments.map(({ bytes }) => bytes),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function without(marker: number): Buffer {
  return jpeg(segmentsOf(fileOf('baseline')).filter((segment) => segment.marker !== marker));
}

function twoFrames(): Buffer {
  return jpeg(
    segmentsOf(fileOf('baseline')).flatMap((segment) =>
      segment.marker === 0xc0 ? [segment, segment] : segment,
    ),
  );
}

function manyScans(): Buffer {
  const segments = segmentsOf(fileOf('progressive'));
  const last = segments.at(-1);
  return jpeg([...segments, ...Array.from({ length: 60 }, () => last ?? { bytes: Buffer.alloc(0) })]);
}
