/** Switches the mails of accounts on, which are all off until somebody does. */

/** Switches all kinds of mails on. */
export async function switchMailsOn(accountId: string): Promise<void> {
  const { mailSwitches } = await import('../../shared/domain/accounts/mail-settings.ts');
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  const switches = Object.values(mailSwitches).map((name) => [name, true] as const);
  await updateSettings(accountId, Object.fromEntries(switches));
}
