/** Lists bodies that are not one JSON object, or that two parsers could read differently. */
import { invoiceBody } from '../support/api.ts';

const valid = JSON.stringify(invoiceBody());
const openValid = valid.slice(0, -1);
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const utf8 = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"description":"'), Buffer.from(bytes), Buffer.from('"}')]);

export const invalidBodies: [string, string | Uint8Array][] = [
  ['a space', ' '],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '7'],
  ['a string', '"{}"'],
  ['an array', '[]'],
  ['an array of bodies', `[${valid}]`],
  ['two objects', valid + valid],
  ['text after the object', `${valid} x`],
  ['a comma after the object', `${valid},`],
  ['an extra closing brace', `${valid}}`],
  ['an unclosed brace', openValid],
  ['an unclosed string', '{"a":"'],
  ['an unfinished escape', '{"a":"\\'],
  ['a trailing comma', `${openValid},}`],
  ['a key without quotes', '{amount:1}'],
  ['single quotes', "{'amount':1}"],
  ['a comment', `/* x */${valid}`],
  ['NaN', '{"amount":NaN}'],
  ['a hexadecimal number', '{"amount":0x10}'],
  ['a leading zero', '{"amount":01}'],
  ['a plus sign', '{"amount":+1}'],
  ['a line break in a string', '{"description":"a\nb"}'],
  ['NUL after the object', `${valid}\0`],
  ['form data', 'amount=1&currency=USD'],
  ['XML', '<amount>1</amount>'],
  ['a byte order mark', `\ufeff${valid}`],
  ['UTF-16', Buffer.from(`\ufeff${valid}`, 'utf16le')],
  ['a single byte 0xff', utf8(0xff)],
  ['an incomplete UTF-8 sequence', utf8(0xc3)],
  ['an overlong slash', utf8(0xc0, 0xaf)],
  ['a surrogate in UTF-8', utf8(0xed, 0xa0, 0x80)],
  ['a code point beyond Unicode', utf8(0xf4, 0x90, 0x80, 0x80)],
  ['Latin-1', Buffer.from('{"description":"caf\u00e9"}', 'latin1')],
  ['only zeros', Buffer.alloc(1000)],
  ['a repeated key', `${openValid},"amount":1}`],
  ['a repeated key, once escaped', `${openValid},"\\u0061mount":1}`],
  ['a repeated nested key', '{"x":{"a":1,"a":1}}'],
  ['__proto__', `${openValid},"__proto__":{"polluted":1}}`],
  ['__proto__, escaped', `${openValid},"__pr\\u006fto__":{"polluted":1}}`],
  ['__proto__, nested', `${openValid},"x":{"__proto__":{"polluted":1}}}`],
  ['65 KB of [', '['.repeat(65_000)],
  ['arrays in arrays', nested(32_000, '[', ']')],
  ['unclosed objects in objects', '{"a":'.repeat(13_000)],
  ['a field that is nested too deeply', `{"customerId":${nested(30_000, '[', ']')}}`],
];
