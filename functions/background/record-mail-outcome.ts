/** Stores what Amazon SES reports of the mails that it has sent. */
import { now } from '../../shared/base/time.ts';
import { recordMailOutcome } from '../../shared/domain/mails/mail-outcome-store.ts';
import { parseSesEvent } from '../../shared/domain/mails/ses-event.ts';
import { queueHandler } from '../../shared/operations/background/batch.ts';

export const handler = queueHandler('feedback', parseSesEvent, (outcome) =>
  recordMailOutcome(outcome, now()),
);
