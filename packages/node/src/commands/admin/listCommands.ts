import { fieldSet } from '../arguments.ts';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandDefinition, Reply } from '../command.ts';

const listFields = fieldSet('listCommands');

/**
 * `{ listCommands: 1 }` → `{ commands: { NAME: { help, requiresAuth, secondaryOk, adminOnly, secondaryOverrideOk?,
 * apiVersions, deprecatedApiVersions } } }`. Simplification: no help texts, no stable API. Upstream: generic.cpp, CmdListCommands.
 * @param others every command that the member has besides this one
 */
export function listCommands(others: readonly CommandDefinition[]): CommandDefinition {
  const self: CommandDefinition = {
    name: 'listCommands',
    ...ANYWHERE,
    run: atOnce(({ args }) => {
      args.allow(listFields);
      return { commands };
    }),
  };
  const all = [...others, self].sort((a, b) => (a.name < b.name ? -1 : 1));
  const commands = Object.fromEntries(all.map((command) => [command.name, describe(command)]));
  return self;
}

function describe({ secondaries, adminOnly }: CommandDefinition): Reply {
  return {
    help: '',
    requiresAuth: false,
    secondaryOk: secondaries === 'always',
    adminOnly: adminOnly ?? false,
    ...(secondaries === 'optIn' && { secondaryOverrideOk: true }),
    apiVersions: [],
    deprecatedApiVersions: [],
  };
}
