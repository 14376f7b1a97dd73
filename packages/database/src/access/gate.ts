import {
  type ActionType,
  type AuthorizedUser,
  allows,
  CLUSTER,
  type Needed,
  NOTHING,
  onCluster,
  type Privilege,
  type Target,
} from '@replsim/access';
import type { OpenConnection } from '@replsim/operations';
import type { CommandArguments } from '@replsim/pipeline';
import { BsonType, CommandError, isLoopbackName, machineOf } from '@replsim/protocol';
import { describeDocument } from '@replsim/storage';
import { type CommandDefinition, isOpen } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { redacted } from './redacted.ts';

/** A client's command, before it is run. */
export interface Arrival {
  readonly command: CommandDefinition;
  readonly args: CommandArguments;
  /** On which it came; what came on none, as a scenario's steps and members' questions, nobody judges. */
  readonly connection: OpenConnection | undefined;
  /** The command of a name, for those that explain another. */
  readonly find: (name: string) => CommandDefinition | undefined;
  /** The command with the name of its collection, where it has a UUID instead. */
  readonly byName: () => CommandArguments;
}

/**
 * The one place that decides whether a client may run a command: for the admin database alone, who is nobody, who lacks a privilege.
 * Errors: Unauthorized 13, logged as 20436, and those of arguments that make no sense.
 * Upstream: service_entry_point_shard_role.cpp, _initiateCommand; commands.cpp, CommandHelpers::checkAuthorization.
 * @returns what the command needs, for the cursor that it may open
 */
export function checkAccess(arrival: Arrival, member: MemberServices): readonly Needed[] {
  try {
    return judge(arrival, member);
  } catch (error) {
    if (error instanceof CommandError && error.codeName === 'Unauthorized') logRefusal(error, member);
    throw error;
  }
}

function judge(arrival: Arrival, member: MemberServices): readonly Needed[] {
  const { command, args, connection } = arrival;
  if (command.adminOnly && args.db !== 'admin') {
    throw new CommandError('Unauthorized', `${command.name} may only be run against the admin database.`);
  }
  if (!connection) return NOTHING;
  const { access } = member;
  if (!access.isEnabled) {
    checkWithoutAccessControl(command, connection);
    return NOTHING;
  }
  const user = access.userOf(connection);
  const privileges = access.privilegesOf(connection);
  // The localhost exception is for somebody who is nobody and yet may do something.
  const isStranger = user === undefined && privileges.length === 0;
  if (isStranger && !isOpen(command)) {
    throw new CommandError('Unauthorized', `Command ${command.name} requires authentication`);
  }
  const namesUuid = command.byUuid && args.rawValue(args.name)?.type === BsonType.binData;
  // Before anybody learns which collection that is.
  if (namesUuid && !allows(privileges, 'useUUID', CLUSTER)) throw notAuthorized(command, args);
  const asking = askingOf(arrival, namesUuid ? arrival.byName() : args, connection, member, user, privileges);
  const needs = [...needsOf(command, asking), ...alwaysNeeded(args)];
  if (!needs.every(({ action, target }) => asking.mayDo(action, target))) throw notAuthorized(command, args);
  return needs;
}

/** Errors: Unauthorized 13 for whoever would end the process from elsewhere. Upstream: CommandHelpers::checkAuthorization. */
function checkWithoutAccessControl({ localhostOnly, name }: CommandDefinition, { remote }: OpenConnection): void {
  if (!localhostOnly || isLoopbackName(machineOf(remote))) return;
  throw new CommandError('Unauthorized', `${name} must run from localhost when running db without auth`);
}

function askingOf(
  { find }: Arrival,
  args: CommandArguments,
  connection: OpenConnection,
  member: MemberServices,
  user: AuthorizedUser | undefined,
  privileges: readonly Privilege[],
): Asking {
  const mayDo = (action: ActionType, target: Target) => allows(privileges, action, target);
  const asking: Asking = {
    args,
    member,
    connection,
    user,
    mayDo,
    needsOf: (other) => {
      const command = find(other.name);
      return command ? needsOf(command, { ...asking, args: other }) : NOTHING;
    },
  };
  return asking;
}

function needsOf({ auth }: CommandDefinition, asking: Asking): readonly Needed[] {
  if (auth === 'none' || auth === 'user') return NOTHING;
  if (typeof auth === 'function') return auth(asking);
  const { action, resource } = auth;
  const { args } = asking;
  switch (resource) {
    case 'cluster':
      return [{ action, target: CLUSTER }];
    case 'database':
      return [{ action, target: { kind: 'database', db: args.db } }];
    case 'collection':
      return [{ action, target: { kind: 'namespace', db: args.db, collection: args.collection } }];
  }
}

/** What any command needs that carries one of these. Upstream: checkAuthForFind and others, and logical_session_id_helpers.cpp. */
function alwaysNeeded(args: CommandArguments): readonly Needed[] {
  return args.has('term') && OF_MEMBERS.has(args.name) ? onCluster('internal') : NOTHING;
}

/** Commands with which members read an oplog. */
const OF_MEMBERS: ReadonlySet<string> = new Set(['find', 'getMore']);

function notAuthorized(command: CommandDefinition, args: CommandArguments): CommandError {
  return new CommandError(
    'Unauthorized',
    `not authorized on ${args.db} to execute command ${describeDocument(redacted(command, args))}`,
  );
}

function logRefusal({ code, codeName, message }: CommandError, member: MemberServices): void {
  const error = { code, codeName, errmsg: message };
  member.log('I', 'ACCESS', 20436, 'Checking authorization failed', { error });
}
