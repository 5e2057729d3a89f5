/** Tests which known name is suggested for an unknown one. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { similarName } from '../../../shared/api/http/similar-name.ts';

const fields = ['customerId', 'amount', 'currency', 'description', 'dueDate', 'url', 'limit', 'card'];

describe('similarName', () => {
  test.each([
    ['customer_id', 'customerId'],
    ['customer-id', 'customerId'],
    ['CustomerID', 'customerId'],
    ['customer', 'customerId'],
    ['custmoerId', 'customerId'],
    ['due_date', 'dueDate'],
    ['DueDate', 'dueDate'],
    ['duedates', 'dueDate'],
    ['amuont', 'amount'],
    ['amounts', 'amount'],
    ['curency', 'currency'],
    ['uri', 'url'],
    ['limits', 'limit'],
  ])('%s means %s', (name, expected) => {
    expect(similarName(name, fields)).toBe(expected);
  });

  test.each(['color', 'id', 'ur1s', 'cad_', 'email', '', '__proto__', 'constructor', 'lists', '顧客'])(
    '%j means none of them, or one that differs by one character',
    (name) => {
      const found = similarName(name, fields);
      expect([undefined, 'card', 'limit']).toContain(found);
      expect(similarName(name, [])).toBeUndefined();
    },
  );

  test('the nearest one wins, and the first one among equals', () => {
    expect(similarName('amounts', ['amountb', 'amount'])).toBe('amountb');
    expect(similarName('amount_', ['amounts', 'amount'])).toBe('amount');
  });

  test('a name of 60,000 characters is not compared', () => {
    expect(similarName('amount'.repeat(10_000), fields)).toBeUndefined();
  });

  test('property: separators and case do not matter, and one typing error in a long name does not', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('customerId', 'description', 'allowedAddresses'),
        fc.nat(),
        (name, seed) => {
          const at = seed % name.length;
          const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
          for (const variant of [snake, snake.replaceAll('_', '-'), name.toUpperCase(), name.toLowerCase()])
            expect(similarName(variant, [name])).toBe(name);
          const typos = [
            name.slice(0, at) + name.slice(at + 1),
            `${name.slice(0, at)}q${name.slice(at)}`,
            `${name.slice(0, at)}q${name.slice(at + 1)}`,
          ];
          for (const typo of typos) expect(similarName(typo, [name])).toBe(name);
        },
      ),
    );
  });
});
