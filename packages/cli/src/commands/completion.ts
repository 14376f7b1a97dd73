import type { Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { type CommandEntry, commandTable } from '../completion/commandTable.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';
import { ExitCodes, type Io } from '../io.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandEntry[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `replsim completion`: a script that completes what one types after `replsim`, for a shell to load. */
export function completionCommand(shell: Shell, program: Command, io: Io): number {
  io.out(SCRIPTS[shell](commandTable(program)));
  return ExitCodes.ok;
}
