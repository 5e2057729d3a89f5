/**
 * Lists the queues, each with the environment variable that contains its URL. Data only, so every part can import it.
 */
export const queueVariables = {
  overdue: 'OVERDUE_QUEUE_URL',
  payment: 'PAYMENT_QUEUE_URL',
  checkout: 'CHECKOUT_QUEUE_URL',
  refund: 'REFUND_QUEUE_URL',
  webhook: 'WEBHOOK_QUEUE_URL',
  recovery: 'RECOVERY_QUEUE_URL',
  mail: 'MAIL_QUEUE_URL',
  feedback: 'FEEDBACK_QUEUE_URL',
  export: 'EXPORT_QUEUE_URL',
  reconciliation: 'RECONCILIATION_QUEUE_URL',
} as const;

export type QueueName = keyof typeof queueVariables;
