import type { CommandEntry } from './commandTable.ts';

/** A script for bash 3.2 and later, the one that macOS has. */
export function bashScript(commands: readonly CommandEntry[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# bash completion of replsim; to load it: source <(replsim completion bash)

# Words that may stand after an option; it fails where that takes no value.
_replsim_value() {
  case "$1 $2" in
${commands.flatMap(valuesOf).join('\n')}
    *) return 1 ;;
  esac
}

_replsim() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command='' place=0 words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) continue ;; esac
    if [[ -z $command ]]; then
      command="\${COMP_WORDS[i]}"
    elif ! _replsim_value "$command" "\${COMP_WORDS[i - 1]}"; then
      place=$((place + 1))
    fi
  done
  words=''
  if ! _replsim_value "$command" "\${COMP_WORDS[COMP_CWORD - 1]}"; then
    if [[ $current == -* ]]; then
      case "$command" in
        '') words='--version --help' ;;
${commands.map(({ name, options }) => `        ${name}) words='${options.flatMap((each) => each.names).join(' ')}' ;;`).join('\n')}
      esac
    else
      case "$command $place" in
        ' 0') words='${names} help' ;;
        'help 0') words='${names}' ;;
${commands.flatMap(placesOf).join('\n')}
      esac
    fi
  fi
  # Where no word fits, bash goes on with files.
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _replsim replsim
`;
}

function valuesOf({ name, options }: CommandEntry): string[] {
  const patternOf = (option: string) => `'${name} ${option}'`;
  const chosen = options.flatMap(({ names, value }) =>
    value === undefined || typeof value === 'string'
      ? []
      : [`    ${names.map(patternOf).join(' | ')}) words='${value.join(' ')}' ;;`],
  );
  const free = options.flatMap(({ names, value }) => (typeof value === 'string' ? names.map(patternOf) : []));
  return free.length === 0 ? chosen : [...chosen, `    ${free.join(' | ')}) words='' ;;`];
}

function placesOf({ name, arguments: taken }: CommandEntry): string[] {
  return taken.flatMap(({ value }, place) =>
    typeof value === 'string' ? [] : [`        '${name} ${place}') words='${value.join(' ')}' ;;`],
  );
}
