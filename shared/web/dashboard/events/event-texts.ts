/** The English texts of the pages of events. */

export const eventPageTexts = {
  title: 'Events',
  one: 'Event',
  table: 'Events, newest first',
  empty: 'No events yet. Each change of an invoice, a payment or a refund appears here for 30 days.',
  noMatch: 'No event among those examined has this type.',
  older: 'Older events',
  newest: 'Newest events',
  record: 'Record',
  body: 'Body',
  bodyHint: 'Webhook endpoints receive exactly these values.',
  deliveries: 'Deliveries',
  noDeliveries: 'No endpoint receives events of this type, or none existed when the event happened.',
  deliveriesTable: 'Deliveries of this event',
  endpoint: 'Endpoint',
} as const;
