/** Tests the erasure of a customer with two hundred invoices, while clients list and change them. */
import { describeErasure } from './erased-customer.ts';

describeErasure(184, 16);
