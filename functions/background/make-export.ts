/** Makes the files of exports. */

import { timerHandler } from '../../shared/operations/background/timer-handler.ts';
import { makeExport } from '../../shared/operations/exports/make-export.ts';
import { archiveDocuments } from '../../shared/web/exports/archive-documents.ts';

export const handler = timerHandler('export', (timer, now) => makeExport(timer, now, { archiveDocuments }));
