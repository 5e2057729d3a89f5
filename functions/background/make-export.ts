/** Makes the files of exports. */

import { timerHandler } from '../../shared/operations/background/timer-handler.ts';
import { makeExport } from '../../shared/operations/exports/make-export.ts';
import { archiveDocuments } from '../../shared/web/exports/archive-documents.ts';
import { joinArchives } from '../../shared/web/exports/join-archives.ts';

const tools = { archiveDocuments, joinArchives };
export const handler = timerHandler('export', (timer, now) => makeExport(timer, now, tools));
