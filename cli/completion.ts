/**
 * Defines `remit completion`: prints a script that completes commands and options in bash or zsh.
 * - The script is generated from the definitions of the commands, so it has exactly their names.
 * - It runs no command while the user types.
 */
import type { CliCommand, CommandGroup } from './command.ts';
import { aliasesOf } from './program.ts';
import { jsonOption } from './read-options.ts';

/** A command or group that the shell can complete. */
interface CompletionNode {
  /** The words that select it, for example `remit invoices list`. */
  readonly path: string;
  /** All spellings of `path`, with aliases in the last word. */
  readonly spellings: readonly string[];
  /** The words that can follow, with their descriptions. */
  readonly words: readonly (readonly [word: string, about: string])[];
  /** The options whose value is the path of a file. */
  readonly fileOptions: readonly string[];
  /** The options with another value, which the shell cannot know. */
  readonly valueOptions: readonly string[];
}

/** @param root returns the commands of the program */
export function completionCommands(root: () => CommandGroup): CommandGroup {
  const commandOf = (
    shell: string,
    file: string,
    render: (nodes: CompletionNode[]) => string,
  ): CliCommand => ({
    about: `Print the completion script for ${shell}.`,
    details: `To load it in each new shell, add this line to ${file}: source <(npx remit completion ${shell})`,
    examples: [`npx remit completion ${shell}`],
    run: async () => {
      const text = render(nodesOf(root(), 'remit', ['remit']));
      return { json: { shell, script: text }, text };
    },
  });
  return {
    about: 'Print a script that completes commands and options in your shell.',
    commands: {
      bash: commandOf('bash', '~/.bashrc', renderBash),
      zsh: commandOf('zsh', '~/.zshrc, below compinit', renderZsh),
    },
  };
}

function nodesOf(
  entry: CliCommand | CommandGroup,
  path: string,
  spellings: readonly string[],
): CompletionNode[] {
  if (!('commands' in entry)) {
    const options = Object.entries({ ...entry.options, json: jsonOption });
    const words = options.map(([name, { about }]) => [`--${name}`, about] as const);
    const optionsWith = (matches: (value: string) => boolean) =>
      options.flatMap(([name, { value }]) => (value !== undefined && matches(value) ? [`--${name}`] : []));
    const fileOptions = optionsWith(isPath);
    const valueOptions = optionsWith((value) => !isPath(value));
    return [{ path, spellings, words, fileOptions, valueOptions }];
  }
  const children = Object.entries(entry.commands);
  const words = children.map(([name, { about }]) => [name, about] as const);
  const below = children.flatMap(([name, child]) => {
    const names = [name, ...aliasesOf(name, entry)];
    return nodesOf(
      child,
      `${path} ${name}`,
      names.map((each) => `${path} ${each}`),
    );
  });
  return [{ path, spellings, words, fileOptions: [], valueOptions: [] }, ...below];
}

const isPath = (value: string) => value === 'PATH' || value === 'FILE';

/** Returns the part that both scripts share: it follows the words before the cursor from node to node. */
const renderSteps = (nodes: readonly CompletionNode[]) =>
  nodes
    .slice(1)
    .map(({ path, spellings }) => `      ${spellings.map(quote).join('|')}) node=${quote(path)} ;;`)
    .join('\n');

/** Returns a pattern of a command and the option before the cursor. It matches nothing if no command has such an option. */
const renderOptions = (nodes: readonly CompletionNode[], kind: 'fileOptions' | 'valueOptions') =>
  nodes.flatMap((node) => node[kind].map((option) => quote(`${node.path} ${option}`))).join('|') || "''";

const renderBash = (nodes: CompletionNode[]) => `# Completes remit in bash.
_remit() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} node=remit word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case "$node $word" in
${renderSteps(nodes)}
    esac
  done
  case "$node $previous" in
    ${renderOptions(nodes, 'fileOptions')})
      local IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$current"))
      return ;;
    ${renderOptions(nodes, 'valueOptions')})
      return ;;
  esac
  case "$node" in
${nodes.map(({ path, words }) => `    ${quote(path)}) words=${quote(words.map(([word]) => word).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _remit remit`;

const renderZsh = (nodes: CompletionNode[]) => `#compdef remit
# Completes remit in zsh.
_remit() {
  local node=remit word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$node $word" in
${renderSteps(nodes)}
    esac
  done
  case "$node \${words[CURRENT-1]}" in
    ${renderOptions(nodes, 'fileOptions')})
      _files
      return ;;
    ${renderOptions(nodes, 'valueOptions')})
      return 1 ;;
  esac
  case "$node" in
${nodes.map(({ path, words }) => `    ${quote(path)}) choices=(${words.map(([word, about]) => quote(`${word}:${about}`)).join(' ')}) ;;`).join('\n')}
  esac
  _describe 'argument' choices
}
compdef _remit remit`;

/** Quotes a text for the shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
