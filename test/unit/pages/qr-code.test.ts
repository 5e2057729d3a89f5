/** Tests that the drawn QR code equals the encoded one, and that no unreadable code is drawn. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encode } from 'uqr';
import { renderQrCode } from '../../../shared/web/pages/qr-code.ts';

const label = 'Code';

/** Returns the black modules that the strokes cover, as `x,y`. */
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
      const drawn = blackModules(String(renderQrCode(text, label)));
      expect([...drawn].sort()).toEqual(expected.sort());
    }),
  );
});

test('its label is escaped and readable by a screen reader', () => {
  expect(String(renderQrCode('x', '"><b>'))).toContain('role="img" aria-label="&quot;&gt;&lt;b&gt;"');
});

test('an empty text and a text too long for a phone are not drawn', () => {
  expect(renderQrCode('q'.repeat(400), label)).toBeDefined();
  expect(renderQrCode('q'.repeat(401), label)).toBeUndefined();
  expect(renderQrCode('ༀ'.repeat(134), label)).toBeUndefined();
  expect(renderQrCode('', label)).toBeUndefined();
});
