/** Tests that the books of the service and of the provider agree after a hundred checkouts at once under faults. */
import { expect, test } from '@jest/globals';
import { runCheckoutLoad } from '../support/checkout-load.ts';

test('the books agree after a hundred checkouts of payers, merchants and faults at once', async () => {
  const { differences, bookedPayments } = await runCheckoutLoad();
  expect(differences).toEqual([]);
  expect(bookedPayments).toBeGreaterThan(20);
});
