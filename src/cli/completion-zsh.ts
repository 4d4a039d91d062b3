import { type CompletionNode, pathText, type Values } from "./completion-tree.ts";

/** A script for zsh, to be sourced below compinit or put into a folder of `fpath` as `_keydesk`. */
export function zshScript(tree: readonly CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path.length > 0).map(({ path }) =>
    `" ${path.join(" ")}"`
  );
  return `#compdef keydesk
# Completion of keydesk for zsh, by \`keydesk completion zsh\`.
_keydesk() {
  local at="" prev=\${words[CURRENT-1]} i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${paths.join("|")}) at="$at \${words[i]}" ;;
      (*) break ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    prev=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case "$at $prev" in
${tree.flatMap(optionCases).join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case "$at" in
${tree.map(optionsCase).join("\n")}
    esac
    _describe -o option found
    return
  fi
  case "$at" in
${tree.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _keydesk ]]; then
  _keydesk "$@"
else
  compdef _keydesk keydesk
fi
`;
}

function optionCases({ path, options }: CompletionNode): string[] {
  const at = pathText(path);
  return options.flatMap(({ long, short, values }) => {
    if (values === undefined) return [];
    const names = [long, short].flatMap((name) => name ? [`"${at} ${name}"`] : []);
    return [`    (${names.join("|")}) ${offer(values)}; return ;;`];
  });
}

function optionsCase({ path, options }: CompletionNode): string {
  const found = options.map(({ long, meaning }) => item(long, meaning));
  return `      ("${pathText(path)}") found=(${found.join(" ")}) ;;`;
}

function commandCase({ path, commands, argument }: CompletionNode): string {
  if (commands.length === 0) return `    ("${pathText(path)}") ${offer(argument)} ;;`;
  const found = commands.map(({ word, meaning }) => item(word, meaning));
  return `    ("${pathText(path)}") found=(${found.join(" ")}); _describe command found ;;`;
}

function offer(values: Values): string {
  if (values === "files") return "_files";
  if (values === "anything") return "_message value";
  if ("list" in values) return `compset -P '*,'; compadd -q -S , -- ${values.list.join(" ")}`;
  return values.length === 0 ? "_message value" : `compadd -- ${values.join(" ")}`;
}

/** An item for `_describe`: a word, a colon, its meaning. */
function item(word: string, meaning: string): string {
  const text = `${word}:${meaning.replaceAll("\\", "\\\\")}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
