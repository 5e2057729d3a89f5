/** Tests that the books of the service and of the provider agree after a thousand checkouts under faults. */
import { expect, test } from '@jest/globals';
import { runCheckoutLoad } from '../support/checkout-load.ts';

test('the books agree after a thousand checkouts of ten accounts', async () => {
  const { differences, bookedPayments } = await runCheckoutLoad(10);
  expect(differences).toEqual([]);
  expect(bookedPayments).toBeGreaterThan(200);
});
