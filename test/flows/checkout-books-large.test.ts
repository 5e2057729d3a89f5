/** Tests that the books of the service and of the provider agree after three hundred checkouts under faults. */
import { expect, test } from '@jest/globals';
import { runCheckoutLoad } from '../support/checkout-load.ts';

test('the books agree after three hundred checkouts of three accounts', async () => {
  const { differences, bookedPayments } = await runCheckoutLoad(3);
  expect(differences).toEqual([]);
  expect(bookedPayments).toBeGreaterThan(60);
});
