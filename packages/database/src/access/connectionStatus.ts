import { privilegeDocument } from '@replsim/access';
import { fieldSet } from '@replsim/pipeline';
import type { CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const fields = fieldSet('connectionStatus', 'showPrivileges');

/** `{ connectionStatus: 1, showPrivileges? }` → `{ authInfo }`. Upstream: connection_status.cpp. */
export const connectionStatus: CommandDefinition = {
  name: 'connectionStatus',
  help: 'shows who is authenticated on this connection',
  auth: 'none',
  api: 'none',
  ...ANYWHERE,
  run: atOnce(({ args, connection, member }) => {
    args.allow(fields);
    const user = member.access.userOf(connection);
    const privileges = args.bool('showPrivileges') && {
      authenticatedUserPrivileges: (user?.privileges ?? []).map(privilegeDocument),
    };
    const authInfo = {
      authenticatedUsers: user ? [user.name] : [],
      authenticatedUserRoles: user ? user.roles : [],
      ...privileges,
    };
    return { authInfo };
  }),
};
