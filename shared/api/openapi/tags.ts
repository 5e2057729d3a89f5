/** Lists the groups of operations, in the order in which the document and the reference page show them. */
import type { Route } from '../routes.ts';

/**
 * The tag of messages to webhook endpoints. Generators of clients make a class for each tag. If operations of the API had this
 * tag too, the class would lose them.
 */
export const messagesTag = {
  name: 'Webhook messages',
  description:
    'Remit sends these messages to your webhook endpoints, one for each event type. They are not operations that you call.',
} as const;

/** The tags of operations. */
export const operationTags = [
  {
    name: 'Invoices',
    description:
      'An invoice requests a payment from a customer. It is `pending` until it is paid, cancelled or overdue. Your customer can view and pay it on the web page at its `paymentUrl`.',
  },
  {
    name: 'Payments',
    description:
      'A payment pays an invoice in full. It is `pending` at first, and then completes or fails. Customers pay at the `paymentUrl` of the invoice. Use the API to record money that you received in another way.',
  },
  {
    name: 'Refunds',
    description: 'A refund returns all or part of a completed payment to the customer.',
  },
  {
    name: 'Customers',
    description:
      'A customer has the name and the contact details of somebody who pays your invoices. Set the `customerId` of an invoice to the ID of the customer (`cust_…`), and list the invoices of the customer with it. You do not have to create customers: an invoice also accepts an email address or an ID of your own system, and never depends on a customer.\n\n' +
      'If you delete a customer, Remit erases its personal data. Its invoices stay as they are.',
  },
  {
    name: 'Products',
    description:
      'A product is what you sell, with its price in each currency. A line of an invoice can name a `product`, and takes its text, unit, price, tax and code from it as they are then. Later changes of the product do not change invoices.',
  },
  {
    name: 'Drafts',
    description:
      'A draft is an invoice that you prepare. It has no number and no payment page, it is in no list of invoices, and any of its fields can lack. Finalize it to create the invoice.',
  },
  {
    name: 'Schedules',
    description:
      'A schedule makes an invoice, a draft or a mail with an invoice at each of its times, such as on the last day of each month. Each time makes one invoice at most, and none is lost. API keys need the permissions of invoices.',
  },
  {
    name: 'Statements',
    description:
      'A statement has the rows of your bank account. Rows with the payment reference of an invoice pay it by themselves. For the others, Remit suggests invoices, and you decide.',
  },
  {
    name: 'Statement files',
    description:
      'You upload the file of your bank with a link: CSV, or XML in the format camt.053, with up to 5,000 rows. Preview what Remit reads from it, and then create a statement with it.',
  },
  {
    name: 'Exports',
    description:
      'An export is a set of files with your invoices, payments, refunds, customers, documents, or the entries of your journal or audit log. Remit makes it in the background, so it can have millions of rows, and keeps it for 7 days.',
  },
  {
    name: 'Documents',
    description:
      'A document is an invoice, a credit note or a receipt as the law wants it: with a number, the seller, the buyer and the taxes. Remit issues one for each new invoice, its payment and each refund of it, if your account has a seller profile. A document never changes.',
  },
  {
    name: 'Mails',
    description:
      'A mail brings an invoice or a receipt to its buyer. Your deployment sends mails only if its operator has set the address of the sender.',
  },
  {
    name: 'Webhooks',
    description:
      'A webhook endpoint is a URL of yours that receives events as they happen. With these operations you register and test endpoints, and inspect deliveries.\n\n' +
      'A delivery succeeds when your endpoint responds with a 2xx status within 15 seconds. Otherwise Remit tries again after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and 24 hours. Each interval varies by up to 20%. A 410 response disables the endpoint immediately. Five days without a successful delivery also disable it.',
  },
  {
    name: 'Events',
    description:
      'An event records a change of an invoice, a payment or a refund. Remit sends events to your webhook endpoints, and keeps them for 30 days.\n\n' +
      'An event can arrive more than once, and events can arrive in any order. Use `id` to detect duplicates. Of two versions of a resource, the one with the higher `objectVersion` is newer.',
  },
  {
    name: 'Audit log',
    description:
      'The audit log records who did what in your account, when and from where. An entry exists if and only if the operation took effect. A repeated request under the same idempotency key has one entry, and a rejected request has none.',
  },
  {
    name: 'Journal',
    description:
      'The journal says what each change of money means for the accounts of your books: `receivable`, `sales`, `tax:<code>`, `tax_reversed`, `cancelled`, `refunds`, `written_off`, `received:<method>`, `refunded:<method>`, `unapplied`, `withdrawn:<method>`, `fees:<method>`, `fee_tax:<method>`, `fees_kept:<method>`, `disputes_open` and `disputes_lost`. The lines of an entry add up to 0 in each currency. Remit compares the journal with your invoices and payments every day.',
  },
  {
    name: 'Summary',
    description:
      'The summary has the sums of the journal: what you invoiced and received in each period, and what customers still owe you, by age.',
  },
  {
    name: 'Balance',
    description:
      'The balance says what one customer owes you now, by currency and age, and how much credit it has.',
  },
  {
    name: 'Search',
    description:
      'The search finds a record by what people know of it, such as an amount, a name or a reference, and any record by its ID.',
  },
  {
    name: 'Keys',
    description:
      'An API key gives a program access to your account in one mode. With these operations, a program can create, replace and revoke keys. It needs a key that names the permission `keys:read` or `keys:write`: a key with all permissions does not include these two.',
  },
  {
    name: 'Account',
    description:
      'Your account has a seller profile, which says who issues your invoices: the legal name, the address, tax IDs and the numbering. Both modes have the same profile, so a test key also changes it for live mode. To change it, a key must name the permission `account:write`: a key with all permissions does not include it.',
  },
  {
    name: 'Test',
    description:
      'Test mode has a clock of its own, which you can move forward. So you can test due dates without waiting for them. Live keys cannot use it.',
  },
] as const;

/** All tags, in reading order. */
export const tags = [...operationTags, messagesTag];

/** Returns the tag of a route, which is the path segment after `/api/`. Throws if no tag has this name. */
export function tagOf({ path }: Route): string {
  const segment = path.split('/')[2];
  const tag = operationTags.find(({ name }) => name.toLowerCase().replace(' ', '-') === segment);
  if (!tag) throw new Error(`${path} does not belong to a tag. Add a tag to shared/api/openapi/tags.ts.`);
  return tag.name;
}
