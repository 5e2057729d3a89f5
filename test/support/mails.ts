/** Switches the mails of accounts on, which are all off until somebody does. */
import type { MailKind } from '../../shared/domain/accounts/mail-settings.ts';

/** Switches kinds of mails on, and the others off. @param kinds undefined: all */
export async function switchMailsOn(accountId: string, kinds?: readonly MailKind[]): Promise<void> {
  const { mailKinds, mailSwitches } = await import('../../shared/domain/accounts/mail-settings.ts');
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  const switches = mailKinds.map((kind) => [mailSwitches[kind], (kinds ?? mailKinds).includes(kind) || null]);
  await updateSettings(accountId, Object.fromEntries(switches));
}
