import type { CommandEntry, OptionEntry, Value } from './commandTable.ts';

/** A script for zsh: as a file `_replsim` of `$fpath`, or sourced. */
export function zshScript(commands: readonly CommandEntry[]): string {
  return `#compdef replsim
# zsh completion of replsim; to load it: source <(replsim completion zsh)
_replsim() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)'{-V,--version}'[the version]' '(- *)'{-h,--help}'[help]' '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
${commands.map(({ name, description }) => `        ${quoted(`${name}:${description}`)}`).join('\n')}
        'help:display help for command'
      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
${commands.map(branch).join('\n')}
        help) _arguments '1:command:(${commands.map(({ name }) => name).join(' ')})' ;;
      esac
      ;;
  esac
}
# Sourced it registers itself; from $fpath it is called.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _replsim "$@"; else compdef _replsim replsim; fi
`;
}

function branch({ name, options, arguments: taken }: CommandEntry): string {
  const places = taken.map(({ value, isRepeated }, i) => `${isRepeated ? '*' : i + 1}:${actionOf(value)}`);
  const specs = [...options.flatMap(specsOf), ...places].map((spec) => `            ${quoted(spec)}`);
  return `        ${name})\n          _arguments \\\n${specs.join(' \\\n')}\n          ;;`;
}

/** An option that takes a value may come again, as reporters do. */
function specsOf({ names, description, value }: OptionEntry): string[] {
  const text = description.replaceAll(/[[\]:\\]/g, '\\$&');
  return names.map((name) => `*${name}[${text}]${value === undefined ? '' : `:${actionOf(value)}`}`);
}

function actionOf(value: Value): string {
  switch (value) {
    case 'file':
      return 'file:_files';
    case 'folder':
      return 'folder:_files -/';
    case 'other':
      return 'value: ';
    default:
      return `value:(${value.join(' ')})`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
