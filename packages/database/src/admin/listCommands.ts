import { fieldSet, type Reply } from '@replsim/pipeline';
import { API_VERSIONS, type CommandDefinition, isOpen } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const listFields = fieldSet('listCommands');

/**
 * `{ listCommands: 1 }` → `{ commands: { NAME: { help, requiresAuth, secondaryOk, adminOnly, secondaryOverrideOk?,
 * apiVersions, deprecatedApiVersions } } }`. Upstream: generic.cpp, CmdListCommands.
 * @param all every command that the member has, this one among them
 */
export function listCommands(all: Iterable<CommandDefinition>): CommandDefinition {
  return {
    name: 'listCommands',
    help: 'lists all commands',
    auth: 'none',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => {
      args.allow(listFields);
      const sorted = [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
      return { commands: Object.fromEntries(sorted.map((command) => [command.name, describe(command)])) };
    }),
  };
}

function describe(command: CommandDefinition): Reply {
  const { aliases, help, api, secondaries, adminOnly } = command;
  return {
    ...(aliases && { aliases }),
    help,
    requiresAuth: !isOpen(command),
    secondaryOk: secondaries === 'always',
    adminOnly: adminOnly ?? false,
    ...(secondaries === 'optIn' && { secondaryOverrideOk: true }),
    apiVersions: API_VERSIONS[api].has,
    deprecatedApiVersions: API_VERSIONS[api].deprecates,
  };
}
