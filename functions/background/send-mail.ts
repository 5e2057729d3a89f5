/** Sends mails through Amazon SES. No other function calls it. */

import { timerHandler } from '../../shared/operations/background/timer-handler.ts';
import { sendMail } from '../../shared/web/mails/send-mail.ts';

export const handler = timerHandler('mail', sendMail);
