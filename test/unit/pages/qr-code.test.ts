/** The QR codes of pages: every module where the encoder put it, and nothing drawn that could not be read. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encode } from 'uqr';
import { qrCode } from '../../../shared/pages/qr-code.ts';

const label = 'Code';

/** The black modules that the strokes cover, as `x,y`. */
function blackModules(svg: string): Set<string> {
  const strokes = /stroke="#000" d="([^"]*)"/.exec(svg)?.[1] ?? '';
  const modules = new Set<string>();
  let [x, y] = [0, 0];
  for (const [, command, first, second = '0'] of strokes.matchAll(/([Mmh])([\d.]+)(?: ([\d.]+))?/g)) {
    if (command === 'M') [x, y] = [Number(first), Number(second) - 0.5];
    else if (command === 'm') x += Number(first);
    else for (let end = x + Number(first); x < end; x++) modules.add(`${x},${y}`);
  }
  return modules;
}

test('property: the strokes cover exactly the black modules', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 100 }), (text) => {
      const { data } = encode(text, { ecc: 'L', boostEcc: true, border: 4 });
      const expected = data.flatMap((row, y) => row.flatMap((black, x) => (black ? [`${x},${y}`] : [])));
      const drawn = blackModules(String(qrCode(text, label)));
      expect([...drawn].sort()).toEqual(expected.sort());
    }),
  );
});

test('its label is what a screen reader says, and cannot end the attribute', () => {
  expect(String(qrCode('x', '"><b>'))).toContain('role="img" aria-label="&quot;&gt;&lt;b&gt;"');
});

test('what is too long for a phone to read is not drawn', () => {
  expect(qrCode('q'.repeat(400), label)).toBeDefined();
  expect(qrCode('q'.repeat(401), label)).toBeUndefined();
  expect(qrCode('ༀ'.repeat(134), label)).toBeUndefined();
  expect(qrCode('', label)).toBeUndefined();
});
