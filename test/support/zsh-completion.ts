/** Completes command lines in an interactive zsh, as its user does with the tab key. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Prepares the zsh that completes. It notes what the completion adds, and binds a key to a widget that completes each line
 * of the file `lines`.
 */
const setup = String.raw`
autoload -Uz compinit
compinit -u -D
source ./completion.zsh
unsetopt auto_menu
compadd() {
  if [[ $argv[1,(i)(-|--)] != *-[OAD]* ]]; then
    local -a matches
    builtin compadd -O matches "$@"
    offered+=($matches)
  fi
  builtin compadd "$@"
}
complete-lines() {
  local line
  for line in "$\{(@f)$(<lines)}"; do
    offered=()
    BUFFER=$line CURSOR=$#line
    zle complete-word
    print -r -- "$BUFFER|$offered" >> completed
  done
  exit
}
zle -N complete-lines
bindkey '^X' complete-lines
`.replaceAll('\\{', '{');

/** Starts the zsh in a terminal of its own, and presses the key. */
const drive = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./setup.zsh'
zpty -w -n shell $'\\x18'
while zpty -r shell part; do print -rn -- "$part"; done
`;

/**
 * Loads the script, and completes each line at its end.
 * @returns for each line, how zsh completed it, and the choices that it offered
 */
export async function completeInZsh(
  script: string,
  lines: readonly string[],
): Promise<{ line: string; choices: readonly string[] }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'remit-zsh-'));
  try {
    const files = {
      'completion.zsh': script,
      'setup.zsh': setup,
      'drive.zsh': drive,
      lines: lines.join('\n'),
      completed: '',
      'credentials.json': '{}',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { stdout } = await run('zsh', ['-f', 'drive.zsh'], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    const completed = (await readFile(join(folder, 'completed'), 'utf8')).split('\n').slice(0, -1);
    if (completed.length !== lines.length)
      throw new Error(`zsh completed ${completed.length} lines: ${stdout}`);
    return completed.map((text) => {
      const [line = '', choices = ''] = text.split('|');
      return { line, choices: choices.split(' ').filter(Boolean) };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
