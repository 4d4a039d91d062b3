import { type CompletionNode, type OptionWord, pathText, type Values } from "./completion-tree.ts";

/** A script for fish. */
export function fishScript(tree: readonly CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path.length > 0).map(({ path }) =>
    `" ${path.join(" ")}"`
  );
  return `# Completion of keydesk for fish, by \`keydesk completion fish\`.
function __keydesk_at --description "whether these words lead to what is typed now"
  set -l at ""
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${paths.join(" ")}
        set at "$at $word"
      case '*'
        break
    end
  end
  test "$at" = "$argv[1]"
end
function __keydesk_list --description "these words, behind what a list has already"
  printf '%s\\n' (string replace -rf '^(?:--[^=]*=)?((?:.*,)?)[^,]*$' '$1' -- (commandline -ct))$argv
end
complete -c keydesk -f
${tree.flatMap(nodeLines).join("\n")}
`;
}

function nodeLines({ path, commands, options, argument }: CompletionNode): string[] {
  const at = pathText(path);
  const here = `complete -c keydesk -n '__keydesk_at "${at}"'`;
  return [
    ...commands.map(({ word, meaning }) => `${here} -a ${word} -d ${quoted(meaning)}`),
    ...options.map((option) => `${here} ${optionWords(option)}`),
    ...commands.length === 0 && argument === "files" ? [`${here} -F`] : [],
    ...Array.isArray(argument) && argument.length > 0 ? [`${here} -a '${argument.join(" ")}'`] : [],
  ];
}

function optionWords({ long, short, meaning, values }: OptionWord): string {
  return [
    ...short === undefined ? [] : [`-s ${short.slice(1)}`],
    `-l ${long.slice(2)}`,
    `-d ${quoted(meaning)}`,
    ...values === undefined ? [] : [valueWords(values)],
  ].join(" ");
}

function valueWords(values: Values): string {
  if (values === "files") return "-r -F";
  if (values === "anything") return "-x";
  if ("list" in values) return `-x -a '(__keydesk_list ${values.list.join(" ")})'`;
  return `-x -a '${values.join(" ")}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
