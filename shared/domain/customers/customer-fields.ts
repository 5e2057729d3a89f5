/** Declares what an erasure leaves of each shown field of a customer. The record itself is deleted. */
import {
  eraseText,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceWith,
} from '../../store/field-erasure.ts';
import type { CustomerDeletion, ShownCustomer } from './customer.ts';

export const customerErasures: FieldErasures<ShownCustomer | CustomerDeletion> = {
  id: keepValue,
  name: replaceWith(null),
  email: replaceWith(null),
  phone: replaceWith(null),
  address: replaceWith(null),
  taxIds: replaceWith([]),
  reference: eraseText,
  remindersPaused: keepValue,
  metadata: removeMetadata,
  createdAt: keepValue,
  updatedAt: keepValue,
  deletedAt: keepValue,
};
