/** Declares the forms of customers. */
import {
  createCustomerCommand,
  deleteCustomerCommand,
  readCustomer,
  requireCustomer,
  updateCustomerCommand,
} from '../../../domain/customers/customer-store.ts';
import { recordActions } from '../attempts/record-actions.ts';
import type { DashboardAction } from '../definitions.ts';
import { customerFieldNames, customerFormTexts, readCustomerForm, updateOfForm } from './customer-form.ts';
import { customerTexts } from './customer-texts.ts';
import { showCustomerDeleteForm, showCustomerEditForm, showNewCustomerForm } from './customer-views.ts';
import { pauseCustomerReminders } from './pause-reminders.ts';

export const customerActions: readonly DashboardAction[] = [
  ...recordActions({
    kind: 'customer',
    path: '/customers',
    ability: 'customers:write',
    fields: { new: customerFieldNames, edit: customerFieldNames },
    texts: customerFormTexts,
    changed: customerTexts.changed,
    readNew: readCustomerForm,
    readEdit: readCustomerForm,
    read: readCustomer,
    create: createCustomerCommand,
    update: (loaded, sent, fields, now, require) =>
      updateCustomerCommand(loaded, updateOfForm(requireCustomer(loaded), fields, sent), now, require),
    remove: deleteCustomerCommand,
    views: { new: showNewCustomerForm, edit: showCustomerEditForm, delete: showCustomerDeleteForm },
  }),
  pauseCustomerReminders,
];
