/** Tests the erasure of a customer with some hundred invoices, while clients list and change them. */
import { describeErasure } from './erased-customer.ts';

describeErasure(360, 40);
