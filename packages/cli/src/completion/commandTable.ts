import type { Command, Option } from 'commander';

/** What an option or an argument takes: one of these words, a file, a folder, or what nobody can guess. */
export type Value = readonly string[] | 'file' | 'folder' | 'other';

export interface OptionEntry {
  /** All ways to write it, such as `-u` and `--update`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined where it takes none. */
  readonly value: Value | undefined;
}

/** What one may type after a command. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionEntry[];
  readonly arguments: readonly { readonly value: Value; readonly isRepeated: boolean }[];
}

/** The commands of a program, from the tables that its help is made of. */
export function commandTable(program: Command): readonly CommandEntry[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionEntry), HELP],
    arguments: command.registeredArguments.map((argument) => ({
      value: argument.argChoices ?? valueNamed(argument.name()),
      isRepeated: argument.variadic,
    })),
  }));
}

const HELP: OptionEntry = { names: ['-h', '--help'], description: 'display help for command', value: undefined };

function optionEntry({ short, long, flags, description, argChoices }: Option): OptionEntry {
  const [, placeholder] = /[<[](\w+)/.exec(flags) ?? [];
  const value = placeholder === undefined ? undefined : (argChoices ?? valueNamed(placeholder));
  return { names: [short, long].filter((name) => name !== undefined), description, value };
}

/** The help says by the name of a value what it is. */
function valueNamed(name: string): Value {
  if (['path', 'file', 'a', 'b'].includes(name)) return 'file';
  return ['dir', 'folder'].includes(name) ? 'folder' : 'other';
}
