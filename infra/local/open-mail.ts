/** Connects the double of SES to a local stack. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { setEnvironment } from './environment.ts';
import { type SesDouble, startSesDouble } from './mail/ses-double.ts';

/** How a stack has its mails. */
interface MailOptions {
  /** Undefined: a free port. */
  readonly mailPort?: number;
  /** Where mails stay. Undefined: only in memory. */
  readonly mailDirectory?: string;
  readonly reportsDeliveries?: boolean;
}

/** Starts the double of SES, and sets the environment of the functions that know it. The caller closes it. */
export async function openMail({
  mailPort,
  mailDirectory,
  reportsDeliveries = false,
}: MailOptions): Promise<SesDouble> {
  const mail = await startSesDouble({ port: mailPort ?? 0, directory: mailDirectory });
  mail.behavior.reportsDeliveries = reportsDeliveries;
  const from = process.env.MAIL_FROM ?? 'invoices@shop.example';
  setEnvironment({
    AWS_ENDPOINT_URL_SESV2: mail.url,
    MAIL_FROM: from,
    MAIL_CONFIGURATION_SET: 'remit-local',
  });
  return mail;
}

/** Sends what the double reports of mails to their queue, as a topic does. */
export function publishReports(mail: SesDouble, sqs: SQSClient, queueUrl: string): void {
  mail.publishTo(async (record) => {
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: record }));
  });
}
