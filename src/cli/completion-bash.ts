import { type CompletionNode, pathText, type Values } from "./completion-tree.ts";

/** A script for bash: 3.2 as macOS has it, and later. Our words need no quoting. */
export function bashScript(tree: readonly CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path.length > 0).map(({ path }) =>
    `" ${path.join(" ")}"`
  );
  return `# Completion of keydesk for bash, by \`keydesk completion bash\`.
_keydesk() {
  local cur="" prev="" at="" words="" before="" broken i
  COMPREPLY=()
  # Out of the line: COMP_WORDS breaks words at "=" and ":".
  local -a typed
  read -r -a typed <<<"\${COMP_LINE:0:COMP_POINT}."
  i=\${#typed[@]}
  cur=\${typed[i-1]%.} prev=\${typed[i-2]}
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*} cur=\${cur#*=}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths.join("|")}) at="$at \${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  case "$at $prev" in
${tree.flatMap(optionCases).join("\n")}
    *)
      case "$at" in
${tree.map(commandCase).join("\n")}
      esac
      ;;
  esac
  if [[ $words == files ]]; then
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur"))
  else
    if [[ $words == list:* ]]; then
      words=\${words#list:}
      [[ $cur != *,* ]] || before=\${cur%,*},
      compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=($(compgen -P "$before" -W "$words" -- "\${cur#"$before"}"))
    # What stands before the last break is not typed anew.
    broken=\${cur%"\${cur##*[:=]}"}
    COMPREPLY=("\${COMPREPLY[@]#"$broken"}")
  fi
}
complete -F _keydesk keydesk
`;
}

/** The completion of an option's value. */
function optionCases({ path, options }: CompletionNode): string[] {
  const at = pathText(path);
  return options.flatMap(({ long, short, values }) => {
    if (values === undefined) return [];
    const names = [long, short].flatMap((name) => name ? [`"${at} ${name}"`] : []);
    return [`    ${names.join("|")}) words="${wordsOf(values)}" ;;`];
  });
}

function commandCase({ path, commands, options, argument }: CompletionNode): string {
  const at = pathText(path);
  const names = options.map(({ long }) => long).join(" ");
  const words = commands.length > 0
    ? commands.map(({ word }) => word).join(" ")
    : wordsOf(argument);
  return `        "${at}") if [[ $cur == -* ]]; then words="${names}"; else words="${words}"; fi ;;`;
}

function wordsOf(values: Values): string {
  if (values === "files") return values;
  if (values === "anything") return "";
  return "list" in values ? `list:${values.list.join(" ")}` : values.join(" ");
}
