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
const actions = {
  '/': () => document.querySelector('.find input')?.focus(),
  c: () => document.querySelector('.heading a.button:not(.plain)')?.click(),
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
