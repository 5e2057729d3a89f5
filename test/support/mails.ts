/** Switches the mails of accounts on, which are all off until somebody does. */
import type { MailKind } from '../../shared/domain/accounts/mail-settings.ts';

/** Switches kinds of mails on, and the others off. @param kinds undefined: all */
export async function switchMailsOn(accountId: string, kinds?: readonly MailKind[]): Promise<void> {
  const { mailSwitches } = await import('../../shared/domain/accounts/mail-settings.ts');
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  const isOn = (kind: MailKind) => kinds === undefined || kinds.includes(kind);
  const switches = Object.entries(mailSwitches).map(([kind, name]) => [name, isOn(kind as MailKind) || null]);
  await updateSettings(accountId, {
    ...Object.fromEntries(switches),
    mailReminders: isOn('reminder') ? '-3, 0, 3' : null,
  });
}
