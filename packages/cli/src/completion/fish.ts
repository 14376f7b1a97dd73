import type { CommandEntry, OptionEntry } from './commandTable.ts';

/** A script for fish. */
export function fishScript(commands: readonly CommandEntry[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const first = (rest: string) => `complete -c replsim -f -n __fish_use_subcommand ${rest}`;
  return [
    '# fish completion of replsim; to load it: replsim completion fish | source',
    'complete -c replsim -e',
    ...commands.map(({ name, description }) => first(`-a ${name} -d ${quoted(description)}`)),
    first("-a help -d 'display help for command'"),
    first("-s V -l version -d 'the version'"),
    first("-s h -l help -d 'help'"),
    `complete -c replsim -f -n '__fish_seen_subcommand_from help' -a '${names}'`,
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ name, options, arguments: taken }: CommandEntry): string[] {
  const line = `complete -c replsim -n '__fish_seen_subcommand_from ${name}'`;
  const choices = taken.flatMap(({ value }) => (typeof value === 'string' ? [] : value));
  return [
    ...(choices.length === 0 ? [] : [`${line} -a '${choices.join(' ')}'`]),
    ...(taken.some(({ value }) => value === 'file' || value === 'folder') ? [] : [`${line} -f`]),
    ...options.map((option) => `${line} ${flagsOf(option)} -d ${quoted(option.description)}`),
  ];
}

function flagsOf({ names, value }: OptionEntry): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (value === 'file') flags.push('-r -F');
  else if (value === 'folder') flags.push("-x -a '(__fish_complete_directories)'");
  else if (value !== undefined) flags.push(typeof value === 'string' ? '-x' : `-x -a '${value.join(' ')}'`);
  return flags.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
