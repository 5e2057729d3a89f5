/**
 * The only script of the dashboard. Nothing needs it: it makes the copy buttons work, takes notices from the address once they are shown,
 * and offers keys. Without it, texts can be selected, and every key has a link or a field.
 */

export const scriptPath = '/script.js';

/**
 * - A click on a copy button copies its text and says so for two seconds.
 * - A page that is opened again, or whose address is sent to somebody, does not show the notice again.
 * - `/` goes to the search, `c` opens the form that creates what the page lists, and `?` shows the keys. Typing in a field, and keys
 *   together with Ctrl, Alt or Meta, do what they always do.
 * - In a list with rows to decide, `j` and `k` go to the link of the next and the previous row, which Enter opens, as any link. `i` goes to
 *   the button that ignores the row, so that one key ignores nothing. Before the first `j`, `i` is for the first row.
 */
export const script = `for (const button of document.querySelectorAll('button[data-copy][hidden]')) {
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = name;
    }, 2000);
  });
}
const address = new URL(location.href);
if (address.searchParams.has('notice')) {
  address.searchParams.delete('notice');
  history.replaceState(history.state, '', address);
}
const rows = [...document.querySelectorAll('tr:has(.decide)')];
const present = () => rows.findIndex((row) => row.contains(document.activeElement));
const goTo = (index) => rows[Math.max(0, Math.min(index, rows.length - 1))]?.querySelector('a')?.focus();
const actions = {
  '/': () => document.querySelector('.find input')?.focus(),
  c: () => document.querySelector('.heading a.button:not(.plain)')?.click(),
  j: () => goTo(present() + 1),
  k: () => goTo(present() - 1),
  i: () => rows[Math.max(0, present())]?.querySelector('form[action$="/ignore"] button')?.focus(),
  '?': () => document.querySelector('dialog.keys')?.showModal(),
};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (event.target.closest('input, textarea, select, [contenteditable], dialog[open]')) return;
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
});
`;
