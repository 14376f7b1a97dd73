import { COMMAND_NAMES, knowsCommand } from '@replsim/pipeline';
import { CommandError, invariant, sayIfKnown } from '@replsim/protocol';
import { listCommands } from '../admin/listCommands.ts';
import type { CommandDefinition } from '../definition.ts';

/**
 * Every command that a member knows, by name and alias, `listCommands` among them. Commands that a later release brought are
 * left out. Upstream: commands.h, CommandRegistry.
 */
export class CommandRegistry implements Iterable<CommandDefinition> {
  readonly #byName = new Map<string, CommandDefinition>();
  readonly #commands: CommandDefinition[] = [];
  readonly #maxWireVersion: number;
  readonly #testCommands: boolean;

  /**
   * @param maxWireVersion of the member's release
   * @param testCommands whether those are known that exist for tests alone
   */
  constructor(maxWireVersion: number, testCommands = true) {
    this.#maxWireVersion = maxWireVersion;
    this.#testCommands = testCommands;
    this.register([listCommands(this)]);
  }

  register(commands: Iterable<CommandDefinition>): void {
    for (const command of commands) {
      if (!knowsCommand(command.name, this.#maxWireVersion)) continue;
      if (command.testOnly && !this.#testCommands) continue;
      this.#commands.push(command);
      for (const name of [command.name, ...(command.aliases ?? [])]) {
        invariant(!this.#byName.has(name), `two commands are called ${name}`);
        this.#byName.set(name, command);
      }
    }
  }

  find(name: string): CommandDefinition | undefined {
    return this.#byName.get(name);
  }

  /** CommandNotFound 59, with a word about what upstream has in the member's release. */
  unknown(name: string): CommandError {
    const errmsg = `no such command: '${name}'`;
    const isKnown = knowsCommand(name, this.#maxWireVersion);
    return new CommandError('CommandNotFound', isKnown ? sayIfKnown(errmsg, name, COMMAND_NAMES) : errmsg);
  }

  [Symbol.iterator](): Iterator<CommandDefinition> {
    return this.#commands[Symbol.iterator]();
  }
}
