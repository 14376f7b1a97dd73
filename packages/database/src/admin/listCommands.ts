import { API_V1_COMMANDS } from '../apiVersion.ts';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandDefinition } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import type { Reply } from '../reply.ts';
import { helpOf } from './commandHelp.ts';

const listFields = fieldSet('listCommands');

/** What a mongod answers before it knows who asks. Upstream: each command's requiresAuth(). */
// biome-ignore format: a list
const withoutAuth: ReadonlySet<string> = new Set(['authenticate', 'buildInfo', 'connectionStatus', 'hello', 'isMaster', 'listCommands', 'logout', 'ping', 'saslContinue', 'saslStart', 'whatsmyuri', '_isSelf', 'features']);

/**
 * `{ listCommands: 1 }` → `{ commands: { NAME: { help, requiresAuth, secondaryOk, adminOnly, secondaryOverrideOk?,
 * apiVersions, deprecatedApiVersions } } }`. Upstream: generic.cpp, CmdListCommands.
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

function describe({ name, aliases, secondaries, adminOnly }: CommandDefinition): Reply {
  return {
    ...(aliases && { aliases }),
    help: helpOf(name),
    requiresAuth: !withoutAuth.has(name),
    secondaryOk: secondaries === 'always',
    adminOnly: adminOnly ?? false,
    ...(secondaries === 'optIn' && { secondaryOverrideOk: true }),
    apiVersions: API_V1_COMMANDS.has(name) ? ['1'] : [],
    deprecatedApiVersions: [],
  };
}
