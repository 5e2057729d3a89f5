/** Tests the erasure of a customer with 8,284 invoices, while clients list and change them. */
import { describeErasure } from './erased-customer.ts';

describeErasure(8_164, 120);
