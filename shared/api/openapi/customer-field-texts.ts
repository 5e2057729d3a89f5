/** Describes the fields of customers. */
import {
  createdAt,
  type FieldTexts,
  metadata,
  metadataUpdate,
  newMetadata,
  pagination,
  readOnly,
  updatedAt,
} from './common-field-texts.ts';

const address = {
  line1: 'The first line, such as the street and the house number.',
  line2: 'The second line, such as the floor or a post office box.',
  city: 'The city, town or village.',
  state: 'The state, district or province.',
  postalCode: 'The postal code.',
  country: 'The country, as the code of two uppercase letters of ISO 3166-1, such as `BT`.',
};

const taxIds =
  'The numbers under which tax authorities know the customer, at most 10. Remit stores them and does not check them with the authority.';
const reference =
  'The ID of the customer in your own system. Remit does not check whether another customer has the same.';

const taxId = {
  type: 'The country, or `eu`, and the kind of the number, such as `in_gst`, `eu_vat` or `bt_tpn`.',
  value: 'The number, stored exactly as sent.',
};

const remindersPaused =
  'Whether no reminders by email go out for invoices with the ID of this customer. The default is `false`.';

const newCustomer = {
  name: 'The name of the person or the company.',
  email: 'The email address. Mails about invoices go to it, if your account sends them.',
  phone: 'The phone number, with 3 to 15 digits. Besides digits, it can have spaces and `+ - . ( ) /`.',
  address: 'The postal address. Send at least one part.',
  taxIds,
  reference,
  remindersPaused,
};

export const customerFieldTexts: Pick<
  FieldTexts,
  | 'Customer'
  | 'CustomerList'
  | 'CustomerDeletion'
  | 'CreateCustomer'
  | 'UpdateCustomer'
  | 'Address'
  | 'AddressInput'
  | 'TaxId'
  | 'TaxIdInput'
> = {
  Customer: {
    id: 'The ID of the customer. Send it as the `customerId` of invoices.',
    name: 'The name of the person or the company. Null if you did not set one.',
    email: 'The email address, exactly as you sent it. Null if you did not set one.',
    phone: 'The phone number, exactly as you sent it. Null if you did not set one.',
    address: 'The postal address. Null if you did not set one.',
    taxIds,
    reference: `${reference} Null if you did not set one.`,
    remindersPaused,
    metadata,
    createdAt,
    updatedAt,
  },
  CustomerList: { data: 'The customers, newest first.', pagination },
  CustomerDeletion: {
    id: 'The ID of the customer.',
    deletedAt: 'The time at which the customer was deleted.',
  },
  CreateCustomer: { ...newCustomer, metadata: newMetadata },
  UpdateCustomer: {
    id: readOnly,
    name: 'The new name. Null removes it.',
    email: 'The new email address. Null removes it.',
    phone: 'The new phone number. Null removes it.',
    address: 'The new postal address, which replaces the former one as a whole. Null removes it.',
    taxIds: 'The new list of tax IDs, which replaces the former one as a whole. Null removes all.',
    reference: 'The new ID in your own system. Null removes it.',
    remindersPaused,
    createdAt: readOnly,
    updatedAt: readOnly,
    metadata: metadataUpdate,
  },
  Address: address,
  AddressInput: address,
  TaxId: taxId,
  TaxIdInput: taxId,
};
